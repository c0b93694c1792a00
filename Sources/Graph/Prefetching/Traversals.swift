import StrataModel

/// The relationships that a program follows from one object after the other: from the second object on, what others of
/// these objects reference is read with it.
struct Traversals {
    /// The fault that an object's to-one relationship referenced last, and the object's scope.
    private var reached: (id: ObjectID, relationship: RelationshipDescription, scope: ObjectIDScope)?
    /// The relationships that cost a round trip for a single object.
    private var traversals: [ObjectIdentifier: Traversal] = [:]

    private struct Traversal {
        /// How many objects' destinations were read alone since others' were read ahead.
        var length = 0
        /// From which length on others' are read ahead.
        var next = PrefetchPolicy.traversalLength
        /// How many round trips there were in all.
        var count = 0
        /// How many owners' members fired, one owner after the other, since the rows of members were left unread.
        var readers = 0
        /// The most members that an owner had.
        var mostMembers = 1
        /// One of the members that were read with their rows last: while its row waits for its fault, the rows are not
        /// used.
        var watched: ObjectID?
    }

    // MARK: - To one

    mutating func reach(_ id: ObjectID, over relationship: RelationshipDescription, from owner: ManagedObject) {
        reached = (id, relationship, owner.objectID.scope)
    }

    /// Returns the relationship that referenced a fault, with the scope of the object that it was followed from.
    func relationship(to id: ObjectID) -> (relationship: RelationshipDescription, scope: ObjectIDScope)? {
        guard let reached, reached.id == id else { return nil }
        return (reached.relationship, reached.scope)
    }

    /// Returns whether to read ahead what others reference, as one more object's relationship costs a round trip.
    mutating func continues(over relationship: RelationshipDescription) -> Bool {
        let key = ObjectIdentifier(relationship)
        traversals[key, default: Traversal()].length += 1
        return traversals[key].map { $0.length >= $0.next } ?? false
    }

    /// Records for how many others something was read ahead.
    mutating func didReadAhead(_ count: Int, over relationship: RelationshipDescription) {
        let key = ObjectIdentifier(relationship)
        let isWorthIt = count >= PrefetchPolicy.minimumYield
        traversals[key, default: Traversal()].length = isWorthIt ? 1 : 0
        traversals[key, default: Traversal()].next =
            isWorthIt ? PrefetchPolicy.traversalLength : 2 * (traversals[key]?.next ?? PrefetchPolicy.traversalLength)
    }

    // MARK: - To many

    /// Records a round trip for the members of an owner.
    ///
    /// - Returns: Whether it is not the first.
    mutating func follow(_ relationship: RelationshipDescription) -> Bool {
        let key = ObjectIdentifier(relationship)
        traversals[key, default: Traversal()].count += 1
        return traversals[key].map { $0.count > 1 } ?? false
    }

    /// Records how many members owners have.
    mutating func didLoad(_ members: [[ObjectID]], of relationship: RelationshipDescription) {
        let key = ObjectIdentifier(relationship)
        let most = members.reduce(traversals[key]?.mostMembers ?? 1) { max($0, $1.count) }
        traversals[key, default: Traversal()].mostMembers = most
    }

    /// Records that members fired that were read without their rows.
    mutating func didReadMembers(of relationship: RelationshipDescription) {
        traversals[ObjectIdentifier(relationship), default: Traversal()].readers += 1
    }

    /// Returns how many owners' members may be read in one round trip.
    func maximumOwners(of relationship: RelationshipDescription) -> Int {
        let members = traversals[ObjectIdentifier(relationship)]?.mostMembers ?? 1
        return min(PrefetchPolicy.batchSize, PrefetchPolicy.maximumRows / members)
    }

    /// Returns how many owners' members to read with their rows: none where members do not fire.
    func maximumOwnersWithRows(of relationship: RelationshipDescription) -> Int {
        guard let traversal = traversals[ObjectIdentifier(relationship)], traversal.readers >= PrefetchPolicy.readersBeforeRows else {
            return 0
        }
        return PrefetchPolicy.batchSize / traversal.mostMembers
    }

    /// One of the members that were read with their rows last.
    func watchedMember(of relationship: RelationshipDescription) -> ObjectID? { traversals[ObjectIdentifier(relationship)]?.watched }

    /// Records that the rows of members are not used.
    mutating func ignoreRows(of relationship: RelationshipDescription) {
        traversals[ObjectIdentifier(relationship)]?.readers = 0
        traversals[ObjectIdentifier(relationship)]?.watched = nil
    }

    /// Watches whether the row of a member is used that was read with it.
    mutating func watch(_ id: ObjectID?, of relationship: RelationshipDescription) {
        traversals[ObjectIdentifier(relationship)]?.watched = id
    }
}
