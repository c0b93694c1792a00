import StrataSQL

struct Column: Hashable, Sendable {
    var name: String
    /// What the slot holds that the column belongs to.
    var kind: SlotKind
    /// The name of the attribute or relationship, for messages.
    var property: String
    /// Whether the value is tagged and may lie in a file of its own.
    var isExternal: Bool
    /// Whether the column is an index's by itself: that of a to-one relationship.
    var isIndexed: Bool
    /// Whether the column is in the table; one that a foreign store lacks reads as no value.
    var isPresent = true
    /// Whether Core Data's stores lack the column: that of the owner's entity in a to-many relationship without inverse.
    var isOurs = false
}

extension Column: SQLColumn {
    func canBecome(_ other: Column) -> Bool { kind == other.kind && isExternal == other.isExternal }
    func takes(_ value: Value) -> Bool { SQLBinding(filling: value) != nil }
}

extension SQLBinding {
    /// A default value as a column holds it; `nil` for one that takes more than a statement.
    init?(filling value: Value) {
        switch value {
        case .int, .bool, .double, .date, .string: self.init(value)
        default: return nil
        }
        if !isFinite { return nil }
    }
}
