import StrataModel
import StrataStore

/// Rows that a store returned with references of objects, mostly in their order.
struct RowsOfReferences {
    private let rows: [Row]
    private var start = 0
    private var byReference: [Int64: Row]?

    init(_ rows: [Row]) { self.rows = rows }

    /// Returns the rows of the next references, as far as they exist, in their order.
    mutating func next(_ references: [ObjectReference]) -> [Row] {
        if byReference == nil, areNext(references) {
            defer { start += references.count }
            return Array(rows[start..<(start + references.count)])
        }
        let byReference = byReference ?? Dictionary(rows.map { ($0.reference, $0) }) { first, _ in first }
        self.byReference = byReference
        return references.compactMap { reference in
            byReference[reference.reference].flatMap { RowsOfReferences.isRow($0, of: reference) ? $0 : nil }
        }
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
