package import StrataModel
import StrataStore

/// Rows that were read with references of objects, mostly in their order.
///
/// References that follow the order take one comparison each. From the first one on that does not, an index finds the rows, so that
/// references without rows, and rows without references, take constant time.
package struct RowsOfReferences {
    private let rows: [Row]
    private var start = 0
    private var byReference: [Int64: Row]?

    package init(_ rows: [Row]) { self.rows = rows }

    /// Returns the row of the next reference; `nil` where there is none.
    package mutating func next(_ reference: Int64) -> Row? {
        if byReference == nil, start < rows.count, rows[start].reference == reference {
            defer { start += 1 }
            return rows[start]
        }
        return indexed()[reference]
    }

    /// Returns the rows of the next references, as far as they exist, in their order.
    mutating func next(_ references: [ObjectReference]) -> [Row] {
        if byReference == nil, areNext(references) {
            defer { start += references.count }
            return Array(rows[start..<(start + references.count)])
        }
        let byReference = indexed()
        return references.compactMap { reference in
            byReference[reference.reference].flatMap { RowsOfReferences.isRow($0, of: reference) ? $0 : nil }
        }
    }

    private mutating func indexed() -> [Int64: Row] {
        if let byReference { return byReference }
        let made = Dictionary(rows.map { ($0.reference, $0) }) { first, _ in first }
        byReference = made
        return made
    }

    private func areNext(_ references: [ObjectReference]) -> Bool {
        if start + references.count > rows.count { return false }
        for index in references.indices where !RowsOfReferences.isRow(rows[start + index], of: references[index]) { return false }
        return true
    }

    private static func isRow(_ row: Row, of reference: ObjectReference) -> Bool {
        row.reference == reference.reference && row.entityIndex == reference.entity
    }
}
