/// The position of a row in a file of a store that writes rows in their order.
public struct RowPosition: Comparable {
    /// The index of the row's table: an entity, or the root of a hierarchy.
    let table: EntityIndex
    let reference: Int64

    /// Creates the position of a row.
    public init(_ table: EntityIndex, _ reference: Int64) {
        self.table = table
        self.reference = reference
    }

    public static func < (a: RowPosition, b: RowPosition) -> Bool {
        a.table == b.table ? a.reference < b.reference : a.table < b.table
    }
}

/// Divides rows, or changes of rows, into a few ranges that are each in the order of the file: then they need not be sorted.
///
/// - Parameters:
///   - count: The number of rows.
///   - position: Returns the position of the row at an index.
/// - Returns: The ranges in the order of the file; `nil` where there are too many, or two overlap.
/// - Throws: What `position` throws.
/// - Complexity: O(n).
public func orderedRuns(_ count: Int, _ position: (Int) throws -> RowPosition) rethrows -> [Range<Int>]? {
    let most = 16
    if count == 0 { return [] }
    var runs: [(range: Range<Int>, first: RowPosition, last: RowPosition)] = []
    var start = 0
    var first = try position(0)
    var last = first
    for index in 1..<count {
        let next = try position(index)
        if next < last {
            if runs.count == most - 1 { return nil }
            runs.append((start..<index, first, last))
            (start, first) = (index, next)
        }
        last = next
    }
    if runs.isEmpty { return [0..<count] }
    runs.append((start..<count, first, last))
    runs.sort { $0.first < $1.first }
    for (run, next) in zip(runs, runs.dropFirst()) where next.first < run.last { return nil }
    return runs.map(\.range)
}
