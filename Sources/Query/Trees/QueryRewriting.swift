extension QueryPredicate {
    /// The predicate with expressions replaced: each for which `body` answers one, else the parts of it.
    ///
    /// - Parameter depth: How deep the walk goes; what is nested deeper stays, for the resolver to refuse.
    package func replacingExpressions(
        depth: Int = QueryPredicate.greatestDepth, _ body: (QueryExpression) throws -> QueryExpression?
    ) throws -> QueryPredicate {
        if depth == 0 { return self }
        switch self {
        case .constant: return self
        case .and(let parts): return .and(try parts.map { try $0.replacingExpressions(depth: depth - 1, body) })
        case .or(let parts): return .or(try parts.map { try $0.replacingExpressions(depth: depth - 1, body) })
        case .not(let part): return .not(try part.replacingExpressions(depth: depth - 1, body))
        case .comparison(var comparison):
            comparison.left = try comparison.left.replacingExpressions(depth: depth - 1, body)
            comparison.right = try comparison.right.replacingExpressions(depth: depth - 1, body)
            return .comparison(comparison)
        }
    }
}

extension QueryExpression {
    /// The expression with parts replaced: each for which `body` answers one, else the parts of it.
    ///
    /// - Parameter depth: How deep the walk goes; what is nested deeper stays, for the resolver to refuse.
    package func replacingExpressions(
        depth: Int = QueryPredicate.greatestDepth, _ body: (QueryExpression) throws -> QueryExpression?
    ) throws -> QueryExpression {
        if depth == 0 { return self }
        if let replacement = try body(self) { return replacement }
        func replace(_ part: QueryExpression) throws -> QueryExpression { try part.replacingExpressions(depth: depth - 1, body) }
        switch self {
        case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: return self
        case .path(let base, let path): return .path(try replace(base), path)
        case .list(let parts): return .list(try parts.map(replace))
        case .function(let function, let parts): return .function(function, try parts.map(replace))
        case .custom(let target, let selector, let parts): return .custom(try replace(target), selector, try parts.map(replace))
        case .conditional(let condition, let a, let b):
            return .conditional(try condition.replacingExpressions(depth: depth - 1, body), try replace(a), try replace(b))
        case .subquery(let base, let name, let condition):
            return .subquery(try replace(base), variable: name, try condition.replacingExpressions(depth: depth - 1, body))
        case .combined(let operation, let a, let b): return .combined(operation, try replace(a), try replace(b))
        case .element(let base, .at(let index)): return .element(try replace(base), .at(try replace(index)))
        case .element(let base, let position): return .element(try replace(base), position)
        case .assignment(let name, let value): return .assignment(name, try replace(value))
        case .fetch(var fetch):
            fetch.predicate = try fetch.predicate?.replacingExpressions(depth: depth - 1, body)
            return .fetch(fetch)
        }
    }
}
