import StrataModel

extension QueryPredicate {
    /// The same condition about another expression's object: key paths and `SELF` start from `base` instead of the fetched object.
    ///
    /// Variables that the predicate binds are renamed where they would capture one of `base`.
    public func rebased(onto base: QueryExpression) -> QueryPredicate {
        var taken: Set<String> = []
        base.collectVariables(into: &taken)
        return Rebasing(base: base, taken: taken).rebase(self)
    }

    /// The names of all variables, bound, free and assigned.
    public var variableNames: Set<String> {
        var names: Set<String> = []
        collectVariables(into: &names)
        return names
    }

    fileprivate func collectVariables(into names: inout Set<String>) {
        switch self {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { part.collectVariables(into: &names) }
        case .not(let part): part.collectVariables(into: &names)
        case .comparison(let comparison):
            comparison.left.collectVariables(into: &names)
            comparison.right.collectVariables(into: &names)
        }
    }
}

extension QueryExpression {
    /// The elements of a collection that meet a condition about themselves: a subquery with a variable that nothing else is called.
    public static func elements(of collection: QueryExpression, where condition: QueryPredicate) -> QueryExpression {
        var taken = condition.variableNames
        collection.collectVariables(into: &taken)
        let name = String.freshVariable(besides: taken)
        return .subquery(collection, variable: name, condition.rebased(onto: .variable(name)))
    }

    /// The value at the end of a path from this expression's value.
    public func appending(_ path: String) -> QueryExpression {
        switch self {
        case .evaluatedObject: .keyPath(path)
        case .keyPath(let start): .keyPath(start + "." + path)
        case .path(let base, let start): .path(base, start + "." + path)
        default: .path(self, path)
        }
    }

    fileprivate func collectVariables(into names: inout Set<String>) {
        switch self {
        case .constant, .evaluatedObject, .keyPath, .anyKey: break
        case .variable(let name): names.insert(name)
        case .path(let base, _): base.collectVariables(into: &names)
        case .list(let parts), .function(_, let parts): for part in parts { part.collectVariables(into: &names) }
        case .custom(let target, _, let parts): for part in [target] + parts { part.collectVariables(into: &names) }
        case .conditional(let condition, let a, let b):
            condition.collectVariables(into: &names)
            a.collectVariables(into: &names)
            b.collectVariables(into: &names)
        case .subquery(let collection, let variable, let condition):
            names.insert(variable)
            collection.collectVariables(into: &names)
            condition.collectVariables(into: &names)
        case .combined(_, let a, let b):
            a.collectVariables(into: &names)
            b.collectVariables(into: &names)
        case .element(let collection, let position):
            collection.collectVariables(into: &names)
            if case .at(let index) = position { index.collectVariables(into: &names) }
        case .assignment(let name, let value):
            names.insert(name)
            value.collectVariables(into: &names)
        case .fetch(let fetch): fetch.predicate?.collectVariables(into: &names)
        }
    }
}

extension String {
    /// `x`, or the first of `x1`, `x2`, … that is not taken.
    static func freshVariable(besides taken: Set<String>) -> String {
        if !taken.contains("x") { return "x" }
        return (1...).lazy.map { "x\($0)" }.first { !taken.contains($0) } ?? "x"
    }
}

private struct Rebasing {
    let base: QueryExpression
    /// The variables of the base.
    let taken: Set<String>
    /// The new names of bound variables.
    var renamed: [String: String] = [:]

    func rebase(_ predicate: QueryPredicate) -> QueryPredicate {
        switch predicate {
        case .constant: return predicate
        case .and(let parts): return .and(parts.map(rebase))
        case .or(let parts): return .or(parts.map(rebase))
        case .not(let part): return .not(rebase(part))
        case .comparison(var comparison):
            comparison.left = rebase(comparison.left)
            comparison.right = rebase(comparison.right)
            return .comparison(comparison)
        }
    }

    func rebase(_ expression: QueryExpression) -> QueryExpression {
        switch expression {
        // A fetch within the predicate is about objects of its own.
        case .constant, .fetch: expression
        case .evaluatedObject: base
        case .keyPath(let path): path.isSelf ? base : base.appending(path)
        case .anyKey: base.appending("ANYKEY")
        case .variable(let name): .variable(renamed[name] ?? name)
        case .path(let start, let path): rebase(start).appending(path)
        case .list(let parts): .list(parts.map(rebase))
        case .function(let function, let parts): .function(function, parts.map(rebase))
        case .custom(let target, let selector, let parts): .custom(rebase(target), selector, parts.map(rebase))
        case .conditional(let condition, let a, let b): .conditional(rebase(condition), rebase(a), rebase(b))
        case .subquery(let collection, let variable, let condition): subquery(rebase(collection), variable, condition)
        case .combined(let operation, let a, let b): .combined(operation, rebase(a), rebase(b))
        case .element(let collection, .at(let index)): .element(rebase(collection), .at(rebase(index)))
        case .element(let collection, let position): .element(rebase(collection), position)
        case .assignment(let name, let value): .assignment(name, rebase(value))
        }
    }

    private func subquery(_ collection: QueryExpression, _ variable: String, _ condition: QueryPredicate) -> QueryExpression {
        var inner = self
        inner.renamed[variable] = nil
        guard taken.contains(variable) else { return .subquery(collection, variable: variable, inner.rebase(condition)) }
        let name = String.freshVariable(besides: taken.union(condition.variableNames))
        inner.renamed[variable] = name
        return .subquery(collection, variable: name, inner.rebase(condition))
    }
}

extension String {
    fileprivate var isSelf: Bool { self == "SELF" || self == "self" }
}
