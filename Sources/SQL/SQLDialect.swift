public import StrataModel

/// What one database's SQL has of its own: how names, parameters and texts are written, and the types of its schema.
public protocol SQLDialect: Sendable {
    /// A value that a parameter is bound to.
    associatedtype Binding: Sendable
    /// The name of a table.
    associatedtype TableName: Sendable, Hashable
    /// A column of an entity table.
    associatedtype Column: SQLColumn
    /// What an entity table has besides, `Void` for nothing.
    associatedtype TableDetails: Sendable
    /// What a join table has besides, `Void` for nothing.
    associatedtype JoinDetails: Sendable
    /// What a schema has besides, `Void` for nothing.
    associatedtype SchemaDetails: Sendable

    /// Whether placeholders are numbered: they are numbered anew when a statement is added to another.
    static var numbersPlaceholders: Bool { get }

    /// Appends the placeholder of a parameter; the first one has the number 1.
    static func append(placeholder number: Int, to text: inout String)
    /// Appends an identifier, in quotes where it needs them.
    static func append(identifier name: String, to text: inout String)
    /// Appends a text as a literal.
    static func append(literal value: String, to text: inout String)
    /// Adds the name of a table.
    static func add(_ table: TableName, to sql: inout SQLText<Self>)
}

/// A column of an entity table.
public protocol SQLColumn: Sendable, Hashable {
    /// The name.
    var name: String { get }
    /// The kind of the slot that the column holds.
    var kind: SlotKind { get }
    /// The name of the attribute or relationship.
    var property: String { get }
    /// Whether the table has the column, as it does unless another program made it.
    var isPresent: Bool { get }

    /// Whether the column becomes another one by statements that do not depend on the row.
    func canBecome(_ other: Self) -> Bool
    /// Whether a statement can give the column of many rows a value.
    func takes(_ value: Value) -> Bool
}
