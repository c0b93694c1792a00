/// A traversal of a tree in reading order that replaces expressions, for substitution, preparation, rebasing and
/// collecting names.
///
/// Parts nested too deep for a query stay as they are, for the resolver to reject.
struct QueryRewriter<Failure: Error> {
    /// Returns the replacement of an expression, `nil` to traverse its parts; it also gets the names that are bound
    /// there.
    typealias Replacement = (QueryExpression, _ bound: Set<String>) throws(Failure) -> QueryExpression?

    private let replacement: Replacement
    /// The names that no subquery may bind, as replacements have variables of these names.
    private let taken: Set<String>
    private var bound: Set<String> = []
    private var renamed: [String: String] = [:]
    private var depth = 0

    init(avoiding taken: Set<String> = [], _ replacement: @escaping Replacement) {
        self.taken = taken
        self.replacement = replacement
    }

    mutating func rewrite(_ predicate: QueryPredicate) throws(Failure) -> QueryPredicate {
        if depth == QueryPredicate.greatestDepth { return predicate }
        depth += 1
        defer { depth -= 1 }
        switch predicate {
        case .constant: return predicate
        case .and(let parts): return .and(try rewrite(parts))
        case .or(let parts): return .or(try rewrite(parts))
        case .not(let part): return .not(try rewrite(part))
        case .comparison(var comparison):
            comparison.left = try rewrite(comparison.left)
            comparison.right = try rewrite(comparison.right)
            return .comparison(comparison)
        }
    }

    private mutating func rewrite(_ parts: [QueryPredicate]) throws(Failure) -> [QueryPredicate] {
        var rewritten: [QueryPredicate] = []
        rewritten.reserveCapacity(parts.count)
        for part in parts { rewritten.append(try rewrite(part)) }
        return rewritten
    }

    private mutating func rewrite(_ parts: [QueryExpression]) throws(Failure) -> [QueryExpression] {
        var rewritten: [QueryExpression] = []
        rewritten.reserveCapacity(parts.count)
        for part in parts { rewritten.append(try rewrite(part)) }
        return rewritten
    }

    mutating func rewrite(_ expression: QueryExpression) throws(Failure) -> QueryExpression {
        if depth == QueryPredicate.greatestDepth { return expression }
        if let replacement = try replacement(expression, bound) { return replacement }
        depth += 1
        defer { depth -= 1 }
        switch expression {
        case .constant, .evaluatedObject, .keyPath, .anyKey: return expression
        case .variable(let name): return .variable(renamed[name] ?? name)
        case .path(let base, let path): return .path(try rewrite(base), path)
        case .list(let parts): return .listing(try rewrite(parts))
        case .function(let function, let parts): return .calling(function, try rewrite(parts))
        case .custom(let target, let selector, let parts): return .custom(try rewrite(target), selector, try rewrite(parts))
        case .conditional(let condition, let a, let b): return .conditional(try rewrite(condition), try rewrite(a), try rewrite(b))
        case .subquery(let base, let name, let condition): return try subquery(base, name, condition)
        case .combined(let operation, let a, let b): return .combined(operation, try rewrite(a), try rewrite(b))
        case .element(let base, .at(let index)): return .element(try rewrite(base), .at(try rewrite(index)))
        case .element(let base, let position): return .element(try rewrite(base), position)
        case .assignment(let name, let value):
            let value = try rewrite(value)
            bound.insert(name)
            renamed[name] = nil
            return .assignment(name, value)
        case .fetch(var fetch):
            if let predicate = fetch.predicate { fetch.predicate = try rewrite(predicate) }
            return .fetch(fetch)
        }
    }

    private mutating func subquery(
        _ base: QueryExpression, _ name: String, _ condition: QueryPredicate
    ) throws(Failure) -> QueryExpression {
        let base = try rewrite(base)
        let outer = (bound, renamed)
        bound.insert(name)
        var fresh: String?
        if taken.contains(name) {
            fresh = .freshVariable(besides: taken.union(condition.variableNames).union(renamed.values))
        }
        renamed[name] = fresh
        let rewritten = try rewrite(condition)
        // Not deferred: an error ends the traversal, and with two exits the optimizer generates code that it then
        // rejects.
        (bound, renamed) = outer
        return .subquery(base, variable: fresh ?? name, rewritten)
    }
}

extension QueryPredicate {
    /// Returns the predicate with expressions replaced where `body` returns one; else their parts are traversed.
    package func replacingExpressions(_ body: @escaping (QueryExpression) throws -> QueryExpression?) throws -> QueryPredicate {
        var rewriter = QueryRewriter<any Error> { part, _ in try body(part) }
        return try rewriter.rewrite(self)
    }
}

extension QueryExpression {
    /// Returns the expression with parts replaced where `body` returns one; else their parts are traversed.
    package func replacingExpressions(_ body: @escaping (QueryExpression) throws -> QueryExpression?) throws -> QueryExpression {
        var rewriter = QueryRewriter<any Error> { part, _ in try body(part) }
        return try rewriter.rewrite(self)
    }
}
