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
    /// The members that were read last, which fire together.
    private(set) var blocks: [LoadedMembers] = []
    /// The objects whose rows in the blocks are outdated.
    private(set) var outdated: Set<ObjectID> = []
    /// The last destinations of to-one relationships.
    var recent = RecentDestinations()
    var lastDestinations = LastDestinations()
    var singleReads = SingleReads()

    mutating func reach(_ id: ObjectID, over relationship: RelationshipDescription, from owner: ManagedObject) {
        traversals.reach(id, over: relationship, from: owner)
        if !id.isTemporary { reached.add(id) }
    }

    mutating func takeFaults(with id: ObjectID, _ identity: IdentityMap) -> [ManagedObject] {
        let (objects, relationship) = faults.take(with: id, identity)
        if !objects.isEmpty, let relationship { traversals.didReadMembers(of: relationship) }
        return objects
    }

    /// Records members that were read.
    mutating func add(_ block: LoadedMembers) {
        if block.ids.isEmpty { return }
        if blocks.count == PrefetchPolicy.maximumBlocks { blocks.removeFirst().forgetRows() }
        blocks.append(block)
        reserve(block.hasRows ? block.ids.count : 0, for: block)
    }

    /// Discards the rows of other blocks where, with those to be added to one, they are too many.
    func reserve(_ count: Int, for block: LoadedMembers) {
        let others = blocks.lazy.filter { $0 !== block && $0.hasRows }
        if others.reduce(count, { $0 + $1.ids.count }) > PrefetchPolicy.maximumRows { for other in others { other.forgetRows() } }
    }

    func has(_ block: LoadedMembers) -> Bool { blocks.contains { $0 === block } }

    /// Returns the row that waits for a member.
    @inline(__always)
    func row(at index: Int, of block: LoadedMembers) -> Row? {
        guard let row = block.row(at: index) else { return nil }
        return !outdated.isEmpty && outdated.contains(block.ids[index]) ? nil : row
    }

    /// Removes the row of a member whose fault fires: an object that is made again reads its current row.
    func didUseRow(of id: ObjectID) {
        for block in blocks.reversed() where block.hasRows && block.mayHold(id) {
            if let index = block.index(of: id), block.takeRow(at: index) != nil { return }
        }
    }

    /// Adds the row of a member that was read for it.
    mutating func put(_ row: Row, at index: Int, of block: LoadedMembers) {
        block.put(row, at: index)
        if !outdated.isEmpty { outdated.remove(block.ids[index]) }
    }

    /// Discards the cached row of an object, and all cached destinations, which may include it.
    mutating func forgetRow(of id: ObjectID) {
        cache.remove(id)
        if blocks.contains(where: \.hasRows) { outdated.insert(id) }
    }

    /// Returns the number of owners whose members to read with their rows: 0 where the rows are not used.
    mutating func maximumOwnersWithRows(of relationship: RelationshipDescription) -> Int {
        let maximum = traversals.maximumOwnersWithRows(of: relationship)
        guard maximum > 0, let watched = traversals.watchedMember(of: relationship), cache.isRowWaiting(of: watched) else { return maximum }
        traversals.ignoreRows(of: relationship)
        return 0
    }

    /// Discards all cached rows, but not the records of traversals.
    mutating func forgetRows() {
        cache.removeAll()
        for block in blocks { block.forgetRows() }
        outdated = []
        reached = ReachedFaults()
        groups = FetchGroups()
        lastDestinations = LastDestinations()
    }
}
