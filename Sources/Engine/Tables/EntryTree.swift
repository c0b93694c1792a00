/// The order of the entries of an ``EntryTree``.
protocol EntryOrder {
    associatedtype Entry: Sendable

    /// Returns whether an entry precedes another; two are the same entry where neither does.
    func precedes(_ a: Entry, _ b: Entry) -> Bool
}

/// A persistent B+ tree of sorted entries, whose nodes copies share until one of them changes.
///
/// The order is a parameter, as it may read rows. Looking up and changing cost O(log n), copying nothing.
struct EntryTree<Order: EntryOrder>: Sendable {
    typealias Entry = Order.Entry
    private var root = EntryNode<Order>()

    var count: Int { root.count }

    init() {}

    init(sorted entries: [Entry]) {
        let size = EntryNode<Order>.capacity * 3 / 4
        var level: [EntryNode<Order>] = stride(from: 0, to: entries.count, by: size).map { start in
            EntryNode(leaf: ContiguousArray(entries[start..<min(start + size, entries.count)]))
        }
        while level.count > 1 {
            level = stride(from: 0, to: level.count, by: size).map { start in
                EntryNode(children: ContiguousArray(level[start..<min(start + size, level.count)]))
            }
        }
        if let root = level.first { self.root = root }
    }

    /// Adds an entry, which replaces the same one.
    mutating func put(_ entry: Entry, _ order: Order) {
        if !isKnownUniquelyReferenced(&root) { root = EntryNode(copying: root) }
        if let sibling = root.put(entry, order) { root = EntryNode(children: [root, sibling]) }
    }

    mutating func remove(_ entry: Entry, _ order: Order) {
        if !isKnownUniquelyReferenced(&root) { root = EntryNode(copying: root) }
        root.remove(entry, order)
        while root.children.count == 1 { root = root.children[0] }
    }

    /// Returns the same entry, if present.
    func find(_ entry: Entry, _ order: Order) -> Entry? {
        let position = lowerBound { order.precedes($0, entry) }
        var found: Entry?
        forEach(in: position..<min(position + 1, count)) { candidate in
            if !order.precedes(entry, candidate) { found = candidate }
            return false
        }
        return found
    }

    /// Returns the number of leading entries for which `isBefore` holds; it must hold for none after one for which it
    /// does not.
    func lowerBound(_ isBefore: (Entry) -> Bool) -> Int { unsafe descend(isBefore).position }

    /// Returns the positions from the first entry for which `isBefore` does not hold to the first one for which
    /// `isBeforeEnd` does not; each must hold for no entry after one for which it does not.
    ///
    /// - Parameter visit: Called with the entries where they are few and in one leaf.
    /// - Returns: The positions, and whether the entries were visited.
    func range(
        from isBefore: (Entry) -> Bool, to isBeforeEnd: (Entry) -> Bool, visit: (ArraySlice<Entry>) -> Void
    ) -> (positions: Range<Int>, isVisited: Bool) {
        let (position, leaf, index) = unsafe descend(isBefore)
        return unsafe leaf._withUnsafeGuaranteedRef { leaf in
            // Most parts are small, and within one leaf.
            for next in index..<min(index + 8, leaf.entries.count) where !isBeforeEnd(leaf.entries[next]) {
                visit(leaf.entries[index..<next])
                return (position..<(position + next - index), true)
            }
            return (position..<max(position, lowerBound(isBeforeEnd)), false)
        }
    }

    /// Visits the entries from the first one for which `isBefore` does not hold to the first one for which
    /// `isBeforeEnd` does not, forward.
    func forEach(from isBefore: (Entry) -> Bool, to isBeforeEnd: (Entry) -> Bool, _ body: (Entry) -> Void) {
        let (positions, isVisited) = range(from: isBefore, to: isBeforeEnd) { entries in for entry in entries { body(entry) } }
        if isVisited { return }
        forEach(in: positions) { entry in
            body(entry)
            return true
        }
    }

    /// Returns the position of the first entry for which `isBefore` does not hold, with the leaf and the index in it.
    private func descend(_ isBefore: (Entry) -> Bool) -> (position: Int, leaf: Unmanaged<EntryNode<Order>>, index: Int) {
        var node = unsafe Unmanaged.passUnretained(root)
        var position = 0
        while true {
            // The tree retains the nodes, and does not change meanwhile.
            let (index, next): (Int, Unmanaged<EntryNode<Order>>?) = unsafe node._withUnsafeGuaranteedRef { node in
                let index = node.firstIndex(isBefore)
                if node.children.isEmpty { return (index, nil) }
                let child = min(index, node.children.count - 1)
                position += node.count(before: child)
                return unsafe (index, Unmanaged.passUnretained(node.children[child]))
            }
            guard let next = unsafe next else { return unsafe (position + index, node, index) }
            unsafe node = next
        }
    }

    /// Visits the entries at some positions, forward, until `body` returns false.
    func forEach(in range: Range<Int>, _ body: (Entry) throws -> Bool) rethrows {
        if !range.isEmpty { _ = try root.forEach(in: range, body) }
    }

    /// Visits the entries at some positions, backward, until `body` returns false.
    func forEachReversed(in range: Range<Int>, _ body: (Entry) throws -> Bool) rethrows {
        if !range.isEmpty { _ = try root.forEachReversed(in: range, body) }
    }
}

/// A node of an ``EntryTree``: a leaf with entries, or an inner node with the last entry of each child.
// Unchecked: only the one tree that has it changes a node, before another can.
final class EntryNode<Order: EntryOrder>: @unchecked Sendable {
    typealias Entry = Order.Entry
    static var capacity: Int { 128 }

    // Unchecked: no node changes while it is read, and a check for every step of a search costs more than the step.
    @safe @exclusivity(unchecked) private(set) var entries: ContiguousArray<Entry>
    @safe @exclusivity(unchecked) private(set) var children: ContiguousArray<EntryNode>
    /// The number of entries below each child, stored here so that skipping children does not read them.
    @safe @exclusivity(unchecked) private var counts: ContiguousArray<Int>
    /// The number of entries in the leaves.
    @safe @exclusivity(unchecked) private(set) var count: Int

    init() {
        entries = []
        children = []
        counts = []
        count = 0
    }

    init(copying other: EntryNode) {
        entries = other.entries
        children = other.children
        counts = other.counts
        count = other.count
    }

    init(leaf entries: ContiguousArray<Entry>) {
        self.entries = entries
        children = []
        counts = []
        count = entries.count
    }

    init(children: ContiguousArray<EntryNode>) {
        entries = ContiguousArray(children.compactMap(\.entries.last))
        self.children = children
        counts = ContiguousArray(children.map(\.count))
        count = counts.reduce(0, +)
    }

    func count(before child: Int) -> Int { unsafe counts.withUnsafeBufferPointer { unsafe $0[..<child].reduce(0, &+) } }

    /// Returns the index of the node's first entry for which `isBefore` does not hold.
    func firstIndex(_ isBefore: (Entry) -> Bool) -> Int {
        unsafe entries.withUnsafeBufferPointer { entries in
            var (low, high) = (0, entries.count)
            while low < high {
                let middle = (low &+ high) / 2
                if unsafe isBefore(entries[middle]) { low = middle &+ 1 } else { high = middle }
            }
            return low
        }
    }

    /// Returns the upper half as a new node where this one became too large.
    func put(_ entry: Entry, _ order: Order) -> EntryNode? {
        let index = firstIndex { order.precedes($0, entry) }
        if children.isEmpty {
            if index < entries.count, !order.precedes(entry, entries[index]) {
                entries[index] = entry
                return nil
            }
            if entries.isEmpty { entries.reserveCapacity(EntryNode.capacity + 1) }
            entries.insert(entry, at: index)
            count += 1
        } else {
            let child = min(index, children.count - 1)
            own(child)
            let before = counts[child]
            let sibling = children[child].put(entry, order)
            counts[child] = children[child].count
            count += counts[child] + (sibling?.count ?? 0) - before
            if let last = children[child].entries.last { entries[child] = last }
            if let sibling, let last = sibling.entries.last {
                children.insert(sibling, at: child + 1)
                counts.insert(sibling.count, at: child + 1)
                entries.insert(last, at: child + 1)
            }
        }
        return entries.count > EntryNode.capacity ? split(at: index) : nil
    }

    func remove(_ entry: Entry, _ order: Order) {
        let index = firstIndex { order.precedes($0, entry) }
        guard index < entries.count else { return }
        if children.isEmpty {
            if order.precedes(entry, entries[index]) { return }
            entries.remove(at: index)
            count -= 1
            return
        }
        own(index)
        let before = counts[index]
        children[index].remove(entry, order)
        counts[index] = children[index].count
        count += counts[index] - before
        guard let last = children[index].entries.last else {
            children.remove(at: index)
            counts.remove(at: index)
            entries.remove(at: index)
            return
        }
        entries[index] = last
        if index + 1 < children.count { merge(index) } else if index > 0 { merge(index - 1) }
    }

    func forEach(in range: Range<Int>, _ body: (Entry) throws -> Bool) rethrows -> Bool {
        if children.isEmpty {
            for entry in entries[range] where try !body(entry) { return false }
            return true
        }
        var start = 0
        for (child, count) in counts.enumerated() where start < range.upperBound {
            let own = range.clamped(to: start..<(start + count))
            if !own.isEmpty, try !children[child].forEach(in: (own.lowerBound - start)..<(own.upperBound - start), body) { return false }
            start += count
        }
        return true
    }

    func forEachReversed(in range: Range<Int>, _ body: (Entry) throws -> Bool) rethrows -> Bool {
        if children.isEmpty {
            for entry in entries[range].reversed() where try !body(entry) { return false }
            return true
        }
        var start = count
        for (child, count) in counts.enumerated().reversed() where start > range.lowerBound {
            start -= count
            let own = range.clamped(to: start..<(start + count))
            if !own.isEmpty, try !children[child].forEachReversed(in: (own.lowerBound - start)..<(own.upperBound - start), body) {
                return false
            }
        }
        return true
    }

    private func own(_ child: Int) {
        if !isKnownUniquelyReferenced(&children[child]) { children[child] = EntryNode(copying: children[child]) }
    }

    /// Splits in halves, or near the end where entries are appended.
    private func split(at index: Int) -> EntryNode {
        let middle = index >= entries.count - 2 ? entries.count * 7 / 8 : entries.count / 2
        let upper: EntryNode
        if children.isEmpty {
            upper = EntryNode(leaf: ContiguousArray(entries[middle...]))
        } else {
            upper = EntryNode(children: ContiguousArray(children[middle...]))
            children.removeSubrange(middle...)
            counts.removeSubrange(middle...)
        }
        entries.removeSubrange(middle...)
        count -= upper.count
        return upper
    }

    /// Joins a child with the next one where both are small.
    private func merge(_ index: Int) {
        let (left, right) = (children[index], children[index + 1])
        guard left.entries.count + right.entries.count <= EntryNode.capacity / 2 else { return }
        let joined = EntryNode()
        joined.entries = left.entries + right.entries
        joined.children = left.children + right.children
        joined.counts = left.counts + right.counts
        joined.count = left.count + right.count
        children[index] = joined
        counts[index] = joined.count
        entries[index] = entries[index + 1]
        children.remove(at: index + 1)
        counts.remove(at: index + 1)
        entries.remove(at: index + 1)
    }
}
