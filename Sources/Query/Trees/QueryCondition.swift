/// The condition of a comparison: a ``QueryPredicate``, for any entity, or an ``ObjectPredicate`` of one class.
public protocol QueryCondition: Sendable, Hashable {
    /// The sort keys of such conditions.
    associatedtype Sort: QuerySortKey
    var predicate: QueryPredicate { get }

    /// Creates an unchecked condition of this kind.
    init(_ predicate: QueryPredicate)
    /// Met where both are.
    static func && (lhs: Self, rhs: Self) -> Self
}

/// A sort key: a ``QuerySort``, or an ``ObjectSort`` of one class.
public protocol QuerySortKey: Sendable, Hashable {
    var sort: QuerySort { get }

    /// Creates an unchecked sort key of this kind.
    init(_ sort: QuerySort)
}

extension QueryPredicate: QueryCondition {
    public typealias Sort = QuerySort
    /// The predicate itself.
    public var predicate: QueryPredicate { self }

    /// Creates the predicate itself.
    @inlinable public init(_ predicate: QueryPredicate) { self = predicate }

    /// Creates a condition without its class: `request.predicate = QueryPredicate(\Person.age > 30)`.
    public init(_ condition: some QueryCondition) { self = condition.predicate }
}

extension QuerySort: QuerySortKey {
    /// The sort key itself.
    public var sort: QuerySort { self }

    /// Creates the sort key itself.
    public init(_ sort: QuerySort) { self = sort }

    /// Creates a sort key without its class: `QuerySort(\Person.name, ascending: false)`.
    public init(_ path: some QueryPath, ascending: Bool = true, _ options: QueryComparison.Options = []) {
        self.init(path.path, ascending: ascending, options)
    }
}
