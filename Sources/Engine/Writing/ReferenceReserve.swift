/// Reserved primary keys (hi/lo), by the root of the entity hierarchy: not every save has to write the store's counter.
///
/// The stored counter is above all reserved references, so that another process reserves those that follow. A transaction works on a copy,
/// which the store keeps after the commit. It discards the reserve after another process wrote to the store.
public struct ReferenceReserve: Sendable {
    private struct Hierarchy {
        let root: EntityIndex
        var free: Range<Int64>
        /// The number of references reserved in advance.
        var ahead: Int64
    }

    // A list, which is searched: a save concerns few hierarchies. The first one is apart, as copying a list for a change would allocate memory.
    private var first: Hierarchy?
    private var others: [Hierarchy] = []

    /// More would leave gaps in the numbers of a store that is opened again and again, and save next to nothing.
    private static let greatestAhead: Int64 = 128

    /// Creates an empty reserve.
    public init() {}

    /// Reads or replaces what is reserved in a hierarchy.
    private subscript(root: EntityIndex) -> Hierarchy? {
        get { first?.root == root ? first : others.first { $0.root == root } }
        set {
            if first?.root == root {
                first = newValue ?? others.popLast()
            } else if let index = others.firstIndex(where: { $0.root == root }) {
                if let newValue { others[index] = newValue } else { others.remove(at: index) }
            } else if let newValue {
                if first == nil { first = newValue } else { others.append(newValue) }
            }
        }
    }

    /// Takes reserved references.
    ///
    /// - Returns: The first; `nil` where fewer are reserved.
    public mutating func take(_ count: Int, root: EntityIndex) -> Int64? {
        guard let free = self[root]?.free, Int64(count) <= free.upperBound - free.lowerBound else { return nil }
        self[root]?.free = (free.lowerBound + Int64(count))..<free.upperBound
        return free.lowerBound
    }

    /// Reserves references, from the second call on more than are needed, and takes those that are.
    ///
    /// - Parameters:
    ///   - count: How many references are taken.
    ///   - root: The root of the entity hierarchy.
    ///   - last: The value of the stored counter.
    /// - Returns: The first reference, and the new value of the counter; `nil` where the store has no reference left.
    public mutating func refill(_ count: Int, root: EntityIndex, after last: Int64) -> (first: Int64, last: Int64)? {
        let hierarchy = self[root]
        let rest = hierarchy.map { $0.free.upperBound - 1 == last ? $0.free.upperBound - $0.free.lowerBound : 0 } ?? 0
        let first = last - rest
        let (end, overflow) = first.addingReportingOverflow(Int64(count))
        guard count >= 0, !overflow, end < .max - ReferenceReserve.greatestAhead else { return nil }
        let ahead = hierarchy.map { min(max(1, 2 * $0.ahead), ReferenceReserve.greatestAhead) } ?? 0
        self[root] = Hierarchy(root: root, free: (end + 1)..<(end + 1 + ahead), ahead: ahead)
        return (first + 1, end + ahead)
    }

    /// Notes that a reference is in use.
    ///
    /// - Returns: Whether the stored counter is known to be at or above it.
    public mutating func note(_ reference: Int64, root: EntityIndex) -> Bool {
        guard let free = self[root]?.free else { return false }
        guard reference < free.upperBound else {
            self[root] = nil
            return false
        }
        if reference >= free.lowerBound { self[root]?.free = (reference + 1)..<free.upperBound }
        return true
    }
}
