import StrataModel

/// What a context reads before it is asked for: it recognizes traversals and groups of faults, and keeps what was read
/// ahead.
///
/// The ``RowLoader`` asks it which other rows, or destinations, to read with those that an object needs, and gives it
/// what came with these. It reads nothing itself. ``PrefetchPolicy`` has the limits.
struct Prefetcher {
    /// The rows and destinations that were read ahead, or prefetched by a fetch.
    var cache = PrefetchedRows()
    /// The relationships that the program follows from one object after the other.
    var traversals = Traversals()
    /// The objects that were read together.
    var groups = FetchGroups()
    /// The faults that were read together, in order to fire together.
    private var faults = FaultGroups()
    /// The faults that to-one relationships referenced.
    private var reached = ReachedFaults()
    /// The members whose owners' relationships were read together, and which were not read with their rows.
    private var members: (ids: ObjectIDSet, relationship: RelationshipDescription)?
    /// The only member of an object that was read last, which did not fire yet.
    private var onlyMember: (id: ObjectID, relationship: RelationshipDescription)?
    /// The round trips that read one object each.
    var singleReads = SingleReads()

    // MARK: - Faults

    /// Records a fault that an object's to-one relationship references.
    mutating func reach(_ id: ObjectID, over relationship: RelationshipDescription, from owner: ManagedObject) {
        traversals.reach(id, over: relationship, from: owner)
        if !id.isTemporary { reached.add(id) }
    }

    /// Takes out the references of the faults that to-one relationships referenced, as one of them fires.
    mutating func takeReached(with id: ObjectID) -> [Int64] { reached.take(with: id) }

    /// Records that a fault fires.
    mutating func willFire(_ id: ObjectID) {
        guard let known = onlyMember, known.id == id else { return }
        onlyMember = nil
        traversals.didReadMembers(of: known.relationship)
    }

    /// Records faults that were read together, as the members of a relationship where there is one.
    mutating func addFaults(_ objects: [ManagedObject], of relationship: RelationshipDescription?) {
        faults.add(objects, of: relationship)
    }

    /// Takes out the faults to fire with an object, of those that were read together.
    mutating func takeFaults(with id: ObjectID, _ identity: IdentityMap) -> [ManagedObject] {
        let (objects, relationship) = faults.take(with: id, identity)
        if !objects.isEmpty, let relationship { traversals.didReadMembers(of: relationship) }
        return objects
    }

    // MARK: - Members

    /// Records the only member of an object's relationship, whose row is not here.
    mutating func noteOnlyMember(_ id: ObjectID, of relationship: RelationshipDescription) { onlyMember = (id, relationship) }

    /// Keeps the members of several owners, whose rows were not read with them.
    mutating func keepMembers(_ ids: some Sequence<ObjectID>, of relationship: RelationshipDescription) {
        var members = ObjectIDSet()
        for id in ids { _ = members.insert(id) }
        self.members = members.isEmpty ? nil : (members, relationship)
    }

    /// Takes out members that were read with one, without that one; none where it was not read with others.
    mutating func takeMembers(with id: ObjectID) -> [ObjectID] {
        guard members?.ids.remove(id) == true, let relationship = members?.relationship else { return [] }
        let ids = Array((members?.ids.ids ?? []).prefix(PrefetchPolicy.batchSize - 1))
        members?.ids.subtract(ids)
        if members?.ids.isEmpty == true { members = nil }
        traversals.didReadMembers(of: relationship)
        return ids
    }

    /// Returns how many owners' members to read with their rows: none where the rows are not used.
    mutating func maximumOwnersWithRows(of relationship: RelationshipDescription) -> Int {
        let maximum = traversals.maximumOwnersWithRows(of: relationship)
        guard maximum > 0, let watched = traversals.watchedMember(of: relationship), cache.isRowWaiting(of: watched) else { return maximum }
        traversals.ignoreRows(of: relationship)
        return 0
    }

    // MARK: - Invalidation

    /// Forgets the row of an object, and all destinations: the object may have been among any.
    mutating func forgetRow(of id: ObjectID) { cache.remove(id) }

    /// Forgets what was read ahead of all objects; what is known of traversals stays.
    mutating func forgetRows() {
        cache.removeAll()
        members = nil
        reached = ReachedFaults()
        groups = FetchGroups()
    }
}
