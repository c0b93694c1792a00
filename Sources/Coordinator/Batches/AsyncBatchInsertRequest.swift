public import StrataStore

/// Inserts the objects of an asynchronous sequence as they arrive.
///
/// A transaction cannot wait for a sequence, so each chunk of objects is one of its own. Where the sequence or the
/// store fails, or the task is cancelled, the chunks before stay in the store.
public struct AsyncBatchInsertRequest<Objects: AsyncSequence> where Objects.Element == [String: Value] {
    /// The name of the entity.
    public var entityName: String
    /// The objects: their attributes by name.
    public var objects: Objects
    /// The number of objects in one transaction, at least 1.
    public var chunkSize = 1000
    /// The kind of the result.
    public var resultType = BatchResultType.statusOnly
    /// The origin of the changes, for events and histories; `nil` for that of the context that executes the request.
    public var origin: TransactionOrigin?
    /// Whether the contexts with any of the objects merge the changes, each on its executor; the executing one at once.
    ///
    /// True by default; otherwise only contexts merge that do so automatically, and others by
    /// `mergeChanges(fromRemoteContextSave:into:)`.
    public var mergesIntoContexts = true
    /// The stores whose first writable one with the entity gets the objects; `nil` for all.
    public var affectedStores: [any PersistentStore]?
    /// The policy for constraint conflicts; ``MergePolicy/error`` by default.
    public var mergePolicy: MergePolicy?

    /// Creates a request for objects of one entity, whose attributes are given by name.
    public init(entityName: String, objects: Objects) {
        self.entityName = entityName
        self.objects = objects
    }
}

extension PersistentStoreCoordinator {
    /// Inserts the objects of an asynchronous sequence.
    ///
    /// - Throws: ``BatchInsertError``, after the end, where a constraint kept objects out of any chunk; `StoreError`,
    ///   what the sequence throws, or `CancellationError` when the task is cancelled; the chunks before stay in the
    ///   store.
    @discardableResult
    public func execute<Objects: AsyncSequence>(_ request: AsyncBatchInsertRequest<Objects>) async throws -> BatchResult {
        // The result of the chunks so far.
        var (position, count) = (0, 0)
        var (objectIDs, inserted): ([ObjectID], [ObjectID]) = ([], [])
        var changes = RemoteChanges()
        var collisions: [BatchInsertError.Collision] = []
        var chunk: [[String: Value]] = []
        let executor = BlockingExecutor(label: "batch insert")
        func insert(_ chunk: [[String: Value]]) async throws {
            // A sequence may ignore cancellation, or just end.
            try Task.checkCancellation()
            var chunkRequest = BatchInsertRequest(entityName: request.entityName, objects: chunk)
            // The error of a later chunk names what the earlier ones inserted.
            chunkRequest.resultType = .objectIDs
            chunkRequest.affectedStores = request.affectedStores
            chunkRequest.mergePolicy = request.mergePolicy
            chunkRequest.origin = request.origin
            chunkRequest.mergesIntoContexts = request.mergesIntoContexts
            do {
                // Unsafe to the compiler alone: the task waits meanwhile.
                nonisolated(unsafe) let request = chunkRequest
                let result = try await executor.run { try unsafe self.execute(request) }
                count += result.count
                objectIDs += result.objectIDs
                changes.add(result.changes)
                inserted += result.changes.inserted
            } catch let error as BatchInsertError {
                inserted += error.inserted
                collisions += error.collisions.map {
                    BatchInsertError.Collision(
                        index: position + $0.index, constraint: $0.constraint, values: $0.values, existing: $0.existing)
                }
            }
            position += chunk.count
        }
        // Errors of the request are thrown before the sequence is read, even if it is empty.
        try await insert([])
        for try await object in request.objects {
            chunk.append(object)
            if chunk.count >= max(1, request.chunkSize) {
                try await insert(chunk)
                chunk = []
            }
        }
        try await insert(chunk)
        if !collisions.isEmpty { throw BatchInsertError(inserted: inserted, collisions: collisions) }
        guard request.resultType == .objectIDs else { return BatchResult(request.resultType, count: count) }
        return BatchResult(.objectIDs, count: count, objectIDs: objectIDs, changes: changes)
    }
}
