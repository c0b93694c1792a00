import StrataSQL

struct Column: Hashable, Sendable {
    var name: String
    /// The kind of the slot that the column stores.
    var kind: SlotKind
    /// The name of the attribute or relationship, for messages.
    var property: String
    /// Whether the value is tagged and may be in an external file.
    var isExternal: Bool
    /// Whether the column has an index of its own: that of a to-one relationship.
    var isIndexed: Bool
    /// Whether the table has the column; a missing one in a store of Core Data's reads as null.
    var isPresent = true
    /// Whether Core Data's stores lack the column: that of the owner's entity in a to-many relationship without inverse.
    var isOurs = false
}

extension Column: SQLColumn {
    func canBecome(_ other: Column) -> Bool { kind == other.kind && isExternal == other.isExternal }
    func takes(_ value: Value) -> Bool { SQLBinding(filling: value) != nil }
}

extension SQLBinding {
    /// A default value as a column stores it; `nil` for kinds that only ``RowBinder`` encodes.
    init?(filling value: Value) {
        switch value {
        case .int, .bool, .double, .date, .string: self.init(value)
        default: return nil
        }
        if !isFinite { return nil }
    }
}
