extension ResolvedPredicate {
    /// Calls `body` with every collection in the predicate, including nested ones.
    public func forEachCollection(_ body: (ResolvedCollection) -> Void) {
        switch self {
        case .constant, .comparison: break
        case .and(let parts), .or(let parts): for part in parts { part.forEachCollection(body) }
        case .not(let part): part.forEachCollection(body)
        case .test(let test):
            test.left.forEachCollection(body)
            test.right.forEachCollection(body)
        case .exists(let collection): collection.forEachCollection(body)
        }
    }
}

extension ResolvedCollection {
    /// Calls `body` with the collection, and with every nested one.
    public func forEachCollection(_ body: (ResolvedCollection) -> Void) {
        body(self)
        if case .collection(let collection) = origin { collection.forEachCollection(body) }
        filter?.forEachCollection(body)
    }
}

extension ResolvedExpression {
    /// Calls `body` with every collection in the expression, including nested ones.
    public func forEachCollection(_ body: (ResolvedCollection) -> Void) {
        switch self {
        case .aggregate(_, let collection, let value):
            collection.forEachCollection(body)
            value?.forEachCollection(body)
        case .element(let collection, let position, let value):
            collection.forEachCollection(body)
            if case .at(let index) = position { index.forEachCollection(body) }
            value.forEachCollection(body)
        case .values(let collection, let value, _):
            collection.forEachCollection(body)
            value.forEachCollection(body)
        case .function(_, let arguments), .custom(_, _, let arguments), .list(let arguments):
            for argument in arguments { argument.forEachCollection(body) }
        case .conditional(let condition, let a, let b):
            condition.forEachCollection(body)
            a.forEachCollection(body)
            b.forEachCollection(body)
        case .combined(_, let a, let b):
            a.forEachCollection(body)
            b.forEachCollection(body)
        default: break
        }
    }
}
