import StrataModel

extension QueryPredicate {
    /// Returns the same condition about another expression's object: key paths and `SELF` start from `base` instead of
    /// the fetched object.
    ///
    /// Variables that the predicate binds are renamed where they would capture one of `base`.
    public func rebased(onto base: QueryExpression) -> QueryPredicate {
        var rewriter = QueryRewriter<Never>(avoiding: base.variableNames) { part, _ in
            switch part {
            case .evaluatedObject: base
            case .keyPath(let path): path == "SELF" || path == "self" ? base : base.appending(path)
            case .anyKey: base.appending(QueryExpression.anyKeyOfPath)
            // A fetch within the predicate has objects of its own.
            case .fetch: part
            default: nil
            }
        }
        return rewriter.rewrite(self)
    }

    /// The names of all variables: bound, free and assigned.
    public var variableNames: Set<String> {
        QueryExpression.conditional(self, .constant(.null), .constant(.null)).variableNames
    }
}

extension QueryExpression {
    /// Returns the elements of a collection that meet a condition: a subquery with a fresh variable.
    public static func elements(of collection: QueryExpression, where condition: QueryPredicate) -> QueryExpression {
        let name = String.freshVariable(besides: condition.variableNames.union(collection.variableNames))
        return .subquery(collection, variable: name, condition.rebased(onto: .variable(name)))
    }

    /// Returns the value at the end of a path from this expression's value.
    public func appending(_ path: String) -> QueryExpression {
        switch self {
        case .evaluatedObject: .keyPath(path)
        case .keyPath(let start): .keyPath(start + "." + path)
        case .path(let base, let start): .path(base, start + "." + path)
        default: .path(self, path)
        }
    }

    /// The end of a path for any attribute of its object, as ``anyKey`` for the fetched object; no property has such a
    /// name.
    package static let anyKeyOfPath = "@anyKey"

    var variableNames: Set<String> {
        var names: Set<String> = []
        var rewriter = QueryRewriter<Never> { part, _ in
            switch part {
            case .variable(let name), .subquery(_, let name, _), .assignment(let name, _): names.insert(name)
            default: break
            }
            return nil
        }
        _ = rewriter.rewrite(self)
        return names
    }
}

extension String {
    /// `x`, or the first of `x1`, `x2`, … that is not taken.
    static func freshVariable(besides taken: Set<String>) -> String {
        if !taken.contains("x") { return "x" }
        return (1...).lazy.map { "x\($0)" }.first { !taken.contains($0) } ?? "x"
    }
}
