import StrataCoordinator
import StrataGraph
import StrataModel
import StrataQuery

/// Deletes many objects in their stores at once, without instantiating them.
///
/// Delete rules of cascade and nullify are followed; nothing is validated. Merging the IDs notifies contexts.
open class NSBatchDeleteRequest: NSPersistentStoreRequest, ExecutableRequest {
    /// The request whose results are deleted.
    public final let fetchRequest: NSFetchRequest<any NSFetchRequestResult>
    private let objectIDs: [NSManagedObjectID]?
    /// The kind of the result; the status by default.
    open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly

    /// Deletes the results of a fetch, within its limit.
    public init(fetchRequest fetch: NSFetchRequest<any NSFetchRequestResult>) {
        fetchRequest = fetch
        objectIDs = nil
        super.init()
    }

    /// Deletes the results of a fetch, within its limit.
    public init<ResultType>(fetchRequest fetch: NSFetchRequest<ResultType>) {
        fetchRequest = fetch.erased
        objectIDs = nil
        super.init()
    }

    /// Deletes the objects with some IDs, of one entity.
    public convenience init(objectIDs objects: [NSManagedObjectID]) {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = objects.first?.entity
        self.init(request, objects)
    }

    private init(_ request: NSFetchRequest<any NSFetchRequestResult>, _ objectIDs: [NSManagedObjectID]) {
        fetchRequest = request
        self.objectIDs = objectIDs
        super.init()
    }

    open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

    /// Returns a request that deletes the same.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = objectIDs.map { NSBatchDeleteRequest(fetchRequest, $0) } ?? NSBatchDeleteRequest(fetchRequest: fetchRequest)
        take(copy)
        copy.resultType = resultType
        return copy
    }

    final func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        var request =
            try objectIDs.map { BatchDeleteRequest(objectIDs: $0.map(\.id)) }
            ?? BatchDeleteRequest(fetchRequest: fetchRequest.compiled(in: context))
        request.resultType = BatchResultType(rawValue: Int(resultType.rawValue)) ?? .statusOnly
        request.mergesIntoContexts = false
        request.affectedStores = try affectedStores?.map { try $0.opened }
        defer { context.outdateRows() }
        return NSBatchDeleteResult(BatchResults.result(try context.graph.execute(request)), resultType)
    }
}

enum BatchResults {
    static func result(_ result: BatchResult) -> Any {
        switch result.resultType {
        case .statusOnly: NSNumber(value: true)
        case .objectIDs: result.objectIDs.map { NSManagedObjectID($0) }
        case .count: NSNumber(value: result.count)
        }
    }
}
