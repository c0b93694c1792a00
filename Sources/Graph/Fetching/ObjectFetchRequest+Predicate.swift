public import FoundationEssentials
public import StrataQuery

extension ObjectFetchRequest {
    /// Creates a request for the objects that meet a `#Predicate`:
    /// `try ObjectFetchRequest(#Predicate<Person> { $0.age > 30 })`.
    ///
    /// - Throws: `QueryError` with `untranslatable` or `computedProperty`, see `QueryPredicate.init(_:)`.
    public init(
        _ predicate: FoundationEssentials.Predicate<Result>, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0
    ) throws(QueryError) {
        self.init(try QueryPredicate(predicate), sort: sort, limit: limit, offset: offset)
    }

    /// Creates a request for the objects that meet a `#Predicate`, in an order of objects of their class; otherwise as
    /// with any order.
    ///
    /// - Throws: `QueryError` with `untranslatable` or `computedProperty`, see `QueryPredicate.init(_:)`.
    @_disfavoredOverload
    public init(
        _ predicate: FoundationEssentials.Predicate<Result>, sort: [ObjectSort<Result>], limit: Int? = nil, offset: Int = 0
    ) throws(QueryError) {
        self.init(try ObjectPredicate(predicate), sort: sort, limit: limit, offset: offset)
    }
}
