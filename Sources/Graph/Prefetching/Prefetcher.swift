import StrataModel

/// The prefetching of a context: it detects traversals and groups of faults, and caches what was read ahead.
///
/// The ``RowLoader`` asks which other rows, or destinations, to read with those that an object needs, and adds them. It
/// reads nothing itself. ``PrefetchPolicy`` has the limits.
struct Prefetcher {
    var cache = PrefetchedRows()
    var traversals = Traversals()
    var groups = FetchGroups()
    var faults = FaultGroups()
    /// The faults that to-one relationships referenced.
    var reached = ReachedFaults()
    /// The members whose owners' relationships were read together without their rows.
    private var members: (ids: ObjectIDSet, relationship: RelationshipDescription)?
    /// The last only member of an object, which did not fire yet.
    var onlyMember: (id: ObjectID, relationship: RelationshipDescription)?
    var singleReads = SingleReads()
    /// The last destinations of to-one relationships, which are retained.
    var recent = RecentDestinations()

    mutating func reach(_ id: ObjectID, over relationship: RelationshipDescription, from owner: ManagedObject) {
        traversals.reach(id, over: relationship, from: owner)
        if !id.isTemporary { reached.add(id) }
    }

    mutating func willFire(_ id: ObjectID) {
        guard let known = onlyMember, known.id == id else { return }
        onlyMember = nil
        traversals.didReadMembers(of: known.relationship)
    }

    mutating func takeFaults(with id: ObjectID, _ identity: IdentityMap) -> [ManagedObject] {
        let (objects, relationship) = faults.take(with: id, identity)
        if !objects.isEmpty, let relationship { traversals.didReadMembers(of: relationship) }
        return objects
    }

    /// Records the members of several owners, whose rows were not read with them.
    mutating func keepMembers(_ ids: some Sequence<ObjectID>, of relationship: RelationshipDescription) {
        var members = ObjectIDSet()
        for id in ids { _ = members.insert(id) }
        self.members = members.isEmpty ? nil : (members, relationship)
    }

    /// Takes the other members that were read with one; none where it was not read with others.
    mutating func takeMembers(with id: ObjectID) -> [ObjectID] {
        guard members?.ids.remove(id) == true, let relationship = members?.relationship else { return [] }
        let ids = Array((members?.ids.ids ?? []).prefix(PrefetchPolicy.batchSize - 1))
        members?.ids.subtract(ids)
        if members?.ids.isEmpty == true { members = nil }
        traversals.didReadMembers(of: relationship)
        return ids
    }

    /// Returns the number of owners whose members to read with their rows: 0 where the rows are not used.
    ///
    /// - Parameter readers: The number of consecutive owners whose members fired that it takes.
    mutating func maximumOwnersWithRows(of relationship: RelationshipDescription, readers: Int = PrefetchPolicy.readersBeforeRows) -> Int {
        let maximum = traversals.maximumOwnersWithRows(of: relationship, readers)
        guard maximum > 0, traversals.watchedMember(of: relationship) != nil else { return maximum }
        traversals.ignoreRows(of: relationship)
        return 0
    }

    /// Records that the fault of a watched member fired.
    mutating func didFire(_ member: ObjectID) {
        traversals.didFire(member)
        cache.didFire(member)
    }

    /// Discards all cached rows, but not the records of traversals.
    mutating func forgetRows() {
        cache.removeAll()
        members = nil
        reached = ReachedFaults()
        groups = FetchGroups()
    }
}
