import StrataCoordinator
import StrataGraph
import StrataModel
import StrataQuery

/// A description of the objects to fetch, their order and the form of the results.
open class NSFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    private final var named: String?
    private final var givenEntity: NSEntityDescription?
    /// The class whose one entity is fetched, if neither the entity nor its name is set.
    final var resultClass: NSManagedObject.Type?
    /// Whether the program may hold the request as one for any results, whatever its own class.
    final var isErased = false

    /// The predicate that objects have to meet; `nil` for all.
    open var predicate: NSPredicate?
    /// The order of the results, the most significant first.
    open var sortDescriptors: [NSSortDescriptor]?
    /// How many results there are at most; 0 for all.
    open var fetchLimit = 0
    /// How many results are skipped.
    open var fetchOffset = 0
    /// The kind of the results; managed objects by default.
    open var resultType: NSFetchRequestResultType = .managedObjectResultType
    /// Whether objects of sub-entities are among the results; true by default.
    open var includesSubentities = true
    /// Whether the rows are fetched with the objects; true by default.
    open var includesPropertyValues = true
    /// Whether objects are faults until they are used; true by default.
    ///
    /// Their rows are here either way.
    open var returnsObjectsAsFaults = true
    /// The relationships, and paths of them, whose destinations are fetched too.
    open var relationshipKeyPathsForPrefetching: [String]?
    /// Whether changes that are not saved count; true by default.
    ///
    /// They never do for dictionaries.
    open var includesPendingChanges = true
    /// Whether equal dictionaries are there once.
    open var returnsDistinctResults = false
    /// The properties of dictionary results: names, and descriptions of properties and expressions.
    open var propertiesToFetch: [Any]?
    /// The number of objects per batch.
    ///
    /// The results are an array of all of them in any case.
    open var fetchBatchSize = 0
    /// Whether objects that are here are given the fetched values.
    open var shouldRefreshRefetchedObjects = false
    /// The properties by which dictionaries are grouped.
    open var propertiesToGroupBy: [Any]?
    /// The predicate that groups have to meet.
    open var havingPredicate: NSPredicate?

    /// Creates a request without an entity; a request for results of a managed object class fetches the class's entity.
    public override init() {
        resultClass = ResultType.self as? NSManagedObject.Type
        super.init()
    }

    /// Creates a request for the objects of the entity with a name.
    public convenience init(entityName: String) {
        self.init()
        named = entityName
    }

    /// The name of the entity.
    open var entityName: String? { named ?? givenEntity?.name ?? resultEntity?.name }

    /// The entity; one given by name is resolved when a context executes the request.
    open var entity: NSEntityDescription? {
        get { givenEntity ?? resultEntity }
        set {
            givenEntity = newValue
            named = newValue?.name ?? named
        }
    }

    private var resultEntity: NSEntityDescription? {
        guard named == nil, let resultClass, resultClass != NSManagedObject.self else { return nil }
        return ModelsInUse.onlyEntity(of: resultClass)
    }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    /// Fetches in the context in whose block it is called.
    ///
    /// - Precondition: It is called in a block of a context, by `perform` or `performAndWait`.
    /// - Throws: As a context's `fetch(_:)`.
    public final func execute() throws -> [ResultType] {
        guard let context = NSManagedObjectContext.current else {
            programmerError("-[NSFetchRequest execute] is to be called in a block of -performBlock: or -performBlockAndWait:")
        }
        return try context.fetch(self)
    }

    override class func makeCopy() -> NSPersistentStoreRequest { NSFetchRequest<ResultType>() }

    override func take(_ copy: NSPersistentStoreRequest) {
        if let copy = copy as? NSFetchRequest<ResultType> { takeAll(copy) }
    }

    /// Copies all settings to a request for results of another class.
    final func takeAll<Other>(_ copy: NSFetchRequest<Other>) {
        super.take(copy)
        copy.named = named
        copy.givenEntity = givenEntity
        copy.resultClass = resultClass
        takeOptions(copy)
    }

    /// Copies all settings but the entity and the stores to a request.
    final func takeOptions<Other>(_ copy: NSFetchRequest<Other>) {
        copy.predicate = predicate
        copy.sortDescriptors = sortDescriptors
        copy.fetchLimit = fetchLimit
        copy.fetchOffset = fetchOffset
        copy.resultType = resultType
        copy.includesSubentities = includesSubentities
        copy.includesPropertyValues = includesPropertyValues
        copy.returnsObjectsAsFaults = returnsObjectsAsFaults
        copy.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
        copy.includesPendingChanges = includesPendingChanges
        copy.returnsDistinctResults = returnsDistinctResults
        copy.propertiesToFetch = propertiesToFetch
        copy.fetchBatchSize = fetchBatchSize
        copy.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        copy.propertiesToGroupBy = propertiesToGroupBy
        copy.havingPredicate = havingPredicate
    }
}

extension NSFetchRequest {
    /// The same object as a request for any results.
    final var erased: NSFetchRequest<any NSFetchRequestResult> {
        // Right: no layout of a request depends on its results, which are references in any case.
        unsafe unsafeBitCast(self, to: NSFetchRequest<any NSFetchRequestResult>.self)
    }

    /// Returns the graph's request; throws if no store can evaluate the predicate.
    func compiled(in context: NSManagedObjectContext) throws -> ObjectFetchRequest<ManagedObject> {
        var request = ObjectFetchRequest<ManagedObject>()
        let graph = context.graph
        request.entityName = entityName ?? resultClass.flatMap { graph.entity(of: $0)?.name }
        guard let name = request.entityName, let entity = graph.model.entity(named: name) else {
            programmerError(
                "executeFetchRequest:error: A fetch request must have an entity\(entityName.map { ", and the model has none named '\($0)'" } ?? "")."
            )
        }
        request.predicate = try (predicate?.tree()).map(TypeFitting(graph.model, entity).fit)
        request.sort = try (sortDescriptors ?? []).map { try $0.querySort() }
        request.limit = fetchLimit == 0 ? nil : fetchLimit
        request.offset = fetchOffset
        request.includesSubentities = includesSubentities
        request.includesPendingChanges = includesPendingChanges
        request.affectedStores = try affectedStores?.map { try $0.opened }
        request.returnsObjectsAsFaults = returnsObjectsAsFaults
        request.includesPropertyValues = includesPropertyValues
        request.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
        request.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching ?? []
        request.returnsDistinctResults = returnsDistinctResults
        if resultType == .dictionaryResultType {
            request.propertiesToFetch = try propertiesToFetch.map { try FetchedProperties.descriptions($0, entity) }
            request.propertiesToGroupBy = try FetchedProperties.descriptions(propertiesToGroupBy ?? [], entity)
            let named = FetchedProperties.expressions(of: request.propertiesToFetch ?? [])
            request.havingPredicate = try havingPredicate?.tree().withSubstitutionVariables(named)
        }
        return request
    }
}

/// The properties of dictionary results.
enum FetchedProperties {
    /// Returns the descriptions for names, properties and expressions; throws for unsupported expressions.
    static func descriptions(_ properties: [Any], _ entity: EntityDescription) throws -> [ExpressionDescription] {
        try properties.map { property in
            switch property {
            case let name as String: return ExpressionDescription(name)
            case let expression as NSExpressionDescription:
                guard let tree = try expression.expression?.tree() else {
                    programmerError("Invalid expression description: \(expression.name) has no expression.")
                }
                return ExpressionDescription(
                    name: expression.name, expression: tree, resultType: expression.expressionResultType.strataType)
            case let property as NSPropertyDescription: return ExpressionDescription(property.name)
            default:
                programmerError("Invalid property in a fetch of \(entity.name): a value of type \(type(of: property)).")
            }
        }
    }

    /// Returns the expressions by the variables that conditions on groups refer to them by.
    static func expressions(of properties: [ExpressionDescription]) -> [String: any QueryArgument] {
        Dictionary(properties.map { ($0.name, ExpressionArgument(queryExpression: $0.expression)) }) { first, _ in first }
    }

    /// Returns a fetched dictionary for Core Data's clients, without the keys of nil.
    static func dictionary(_ fetched: FetchedDictionary, _ types: [AttributeType?]) -> NSDictionary {
        var dictionary: [String: Any] = [:]
        for (index, name) in fetched.names.enumerated() {
            let type = types.indices.contains(index) ? types[index] : nil
            dictionary[name] = Boxing.boxed(fetched.values[index], type)
        }
        return NSDictionary(dictionary: dictionary)
    }
}
