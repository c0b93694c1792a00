/// An expression in SQL with the kind of its values.
public struct SQLExpression<Dialect: SQLDialect>: Sendable {
    /// The expression, which needs no parentheses around it.
    public var sql: SQLText<Dialect>
    /// The kind of the values.
    public let kind: SlotKind
    /// The dialect's knowledge of the values besides.
    public var details: Dialect.ExpressionDetails
    /// Whether the expression is a column as it is.
    public var isColumn = false
    /// The root entity of the objects that the values are references of; `nil` for other values.
    public var root: EntityIndex?

    /// An expression with the properties of the same names.
    public init(_ sql: SQLText<Dialect>, kind: SlotKind, details: Dialect.ExpressionDetails) {
        self.sql = sql
        self.kind = kind
        self.details = details
    }

    /// Whether the values are integers.
    @inlinable public var isInteger: Bool { kind == .integer }
    /// Whether the values are numbers to calculate with.
    @inlinable public var isNumber: Bool { kind == .integer || kind == .double || kind == .float }
    /// Whether the values are texts.
    @inlinable public var isText: Bool { kind == .string || kind == .uri }
}
