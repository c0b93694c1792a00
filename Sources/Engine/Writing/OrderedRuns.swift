package import StrataModel

/// The position of a row in a file, where adjacent rows are written together.
package struct RowPosition: Comparable {
    /// The index of the row's table, as the store numbers its tables.
    package let table: EntityIndex
    package let reference: Int64

    package init(_ table: EntityIndex, _ reference: Int64) {
        self.table = table
        self.reference = reference
    }

    package static func < (a: RowPosition, b: RowPosition) -> Bool {
        a.table == b.table ? a.reference < b.reference : a.table < b.table
    }
}

/// Returns a few sorted runs of rows, or changes of rows, in the order of the file: then nothing has to be sorted or
/// copied.
///
/// - Returns: The runs; `nil` where there are too many, or they overlap.
/// - Complexity: O(n).
package func orderedRuns(_ count: Int, _ position: (Int) throws -> RowPosition) rethrows -> [Range<Int>]? {
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
    runs.append((start..<count, first, last))
    runs.sort { $0.first < $1.first }
    for (run, next) in zip(runs, runs.dropFirst()) where next.first < run.last { return nil }
    return runs.map(\.range)
}
