extension ResolvedPredicate {
    /// Calls `body` with every path in the predicate, including those of collections' filters.
    public func forEachPath(_ body: (PropertyPath) -> Void) {
        switch self {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { part.forEachPath(body) }
        case .not(let part): part.forEachPath(body)
        case .comparison(let comparison):
            body(comparison.left)
            if let path = comparison.right.path { body(path) }
        case .test(let test):
            test.left.forEachPath(body)
            test.right.forEachPath(body)
        case .exists(let collection): collection.forEachPath(body)
        }
    }
}

extension ResolvedCollection {
    /// Calls `body` with every path that the collection's conditions read.
    public func forEachPath(_ body: (PropertyPath) -> Void) {
        if case .collection(let collection) = origin { collection.forEachPath(body) }
        filter?.forEachPath(body)
    }
}

extension ResolvedExpression {
    /// Calls `body` with every path that the expression reads.
    public func forEachPath(_ body: (PropertyPath) -> Void) {
        switch self {
        case .constant, .column: break
        case .path(let path), .entityName(let path, _): body(path)
        case .aggregate(_, let collection, let value):
            collection.forEachPath(body)
            value?.forEachPath(body)
        case .element(let collection, let position, let value):
            collection.forEachPath(body)
            if case .at(let index) = position { index.forEachPath(body) }
            value.forEachPath(body)
        case .values(let collection, let value, _):
            collection.forEachPath(body)
            value.forEachPath(body)
        case .function(_, let arguments), .custom(_, _, let arguments), .list(let arguments):
            for argument in arguments { argument.forEachPath(body) }
        case .conditional(let condition, let a, let b):
            condition.forEachPath(body)
            a.forEachPath(body)
            b.forEachPath(body)
        case .combined(_, let a, let b):
            a.forEachPath(body)
            b.forEachPath(body)
        }
    }
}
