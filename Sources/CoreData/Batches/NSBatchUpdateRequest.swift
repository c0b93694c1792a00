import StrataCoordinator
import StrataGraph
import StrataModel
import StrataQuery

/// Changes many objects in their stores at once, without making objects of them.
///
/// Nothing is validated. Contexts are notified when the IDs are merged into them.
open class NSBatchUpdateRequest: NSPersistentStoreRequest, ExecutableRequest {
    /// The name of the entity.
    public final let entityName: String
    private let givenEntity: NSEntityDescription?
    /// Which objects are changed; `nil` for all.
    open var predicate: NSPredicate?
    /// Whether objects of sub-entities are changed; true by default.
    open var includesSubentities = true
    /// The new values, or expressions of them, by property or its name.
    open var propertiesToUpdate: [AnyHashable: Any]?
    /// The kind of the result; the status by default.
    open var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

    /// Changes objects of the entity with a name.
    public init(entityName: String) {
        self.entityName = entityName
        givenEntity = nil
        super.init()
    }

    /// Changes objects of an entity.
    public init(entity: NSEntityDescription) {
        entityName = entity.name ?? ""
        givenEntity = entity
        super.init()
    }

    /// The entity, where it was given, or is in a model that is used.
    open var entity: NSEntityDescription { givenEntity ?? ModelsInUse.entity(named: entityName) }

    open override var requestType: NSPersistentStoreRequestType { .batchUpdateRequestType }

    /// Returns a request that changes the same.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = givenEntity.map { NSBatchUpdateRequest(entity: $0) } ?? NSBatchUpdateRequest(entityName: entityName)
        take(copy)
        copy.predicate = predicate
        copy.includesSubentities = includesSubentities
        copy.propertiesToUpdate = propertiesToUpdate
        copy.resultType = resultType
        return copy
    }

    final func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        var values: [String: QueryExpression] = [:]
        for (key, value) in propertiesToUpdate ?? [:] {
            guard let name = key.base as? String ?? (key.base as? NSPropertyDescription)?.name else {
                programmerError("Invalid key in propertiesToUpdate: a value of type \(type(of: key.base))")
            }
            values[name] = try (value as? NSExpression ?? NSExpression(forConstantValue: value is NSNull ? nil : value)).tree()
        }
        let (model, tree) = (context.graph.model, try predicate?.tree())
        let condition = tree.map { tree in model.entity(named: entityName).map { TypeFitting(model, $0).fit(tree) } ?? tree }
        var request = BatchUpdateRequest(entityName: entityName, condition, set: values)
        request.includesSubentities = includesSubentities
        request.resultType = BatchResultType(rawValue: Int(resultType.rawValue)) ?? .statusOnly
        request.mergesIntoContexts = false
        request.affectedStores = try affectedStores?.map { try $0.opened }
        return NSBatchUpdateResult(BatchResults.result(try context.graph.execute(request)), resultType)
    }
}
