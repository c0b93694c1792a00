/// A part of a resolved condition or expression that a store looks at before it answers.
public enum ResolvedPart {
    /// A path to a property, or to an object.
    case path(PropertyPath)
    /// A collection that an aggregate, a quantifier or a subquery is about.
    case collection(ResolvedCollection)
}

/// A resolved tree whose paths and collections can be enumerated.
public protocol ResolvedTree {
    /// Calls `body` with every path and every collection in the tree, including those of collections' filters.
    func forEachPart(_ body: (ResolvedPart) -> Void)
}

extension ResolvedTree {
    /// Calls `body` with every path that the tree reads, including those of collections' filters.
    public func forEachPath(_ body: (PropertyPath) -> Void) {
        forEachPart { if case .path(let path) = $0 { body(path) } }
    }

    /// Calls `body` with every collection in the tree, including nested ones.
    public func forEachCollection(_ body: (ResolvedCollection) -> Void) {
        forEachPart { if case .collection(let collection) = $0 { body(collection) } }
    }
}

extension ResolvedPredicate: ResolvedTree {
    public func forEachPart(_ body: (ResolvedPart) -> Void) {
        switch self {
        case .constant: break
        case .and(let parts), .or(let parts): for part in parts { part.forEachPart(body) }
        case .not(let part): part.forEachPart(body)
        case .comparison(let comparison):
            body(.path(comparison.left))
            if let path = comparison.right.path { body(.path(path)) }
        case .test(let test):
            test.left.forEachPart(body)
            test.right.forEachPart(body)
        case .exists(let collection): collection.forEachPart(body)
        }
    }
}

extension ResolvedCollection: ResolvedTree {
    public func forEachPart(_ body: (ResolvedPart) -> Void) {
        body(.collection(self))
        if case .collection(let collection) = origin { collection.forEachPart(body) }
        filter?.forEachPart(body)
    }
}

extension ResolvedExpression: ResolvedTree {
    public func forEachPart(_ body: (ResolvedPart) -> Void) {
        switch self {
        case .constant, .column: break
        case .path(let path), .entityName(let path, _): body(.path(path))
        case .aggregate(_, let collection, let value):
            collection.forEachPart(body)
            value?.forEachPart(body)
        case .element(let collection, let position, let value):
            collection.forEachPart(body)
            if case .at(let index) = position { index.forEachPart(body) }
            value.forEachPart(body)
        case .values(let collection, let value, _):
            collection.forEachPart(body)
            value.forEachPart(body)
        case .function(_, let arguments), .custom(_, _, let arguments), .list(let arguments):
            for argument in arguments { argument.forEachPart(body) }
        case .conditional(let condition, let a, let b):
            condition.forEachPart(body)
            a.forEachPart(body)
            b.forEachPart(body)
        case .combined(_, let a, let b):
            a.forEachPart(body)
            b.forEachPart(body)
        }
    }
}
