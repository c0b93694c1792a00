public import StrataModel
public import StrataStore

/// Inserts what an asynchronous sequence brings, as it comes.
///
/// No transaction can wait for a sequence: each chunk of objects is one of its own. Where the sequence or the store fails, or the task is
/// cancelled, the chunks before are in the store.
public struct AsyncBatchInsertRequest<Objects: AsyncSequence> where Objects.Element == [String: Value] {
    /// The name of the entity.
    public var entityName: String
    /// The objects: their attributes by name.
    public var objects: Objects
    /// How many objects go into one transaction, at least 1.
    public var chunkSize = 1000
    /// What the result tells.
    public var resultType = BatchResultType.statusOnly
    /// Who asks for it, for events and histories; `nil` for whom the context that executes it names.
    public var origin: TransactionOrigin?
    /// Whether the contexts that have any of the objects merge what the request changes, each where its work is done; in the one that
    /// executes the request it is merged right away.
    ///
    /// True by default; where it is false only contexts merge that do so automatically, and the others by
    /// `mergeChanges(fromRemoteContextSave:into:)`.
    public var mergesIntoContexts = true
    /// The stores of which the first writable one that holds the entity gets the objects, `nil` for all.
    public var affectedStores: [any PersistentStore]?
    /// How an object is treated whose unique values another one has; ``MergePolicy/error`` by default.
    public var mergePolicy: MergePolicy?

    /// Creates a request for objects of one entity, whose attributes come by name as the sequence brings them.
    public init(entityName: String, objects: Objects) {
        self.entityName = entityName
        self.objects = objects
    }
}

extension Coordinator {
    /// Inserts what an asynchronous sequence brings.
    ///
    /// - Throws: ``BatchInsertError``, after the end, where a constraint kept objects out of any chunk; `StoreError`, what the sequence
    ///   throws, or `CancellationError` when the task is cancelled, after which the chunks before are in the store.
    @discardableResult
    public func execute<Objects: AsyncSequence>(_ request: AsyncBatchInsertRequest<Objects>) async throws -> BatchResult {
        var total = AsyncTotal()
        var chunk: [[String: Value]] = []
        func insert(_ chunk: [[String: Value]]) throws {
            // A sequence need not notice, and one that does may just end.
            try Task.checkCancellation()
            var chunkRequest = BatchInsertRequest(entityName: request.entityName, objects: chunk)
            // The error of a later chunk names what the earlier ones inserted.
            chunkRequest.resultType = .objectIDs
            chunkRequest.affectedStores = request.affectedStores
            chunkRequest.mergePolicy = request.mergePolicy
            chunkRequest.origin = request.origin
            chunkRequest.mergesIntoContexts = request.mergesIntoContexts
            do {
                let result = try execute(chunkRequest)
                total.count += result.count
                total.objectIDs += result.objectIDs
                total.changes.add(result.changes)
                total.inserted += result.changes.inserted
            } catch let error as BatchInsertError {
                total.add(error)
            }
            total.position += chunk.count
        }
        // What is wrong with the request shows before the sequence is asked, and where it is empty.
        try insert([])
        for try await object in request.objects {
            chunk.append(object)
            if chunk.count >= max(1, request.chunkSize) {
                try insert(chunk)
                chunk = []
            }
        }
        try insert(chunk)
        if !total.collisions.isEmpty { throw BatchInsertError(inserted: total.inserted, collisions: total.collisions) }
        guard request.resultType == .objectIDs else { return BatchResult(request.resultType, count: total.count) }
        return BatchResult(.objectIDs, count: total.count, objectIDs: total.objectIDs, changes: total.changes)
    }
}

/// What became of the chunks so far.
private struct AsyncTotal {
    var position = 0
    var count = 0
    var objectIDs: [ObjectID] = []
    var changes = RemoteChanges()
    /// In the order of the source.
    var inserted: [ObjectID] = []
    var collisions: [BatchInsertError.Collision] = []

    mutating func add(_ error: BatchInsertError) {
        inserted += error.inserted
        collisions += error.collisions.map {
            BatchInsertError.Collision(
                index: position + $0.index, constraint: $0.constraint, values: $0.values, existing: $0.existing)
        }
    }
}
