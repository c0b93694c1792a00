/// A condition as comparisons make it: a ``QueryPredicate``, which names any entity's properties, or an ``ObjectPredicate`` of one class.
public protocol QueryCondition: Sendable, Hashable {
    /// The sort keys that go with such conditions.
    associatedtype Sort: QuerySortKey
    /// The condition without its class.
    var predicate: QueryPredicate { get }

    /// Takes a condition for one of this kind; nothing checks it.
    init(_ predicate: QueryPredicate)
    /// Met where both are.
    static func && (lhs: Self, rhs: Self) -> Self
}

/// A sort key: a ``QuerySort``, or an ``ObjectSort`` of one class.
public protocol QuerySortKey: Sendable, Hashable {
    /// The sort key without its class.
    var sort: QuerySort { get }

    /// Takes a sort key for one of this kind; nothing checks it.
    init(_ sort: QuerySort)
}

extension QueryPredicate: QueryCondition {
    public typealias Sort = QuerySort
    /// The predicate, which is its own.
    public var predicate: QueryPredicate { self }

    /// Creates the predicate itself.
    @inlinable public init(_ predicate: QueryPredicate) { self = predicate }

    /// Creates a condition without its class, for what takes objects of any:
    /// `request.predicate = QueryPredicate(\Person.age > 30)`.
    public init(_ condition: some QueryCondition) { self = condition.predicate }
}

extension QuerySort: QuerySortKey {
    /// The sort key, which is its own.
    public var sort: QuerySort { self }

    /// Creates the sort key itself.
    public init(_ sort: QuerySort) { self = sort }

    /// Creates a sort key without its class, for what takes objects of any:
    /// `QuerySort(\Person.name, ascending: false)`.
    public init(_ path: some QueryPath, ascending: Bool = true, _ options: QueryComparison.Options = []) {
        self.init(path.path, ascending: ascending, options)
    }
}
