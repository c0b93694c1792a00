import StrataStore

@testable import StrataEngine

extension Row {
    /// A row without values.
    static func empty(_ reference: Int64, version: UInt32 = 1) -> Row {
        var writer = RowWriter(forOneRowOf: 32)
        writer.begin(RowLayout(slots: []), entityIndex: 0, reference: reference, version: version)
        return writer.finish()
    }
}

extension RowTable {
    /// The references of all rows, in order.
    var references: [Int64] {
        var references: [Int64] = []
        forEach { row in
            references.append(row.reference)
            return true
        }
        return references
    }
}
