import StrataModel

extension QueryPredicate {
    /// The predicate with variables replaced by values; those without a value stay.
    ///
    /// A name that a SUBQUERY or an assignment binds is left alone where it is bound.
    public func withSubstitutionVariables(_ variables: [String: any QueryArgument]) -> QueryPredicate {
        var replacement = VariableReplacement { variables[$0]?.queryExpression }
        return replacement.replace(in: self)
    }

    /// The names of the variables that a value is needed for: those that no SUBQUERY and no assignment binds.
    public var variables: Set<String> {
        var replacement = VariableReplacement { _ in nil }
        _ = replacement.replace(in: self)
        return replacement.free
    }
}

extension QueryExpression {
    /// The expression with variables replaced by values; those without a value stay.
    ///
    /// A name that a SUBQUERY or an assignment binds is left alone where it is bound.
    public func withSubstitutionVariables(_ variables: [String: any QueryArgument]) -> QueryExpression {
        var replacement = VariableReplacement { variables[$0]?.queryExpression }
        return replacement.replace(in: self)
    }

    /// The names of the variables that a value is needed for: those that no SUBQUERY and no assignment binds.
    public var variables: Set<String> {
        var replacement = VariableReplacement { _ in nil }
        _ = replacement.replace(in: self)
        return replacement.free
    }
}

/// Replaces free variables, in reading order: an assignment binds its name in what follows it.
private struct VariableReplacement {
    let replacement: (String) -> QueryExpression?
    private var bound: Set<String> = []
    /// The names that were met where nothing bound them.
    private(set) var free: Set<String> = []

    init(_ replacement: @escaping (String) -> QueryExpression?) { self.replacement = replacement }

    mutating func replace(in predicate: QueryPredicate) -> QueryPredicate {
        switch predicate {
        case .constant: return predicate
        case .and(let parts): return .and(replace(in: parts))
        case .or(let parts): return .or(replace(in: parts))
        case .not(let part): return .not(replace(in: part))
        case .comparison(var comparison):
            comparison.left = replace(in: comparison.left)
            comparison.right = replace(in: comparison.right)
            return .comparison(comparison)
        }
    }

    private mutating func replace(in parts: [QueryPredicate]) -> [QueryPredicate] {
        var replaced: [QueryPredicate] = []
        for part in parts { replaced.append(replace(in: part)) }
        return replaced
    }

    private mutating func replace(in expressions: [QueryExpression]) -> [QueryExpression] {
        var replaced: [QueryExpression] = []
        for expression in expressions { replaced.append(replace(in: expression)) }
        return replaced
    }

    mutating func replace(in expression: QueryExpression) -> QueryExpression {
        switch expression {
        case .constant, .evaluatedObject, .keyPath, .anyKey: return expression
        case .variable(let name):
            if bound.contains(name) { return expression }
            free.insert(name)
            return replacement(name) ?? expression
        case .path(let base, let path): return .path(replace(in: base), path)
        case .list(let elements): return .listing(replace(in: elements))
        case .function(let function, let arguments): return .calling(function, replace(in: arguments))
        case .custom(let target, let selector, let arguments):
            return .custom(replace(in: target), selector, replace(in: arguments))
        case .conditional(let condition, let first, let second):
            return .conditional(replace(in: condition), replace(in: first), replace(in: second))
        case .subquery(let collection, let variable, let condition):
            let collection = replace(in: collection)
            let outer = bound
            bound.insert(variable)
            defer { bound = outer }
            return .subquery(collection, variable: variable, replace(in: condition))
        case .combined(let operation, let left, let right):
            return .combined(operation, replace(in: left), replace(in: right))
        case .element(let base, .at(let index)): return .element(replace(in: base), .at(replace(in: index)))
        case .element(let base, let place): return .element(replace(in: base), place)
        case .assignment(let name, let value):
            let value = replace(in: value)
            bound.insert(name)
            return .assignment(name, value)
        case .fetch(var fetch):
            fetch.predicate = fetch.predicate.map { replace(in: $0) }
            return .fetch(fetch)
        }
    }
}
