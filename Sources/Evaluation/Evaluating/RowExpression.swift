/// An expression compiled to closures over row bytes.
///
/// Compile once, then compute over many rows on one thread. Objects are computed as their references, `.int`; `now()`
/// is the moment of compiling.
public struct RowExpression {
    private let compute: CompiledValue
    private let frame: EvaluationFrame

    /// Compiles a resolved expression.
    ///
    /// - Parameters:
    ///   - expression: The expression, resolved for the entity of the rows.
    ///   - keepsObjects: Whether objects are computed as their IDs.
    public init(_ expression: ResolvedExpression, keepsObjects: Bool = false) {
        var scope = EvaluationScope.rows()
        var compiled = scope.compile(expression)
        if scope.frame.isMixed {
            scope = EvaluationScope.tuples()
            compiled = scope.compile(expression)
        }
        let compute = compiled
        frame = scope.frame
        self.compute = expression.yieldsObjects && !keepsObjects ? { try compute($0, $1).withReferences } : compute
    }

    /// Returns the value for a row; `resolver` finds the rows at the ends of paths.
    ///
    /// - Throws: What the resolver throws; `QueryError` for values that a function cannot take; what a registered
    ///   function throws.
    public func value(_ row: Row, _ resolver: any RowResolver) throws -> Value { try compute(row, resolver) }

    /// Returns the value for a tuple of columns; nil for an expression over rows.
    ///
    /// - Throws: As ``value(_:_:)``.
    public func value(tuple: [Value]) throws -> Value {
        if frame.readsRow { return .null }
        frame.tuple = tuple
        return try compute(NoRows.row, NoRows())
    }
}

extension ResolvedExpression {
    fileprivate var yieldsObjects: Bool {
        switch self {
        case .constant, .entityName, .column, .custom: false
        case .path(let path): path.objectEntity != nil
        case .element(_, _, let value), .values(_, let value, _): value.yieldsObjects
        case .aggregate(_, _, let value): value?.yieldsObjects ?? false
        case .conditional(_, let a, let b), .combined(_, let a, let b): a.yieldsObjects || b.yieldsObjects
        case .list(let parts), .function(_, let parts): parts.contains(where: \.yieldsObjects)
        }
    }
}

extension Value {
    var withReferences: Value {
        switch self {
        case .objectID(let id): .int(id.reference)
        case .list(let values): .list(values.map(\.withReferences))
        default: self
        }
    }
}
