import StrataSQL

struct Column: Sendable, Hashable {
    let name: String
    /// The kind of the slot that the column stores.
    let kind: SlotKind
    /// The name of the attribute or relationship, for messages.
    let property: String

    var type: ColumnType { ColumnType(kind) }
}

extension Column: SQLColumn {
    func canBecome(_ other: Column) -> Bool {
        switch (kind, other.kind) {
        case _ where kind == other.kind, (.float, .double), (.uri, .string): true
        // Conversions without loss of an inferred mapping: the server converts the same way.
        case (.boolean, .integer), (.integer, .float), (.integer, .double), (.integer, .decimal), (.uuid, .string): true
        default: false
        }
    }

    /// Returns the expression that converts values of this column for another one; `nil` where they stay as they are.
    func conversion(to other: Column) -> SQLText? {
        if type == other.type { return nil }
        switch (type, other.type) {
        case (.uuid, .text): return "pg_catalog.upper(\(identifier: other.name)::text)::\(other.type)"
        case (.boolean, _): return "\(identifier: other.name)::integer::\(other.type)"
        default: return "\(identifier: other.name)::\(other.type)"
        }
    }

    func takes(_ value: Value) -> Bool {
        switch (kind, value) {
        case (.string, .string(let text)): !text.utf8.contains(0)
        case (.integer, .int), (.boolean, .bool), (.double, .double), (.float, .double), (.date, .date), (.decimal, .decimal),
            (.uuid, .uuid):
            true
        default: false
        }
    }
}
