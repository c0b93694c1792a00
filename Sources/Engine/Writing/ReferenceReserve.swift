package import StrataModel

/// References that a store set aside ahead of time, by the root of their tree: not every save has to write the store's counter.
///
/// The counter stands behind what is set aside, so that whoever reads it goes on from there. A transaction works on a copy, which the store
/// keeps once it is committed, and forgets when somebody else wrote to the store: that may have been a save that was under way, whose
/// references are among those set aside.
package struct ReferenceReserve: Sendable {
    private struct Tree {
        var free: Range<Int64>
        /// How many were set aside besides those that were asked for.
        var ahead: Int64
    }

    private var trees: [EntityIndex: Tree] = [:]

    /// More would make gaps in the numbers of a store that is opened again and again, and spare next to nothing.
    private static let greatestAhead: Int64 = 128

    package init() {}

    /// Takes references that are set aside.
    ///
    /// - Returns: The first; `nil` where there are not as many.
    package mutating func take(_ count: Int, root: EntityIndex) -> Int64? {
        guard let tree = trees[root], Int64(count) <= tree.free.upperBound - tree.free.lowerBound else { return nil }
        trees[root]?.free = (tree.free.lowerBound + Int64(count))..<tree.free.upperBound
        return tree.free.lowerBound
    }

    /// Sets references aside, from the second time on more than are asked for, and takes those.
    ///
    /// - Parameter last: Where the counter stands.
    /// - Returns: The first reference, and where the counter is to stand; `nil` where there are none left.
    package mutating func refill(_ count: Int, root: EntityIndex, after last: Int64) -> (first: Int64, last: Int64)? {
        let tree = trees[root]
        let rest = tree.map { $0.free.upperBound - 1 == last ? $0.free.upperBound - $0.free.lowerBound : 0 } ?? 0
        let first = last - rest
        let (end, overflow) = first.addingReportingOverflow(Int64(count))
        guard count >= 0, !overflow, end < .max - ReferenceReserve.greatestAhead else { return nil }
        let ahead = tree.map { min(max(1, 2 * $0.ahead), ReferenceReserve.greatestAhead) } ?? 0
        trees[root] = Tree(free: (end + 1)..<(end + 1 + ahead), ahead: ahead)
        return (first + 1, end + ahead)
    }

    /// Records a reference that is in use.
    ///
    /// - Returns: Whether the counter is known to stand behind it.
    package mutating func note(_ reference: Int64, root: EntityIndex) -> Bool {
        guard let tree = trees[root] else { return false }
        guard reference < tree.free.upperBound else {
            trees[root] = nil
            return false
        }
        if reference >= tree.free.lowerBound { trees[root]?.free = (reference + 1)..<tree.free.upperBound }
        return true
    }
}
