import StrataStore

extension PersistentStoreCoordinator {
    /// Inserts objects without a context, and reports them to listeners.
    ///
    /// - Throws: ``BatchInsertError`` where a constraint keeps objects out, the others being in; `StoreError`, and the
    ///   errors of the source, with nothing inserted.
    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        try log.tracing(StoreOperation(.batchInsert, request.entityName), { request.affectedStores ?? stores }, \.count) {
            try carryOut(request)
        }
    }

    private func carryOut(_ request: BatchInsertRequest) throws -> BatchResult {
        let entity = try entity(named: request.entityName, .batchInsert)
        guard !entity.isAbstract else {
            throw StoreError(.unknownEntity, .batchInsert, "the entity is abstract", entity: entity.name)
        }
        let affected = request.affectedStores?.map(\.id)
        func entry() throws -> StoreEntry { try entryForNewObjects(of: entity, among: affected, .batchInsert) }
        let storeID = try entry().store.id
        var sequence: BatchSequence?
        if sequences.slots[entity.index] != nil {
            let key = SequenceNumbers.Key(storeID: storeID, root: entity.root)
            sequence = BatchSequence(coordinator: self, entity: entity, key: key, floor: try sequenceFloor(of: entity, key))
        }
        defer { gate.awaitSnapshots() }
        return try BatchInserter(request, entity, model, sequence).run {
            let origin = origin(request.origin, reachesAllContexts: request.mergesIntoContexts)
            try write(toStore: entry, by: origin, isRepeatable: $0(), changes: $1, $2)
        }
    }

    func origin(_ given: TransactionOrigin?, reachesAllContexts: Bool) -> TransactionOrigin {
        var origin = given ?? TransactionOrigin()
        origin.reachesAllContexts = reachesAllContexts
        origin.isBatch = true
        return origin
    }

    /// The number of objects, and their IDs where requested.
    typealias BatchedObjects = (count: Int, ids: [ObjectID])

    func objects(_ rows: FetchedRows, _ type: BatchResultType) -> BatchedObjects {
        (rows.rows.count, type == .objectIDs ? rows.rows.enumerated().map { rows.scopes(ofRowAt: $0).id(of: $1) } : [])
    }

    /// Delegates a request to the only store with objects of a plan.
    ///
    /// - Parameters:
    ///   - stores: The stores of the objects; `nil` for all.
    ///   - lists: Whether the changed rows are needed.
    /// - Returns: The objects, and the listed rows; `nil`, with nothing changed, where there are more stores or the store
    ///   leaves the work to the core.
    func byStore(
        _ plan: FetchPlan, of stores: [any PersistentStore]?, lists: Bool, _ participants: [SaveParticipant],
        _ work: (SaveParticipant, FetchPlan) throws -> StoreAnswer?
    ) throws -> (objects: BatchedObjects, changed: [ObjectReference])? {
        var plan = plan
        guard participants.count == 1, try requireEntries(for: plan, stores?.map(\.id), .save).count == 1 else { return nil }
        plan.result = lists ? .references : .count
        var done: BatchedObjects = (0, [])
        var changed: [ObjectReference] = []
        switch try work(participants[0], plan) {
        case .count(let count)?: done.count = count
        case .references(let references)?:
            changed = references
            done.ids = try participants[0].entry.ids(references, of: plan.entities, .save)
            done.count = references.count
        default: return nil
        }
        return (done, changed)
    }

    func entity(named name: String, _ operation: StoreError.Operation) throws -> EntityDescription {
        guard let entity = model.entity(named: name) else {
            throw StoreError(.unknownEntity, operation, "the model has no entity \(name)", entity: name)
        }
        return entity
    }

    func writable(
        _ plan: FetchPlan, _ affected: [any PersistentStore]?, _ operation: StoreError.Operation
    ) throws(StoreError) -> [StoreEntry] {
        try requireEntries(for: plan, affected?.map(\.id), operation).filter { !$0.store.isReadOnly }
    }

    /// Returns the rows of a plan.
    ///
    /// They are read in the transaction that writes them: another connection might wait for its lock.
    func rows(_ plan: FetchPlan, _ affected: [any PersistentStore]?, _ participants: [SaveParticipant]) throws -> FetchedRows {
        let entries = try requireEntries(for: plan, affected?.map(\.id), .fetch)
        let rows = try answering(plan) {
            try withReaders(entries, in: participants) { try self.answer(plan, entries, $0).requireRows() }
        }
        _ = try model.checked(rows.rows, .fetch)
        return rows
    }

    /// Runs `body` with a reader of each store, within its transaction where it takes part in the change.
    private func withReaders<T>(
        _ entries: [StoreEntry], in participants: [SaveParticipant], _ readers: [any StoreReader] = [],
        _ body: ([any StoreReader]) throws -> T
    ) throws -> T {
        guard readers.count < entries.count else { return try body(readers) }
        let store = entries[readers.count].store
        if let participant = participants.first(where: { $0.entry.store.id == store.id }) {
            return try participant.transaction.read { try withReaders(entries, in: participants, readers + [$0], body) }
        }
        return try store.read { try withReaders(entries, in: participants, readers + [$0], body) }
    }

    /// Calls `body` to set the changes of each participant with rows.
    func distribute(
        _ rows: FetchedRows, _ operation: StoreError.Operation, _ participants: inout [SaveParticipant],
        _ body: (inout SaveParticipant, [Row]) throws -> Void
    ) throws {
        let scopes = rows.onlyScopes ?? (rows.scopes.count == 1 ? rows.scopes[0] : nil)
        if let scopes, participants.count == 1, scopes[0].storeID == participants[0].entry.store.id {
            if !rows.rows.isEmpty { try body(&participants[0], rows.rows) }
            return
        }
        for (storeID, positions) in Dictionary(grouping: rows.rows.indices, by: { rows.scopes(ofRowAt: $0)[0].storeID }) {
            guard let position = participants.firstIndex(where: { $0.entry.store.id == storeID }) else {
                let path = store(id: storeID)?.path
                throw StoreError(.readOnly, operation, "there are objects to be changed in a store that is read-only", path: path)
            }
            try body(&participants[position], positions.map { rows.rows[$0] })
        }
    }
}
