public import StrataCoordinator
public import StrataQuery
import StrataStore

extension ManagedObjectContext {
    /// Inserts objects into a store, and merges them into the context by default.
    ///
    /// The merge policy of the request, or else that of the context, resolves constraint conflicts.
    ///
    /// - Throws: `BatchInsertError` where a constraint kept objects out, the others being in; `StoreError`, or what the
    ///   source throws, with nothing changed.
    @discardableResult
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        assertQueue()
        var request = request
        request.mergePolicy = request.mergePolicy ?? mergePolicy
        request.origin = request.origin ?? origin
        defer { mergeFamilyWaiting() }
        return try executor(of: .batchInsert).execute(request)
    }

    /// Inserts the objects of an asynchronous sequence, without blocking the context's actor.
    ///
    /// The context merges them at the end by default. The merge policy of the request, or else that of the context,
    /// resolves constraint conflicts.
    ///
    /// - Throws: `BatchInsertError`, after the end, where a constraint kept objects out of any chunk; `StoreError`,
    ///   what the sequence throws, or `CancellationError` when the task is cancelled; the chunks before stay in the
    ///   store.
    @discardableResult
    public func execute<Objects: AsyncSequence>(
        _ request: sending AsyncBatchInsertRequest<Objects>, isolation: isolated (any Actor)? = #isolation
    ) async throws -> BatchResult {
        assertQueue()
        var request = request
        request.mergePolicy = request.mergePolicy ?? mergePolicy
        request.origin = request.origin ?? origin
        defer { mergeFamilyWaiting() }
        return try await executor(of: .batchInsert).execute(request)
    }

    /// Changes objects in the stores, and merges the changes into the context by default.
    ///
    /// - Throws: `SaveConflictError` where a constraint is broken; `QueryError`; `StoreError`. Nothing was changed.
    @discardableResult
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        assertQueue()
        var request = request
        let preparation = QueryPreparation(context: self, stores: request.affectedStores, includesPendingChanges: false)
        request.predicate = try request.predicate.map(preparation.prepare)
        request.propertiesToUpdate = try request.propertiesToUpdate.mapValues(preparation.prepare)
        request.origin = request.origin ?? origin
        defer { mergeFamilyWaiting() }
        return try executor(of: .batchUpdate).execute(request)
    }

    /// Deletes objects in the stores, and merges the deletions into the context by default.
    ///
    /// - Throws: `QueryError`; `StoreError`. Nothing was deleted.
    @discardableResult
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        assertQueue()
        let preparation = QueryPreparation(context: self, stores: request.affectedStores, includesPendingChanges: false)
        var prepared = try request.replacingPredicate(preparation.prepare)
        prepared.origin = prepared.origin ?? origin
        defer { mergeFamilyWaiting() }
        return try executor(of: .batchDelete).execute(prepared)
    }

    /// Returns the coordinator over stores, which alone executes batch requests.
    fileprivate func executor(of operation: StoreError.Operation) throws(StoreError) -> PersistentStoreCoordinator {
        guard let coordinator = coordinator as? PersistentStoreCoordinator
        else { throw StoreError(.unsupported, operation, "the coordinator does not execute batch requests") }
        if options.isReadOnly { throw StoreError(readOnlyContext: operation) }
        // They are of the state before the request, which the context need not merge.
        loader.forgetRows()
        return coordinator
    }
}

extension ManagedObjectContext {
    var origin: TransactionOrigin { TransactionOrigin(author: transactionAuthor, contextName: name) }
}

extension BackgroundContext {
    /// Inserts the objects of an asynchronous sequence; the context's queue is free for other work meanwhile.
    ///
    /// The merge policy of the request, or else that of the context, resolves constraint conflicts.
    ///
    /// - Throws: As ``ManagedObjectContext/execute(_:isolation:)``.
    @discardableResult
    public func execute<Objects: AsyncSequence>(_ request: sending AsyncBatchInsertRequest<Objects>) async throws -> BatchResult {
        let (mergePolicy, origin, coordinator) = try await perform { ($0.mergePolicy, $0.origin, try $0.executor(of: .batchInsert)) }
        var request = request
        request.mergePolicy = request.mergePolicy ?? mergePolicy
        request.origin = request.origin ?? origin
        return try await coordinator.execute(request)
    }
}

extension BatchDeleteRequest {
    /// Creates a request for the saved objects that a fetch request describes, by condition, order, limit, offset and
    /// stores.
    public init<Result: ManagedObject>(fetchRequest request: ObjectFetchRequest<Result>) {
        self.init(
            entityName: request.entityName ?? "", request.predicate, sort: request.sort, limit: request.limit, offset: request.offset,
            includesSubentities: request.includesSubentities)
        if request.entityName == nil { self = replacingEntity(by: Result.self) }
        affectedStores = request.affectedStores
    }
}

extension BatchUpdateRequest {
    /// Sets a composite attribute as a whole: elements without a value become nil, all of them for `nil`.
    public mutating func set<Object: ManagedObject, V: CompositePropertyValue>(_ keyPath: KeyPath<Object, V>, to value: V.Composite?) {
        set(Key<V.Composite>(QueryExpression.path(of: keyPath)), to: value)
    }
}
