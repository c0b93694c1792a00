/// A predicate that was checked against an entity: with resolved key paths and converted constants.
public indirect enum ResolvedPredicate: Sendable {
    /// A condition that every object meets, or none.
    case constant(Bool)
    /// All of several conditions; met where there are none.
    case and([ResolvedPredicate])
    /// Any of several conditions; not met where there are none.
    case or([ResolvedPredicate])
    /// The negation of a condition.
    case not(ResolvedPredicate)
    /// A comparison of a path of variable 0, or of a subquery's element, with a constant or another path.
    case comparison(ResolvedComparison)
    /// A comparison of any two expressions.
    case test(ResolvedTest)
    /// Met where a collection, with its filter, has an element.
    case exists(ResolvedCollection)

    /// The parts of which all must hold.
    public var conjuncts: [ResolvedPredicate] {
        switch self {
        case .and(let parts): parts.flatMap(\.conjuncts)
        case .constant(true): []
        default: [self]
        }
    }
}

/// A side of a resolved comparison.
public enum ResolvedOperand: Sendable {
    /// The value at the end of a path.
    case path(PropertyPath)
    /// A value of the compared type.
    case constant(Value)

    /// The path, `nil` for a constant.
    public var path: PropertyPath? { if case .path(let path) = self { path } else { nil } }

    /// The value, `nil` for a path.
    public var constant: Value? { if case .constant(let value) = self { value } else { nil } }
}

/// A comparison whose left side is a path.
public struct ResolvedComparison: Sendable {
    /// The path whose value is compared.
    public let left: PropertyPath
    /// The operator of the comparison.
    public let `operator`: QueryComparison.Operator
    /// The right side; a list for `IN` and `BETWEEN`.
    public let right: ResolvedOperand
    /// The preparation of text.
    public let options: QueryComparison.Options
}

/// A sort key that was checked against an entity.
public struct ResolvedSort: Sendable {
    /// The path to the attribute.
    public let path: PropertyPath
    /// Whether the order is ascending.
    public let ascending: Bool
    /// The preparation of text.
    public let options: QueryComparison.Options

    /// Checks a sort key.
    ///
    /// - Throws: `QueryError` where it names no attribute.
    public init(_ sort: QuerySort, of entity: EntityDescription, in model: ManagedObjectModel) throws(QueryError) {
        path = try PropertyPath(sort.keyPath, of: entity, in: model)
        guard path.attribute != nil || path.steps.isEmpty else {
            throw QueryError(.illegalKeyPath, entity: entity.name, subject: sort.keyPath, "objects cannot be put in order")
        }
        ascending = sort.ascending
        options = sort.options
    }
}
