import StrataModel
import StrataQuery
import StrataStore

/// Says which objects to fetch.
///
/// ```swift
/// let adults = try context.fetch(FetchRequest<Person>(Person.age >= 18, sort: [Person.name.ascending], limit: 50))
/// ```
/// A request holds names only and is checked against the model when it is executed.
public struct FetchRequest<Result: ManagedObject>: Sendable {
    /// The name of the entity; `nil` for the one whose objects are of the class `Result`.
    public var entityName: String?
    /// The condition, `nil` for all objects.
    public var predicate: QueryPredicate?
    /// The order; by ID where it is empty or leaves ties.
    public var sort: [QuerySort]
    /// The greatest number of results, `nil` for all.
    public var limit: Int?
    /// How many results to pass over first.
    public var offset: Int
    /// Whether objects of sub-entities count.
    public var includesSubentities = true
    /// Whether changes that are not saved count: new and changed objects that meet the condition now are in, others are out.
    public var includesPendingChanges = true
    /// The stores to fetch from, `nil` for all.
    public var affectedStores: [any PersistentStore]?
    /// Whether fetched objects stay faults until they are touched; where false, `awakeFromFetch` is called right away.
    public var returnsObjectsAsFaults = true

    /// A request for objects of the entity whose class is `Result`.
    public init(_ predicate: QueryPredicate? = nil, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0) {
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    /// A request for objects of an entity.
    public init(
        entityName: String, _ predicate: QueryPredicate? = nil, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.init(predicate, sort: sort, limit: limit, offset: offset)
        self.entityName = entityName
    }
}

/// Something to compute over each group of fetched objects.
public struct QueryAggregate: Sendable, Hashable {
    /// The name of the result.
    public var name: String
    /// The function.
    public var function: GroupPlan.Function
    /// The path of the attribute, `nil` to count the objects.
    public var keyPath: String?

    /// An aggregate; its name is that of the function and the path unless said otherwise.
    public init(_ function: GroupPlan.Function, _ keyPath: String?, as name: String? = nil) {
        self.function = function
        self.keyPath = keyPath
        self.name = name ?? "\(function.rawValue)\(keyPath.map { "_" + $0 } ?? "")"
    }

    /// The number of objects.
    public static func count(as name: String = "count") -> QueryAggregate { QueryAggregate(.count, nil, as: name) }
    /// The sum of an attribute's values, 0 of none.
    public static func sum(_ keyPath: String, as name: String? = nil) -> QueryAggregate { QueryAggregate(.sum, keyPath, as: name) }
    /// The mean of an attribute's values, nil of none.
    public static func average(_ keyPath: String, as name: String? = nil) -> QueryAggregate { QueryAggregate(.average, keyPath, as: name) }
    /// The least of an attribute's values, nil of none.
    public static func min(_ keyPath: String, as name: String? = nil) -> QueryAggregate { QueryAggregate(.min, keyPath, as: name) }
    /// The greatest of an attribute's values, nil of none.
    public static func max(_ keyPath: String, as name: String? = nil) -> QueryAggregate { QueryAggregate(.max, keyPath, as: name) }
}
