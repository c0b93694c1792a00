public import StrataStore

/// Says which objects to fetch.
///
/// ```swift
/// let adults = try context.fetch(ObjectFetchRequest<Person>(Person.age >= 18, sort: [Person.name.ascending], limit: 50))
/// ```
/// Key paths know their class: `ObjectFetchRequest<Person>(\Company.name == "ACME")` does not compile. A condition of
/// another class, for a parent's fetch say, is passed without its class: `QueryPredicate(\Manager.bonus > 0)`. A
/// request holds names only and is checked against the model when it is executed.
public struct ObjectFetchRequest<Result: ManagedObject>: Sendable {
    @usableFromInline let resultClass: ManagedObject.Type
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
    /// Whether unsaved changes count: new and changed objects are tested as they are now.
    public var includesPendingChanges = true
    /// The stores to fetch from, `nil` for all.
    public var affectedStores: [any PersistentStore]?
    /// Whether fetched objects stay faults until they are touched; where false, `awakeFromFetch` is called right away.
    public var returnsObjectsAsFaults = true
    /// Whether rows are fetched with the objects; where false, only their IDs are, and each fault asks the store.
    public var includesPropertyValues = true
    /// Whether registered objects adopt the fetched values; their pending changes stay.
    public var shouldRefreshRefetchedObjects = false
    /// The number of rows that ``ManagedObjectContext/fetchLazily(_:)`` loads at a time; 0 leaves it to the context.
    ///
    /// Other fetches load all rows at once.
    public var fetchBatchSize = 0
    /// Paths of relationships, `"company"` or `"employees.address"`, to prefetch: one more fetch per step.
    public var relationshipKeyPathsForPrefetching: [String] = []
    /// The values of a dictionary fetch for each object or group; `nil` for all attributes, or for the keys of the
    /// groups.
    ///
    /// Fetches of objects load whole rows in any case.
    public var propertiesToFetch: [ExpressionDescription]?
    /// Whether a dictionary fetch answers equal dictionaries once.
    public var returnsDistinctResults = false
    /// The grouping keys of a dictionary fetch with aggregates; see ``grouped(by:computing:having:)``.
    public var propertiesToGroupBy: [ExpressionDescription] = []
    /// The condition that groups meet: over their keys, aggregates, and the names of what is fetched of them.
    public var havingPredicate: QueryPredicate?

    /// Creates a request for objects of the entity whose class is `Result`.
    @inlinable
    public init(_ predicate: QueryPredicate? = nil, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0) {
        resultClass = Result.self
        self.predicate = predicate
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    /// Creates a request for objects of an entity.
    public init(entityName: String, _ predicate: QueryPredicate? = nil, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0) {
        self.init(predicate, sort: sort, limit: limit, offset: offset)
        self.entityName = entityName
    }

    /// Creates a request with a condition on objects of the class; one of another class does not compile.
    public init(
        entityName: String? = nil, _ condition: ObjectPredicate<Result>, sort: [QuerySort] = [], limit: Int? = nil, offset: Int = 0
    ) {
        self.init(condition.predicate, sort: sort, limit: limit, offset: offset)
        self.entityName = entityName
    }

    /// Creates a request with a condition on, and an order of, objects of the class; one of another class does not
    /// compile.
    @_disfavoredOverload
    public init(
        entityName: String? = nil, _ condition: ObjectPredicate<Result>?, sort: [ObjectSort<Result>] = [], limit: Int? = nil,
        offset: Int = 0
    ) {
        self.init(condition?.predicate, sort: sort.map(\.sort), limit: limit, offset: offset)
        self.entityName = entityName
    }

    /// Creates a request with an order of objects of the class; one of another class does not compile.
    @_disfavoredOverload
    public init(
        entityName: String? = nil, _ predicate: QueryPredicate? = nil, sort: [ObjectSort<Result>], limit: Int? = nil, offset: Int = 0
    ) {
        self.init(predicate, sort: sort.map(\.sort), limit: limit, offset: offset)
        self.entityName = entityName
    }

    /// The request with its class erased.
    @inlinable
    var untyped: ObjectFetchRequest<ManagedObject> {
        // The class is the type of no property, so requests of all classes have one layout.
        unsafe unsafeBitCast(self, to: ObjectFetchRequest<ManagedObject>.self)
    }

    /// Returns the request with what a dictionary fetch answers of each object.
    ///
    /// ```swift
    /// let rows = try context.fetchDictionaries(ObjectFetchRequest<Person>().fetching("name", "company.name"))
    /// ```
    public func fetching(_ properties: ExpressionDescription..., distinct: Bool = false) -> ObjectFetchRequest {
        var request = self
        request.propertiesToFetch = properties
        request.returnsDistinctResults = distinct
        return request
    }

    /// Returns the request for groups of objects: the keys, and what to compute over each group.
    ///
    /// ```swift
    /// let request = ObjectFetchRequest<Sale>().grouped(by: ["productLine"], computing: [.sum("sold", as: "total")], having: key("total") > 10)
    /// ```
    /// Without keys all objects are one group. A key may be a path through to-many relationships, `"tags.name"`: an
    /// object is once in the group of each value at the end of the path, and in the group of nil where there is none.
    public func grouped(
        by keys: [ExpressionDescription] = [], computing aggregates: [ExpressionDescription], having condition: QueryPredicate? = nil
    ) -> ObjectFetchRequest {
        var request = self
        request.propertiesToGroupBy = keys
        request.propertiesToFetch = keys + aggregates
        request.havingPredicate = condition
        return request
    }

    /// Core Data's name of ``sort``.
    public var sortDescriptors: [QuerySort] {
        get { sort }
        set { sort = newValue }
    }

    /// ``limit`` as Core Data has it, where 0 represents all results; a ``limit`` of 0, which asks for none, reads as 0
    /// too.
    public var fetchLimit: Int {
        get { limit ?? 0 }
        set { limit = newValue == 0 ? nil : newValue }
    }

    /// Core Data's name of ``offset``.
    public var fetchOffset: Int {
        get { offset }
        set { offset = newValue }
    }

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
