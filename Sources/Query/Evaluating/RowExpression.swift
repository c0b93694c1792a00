import StrataModel

/// An expression compiled to closures over row bytes.
///
/// Compile once, then compute over many rows on one thread. Objects are computed as their references, `.int`.
public struct RowExpression {
    let source: ResolvedExpression
    private let compute: (Row, any RowResolver) throws -> Value

    /// Compiles a resolved expression.
    public init(_ expression: ResolvedExpression) { compute = RowExpression.compile(expression); source = expression }

    /// The value for a row; `resolver` finds the rows that paths lead to and what it throws is thrown on.
    public func value(_ row: Row, _ resolver: any RowResolver) throws -> Value { try compute(row, resolver) }

    private static func compile(_ expression: ResolvedExpression) -> (Row, any RowResolver) throws -> Value {
        switch expression {
        case .constant(let value): return { _, _ in value }
        case .path(let path):
            return { row, resolver in
                guard let end = try RowPredicate.follow(path, from: row, resolver) else { return .null }
                guard let slot = path.leafSlot else { return .int(end.reference) }
                return end.value(slot, path.leafKind)
            }
        default: return { _, _ in .null }
        }
    }
}
