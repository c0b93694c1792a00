import StrataModel

/// The relationships that a program follows from one object after the other: from the second object on, the
/// destinations of further ones are read ahead.
struct Traversals {
    /// The last fault that a to-one relationship referenced, and the scope of its source.
    private var reached: (id: ObjectID, relationship: RelationshipDescription, scope: ObjectIDScope)?
    private var traversals: [ObjectIdentifier: Traversal] = [:]

    private struct Traversal {
        /// The number of objects read alone since the last reading ahead.
        var length = 0
        /// The length from which on others are read ahead.
        var next = PrefetchPolicy.traversalLength
        var count = 0
        /// The number of consecutive owners whose members fired since rows of members were left unread.
        var readers = 0
        var mostMembers = 1
        /// One of the members that were read with their rows last, until its fault fires: the rows are used then.
        var watched: ObjectID?
    }

    private subscript(relationship: RelationshipDescription) -> Traversal {
        get { traversals[ObjectIdentifier(relationship)] ?? Traversal() }
        _modify { yield &traversals[ObjectIdentifier(relationship), default: Traversal()] }
    }

    mutating func reach(_ id: ObjectID, over relationship: RelationshipDescription, from owner: ManagedObject) {
        reached = (id, relationship, owner.objectID.scope)
    }

    /// Returns the relationship that referenced a fault, with the scope of its source.
    func relationship(to id: ObjectID) -> (relationship: RelationshipDescription, scope: ObjectIDScope)? {
        reached.flatMap { $0.id == id ? ($0.relationship, $0.scope) : nil }
    }

    /// Returns whether to read ahead, as one more object's relationship costs a round trip.
    mutating func continues(over relationship: RelationshipDescription) -> Bool {
        self[relationship].length += 1
        let traversal = self[relationship]
        return traversal.length >= traversal.next
    }

    mutating func didReadAhead(_ count: Int, over relationship: RelationshipDescription) {
        let isWorthIt = count >= PrefetchPolicy.minimumYield
        self[relationship].length = isWorthIt ? 1 : 0
        self[relationship].next = isWorthIt ? PrefetchPolicy.traversalLength : 2 * self[relationship].next
    }

    /// Records a round trip for the members of an owner; returns whether it is not the first.
    mutating func follow(_ relationship: RelationshipDescription) -> Bool {
        self[relationship].count += 1
        return self[relationship].count > 1
    }

    mutating func didLoad(_ members: [[ObjectID]], of relationship: RelationshipDescription) {
        self[relationship].mostMembers = members.reduce(self[relationship].mostMembers) { max($0, $1.count) }
    }

    /// Records that members fired that were read without their rows.
    mutating func didReadMembers(of relationship: RelationshipDescription) { self[relationship].readers += 1 }

    /// Returns the number of owners whose members may be read in one round trip.
    func maximumOwners(of relationship: RelationshipDescription) -> Int {
        min(PrefetchPolicy.batchSize, PrefetchPolicy.maximumRows / self[relationship].mostMembers)
    }

    /// Returns the number of owners whose members to read with their rows: 0 where members of fewer owners fired.
    func maximumOwnersWithRows(of relationship: RelationshipDescription, _ readers: Int) -> Int {
        let traversal = self[relationship]
        return traversal.readers >= readers ? PrefetchPolicy.batchSize / traversal.mostMembers : 0
    }

    func watchedMember(of relationship: RelationshipDescription) -> ObjectID? { self[relationship].watched }

    mutating func ignoreRows(of relationship: RelationshipDescription) {
        self[relationship].readers = 0
        self[relationship].watched = nil
    }

    /// Watches whether the row of a member is used that was read with it.
    mutating func watch(_ id: ObjectID?, of relationship: RelationshipDescription) { self[relationship].watched = id }

    /// Records that the fault of a watched member fired.
    mutating func didFire(_ id: ObjectID) {
        for (key, traversal) in traversals where traversal.watched == id { traversals[key]?.watched = nil }
    }
}
