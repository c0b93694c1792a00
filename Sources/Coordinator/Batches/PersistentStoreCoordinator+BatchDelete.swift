package import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    /// Deletes objects without a context, and reports them to listeners.
    ///
    /// - Throws: `StoreError`, `QueryError`; nothing is deleted then.
    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        try log.tracing(StoreOperation(.batchDelete, nil), { request.affectedStores ?? stores }, \.count) { try carryOut(request) }
    }

    private func carryOut(_ request: BatchDeleteRequest) throws -> BatchResult {
        let (plan, ids): (FetchPlan?, [ObjectID]) =
            switch request.target {
            case .fetch(let fetch): (try self.plan(fetch), [])
            case .objects(let ids): (nil, ids)
            }
        try requireOneEntity(ids)
        /// The selection for a store that does the work itself.
        let selection = try plan ?? (ids.isEmpty ? nil : self.plan(ids))
        func stores() throws -> [StoreEntry] {
            // Delete rules reference objects of the same store only.
            if let plan { return try writable(plan, request.affectedStores, .batchDelete) }
            return try Set(ids.compactMap(\.storeID)).map { try requireEntry(storeID: $0, .batchDelete) }
        }
        var done: BatchedObjects = (0, [])
        var isDoneByStore = false
        // References to the deleted rows are searched by the delete rules.
        let origin = origin(request.origin, reachesAllContexts: request.mergesIntoContexts)
        let participants = try write(to: stores(), by: origin, checksReferences: false) { participants, listsChanges in
            isDoneByStore = false
            if let selection, !request.isCarriedOutInCore, !BatchDeleter.needsRows(selection.entities, rules) {
                let lists = listsChanges || request.resultType == .objectIDs
                let affected = plan == nil ? participants.map(\.entry.store) : request.affectedStores
                if let found = try byStore(selection, of: affected, lists: lists, participants, { try $0.writer.delete($1) }) {
                    if found.objects.count > 0 { participants[0].ownChange = .deleted(found.changed) }
                    done = found.objects
                    isDoneByStore = true
                    return
                }
            }
            let rows = try plan.map { try self.rows($0, request.affectedStores, participants) } ?? self.rows(of: ids, participants)
            done = objects(rows, request.resultType)
            try distribute(rows, .batchDelete, &participants) { participant, rows in
                participant.changes = try participant.transaction.read {
                    try BatchDeleter.changes(deleting: rows, rules, $0, participant.entry)
                }
            }
        }
        guard request.resultType == .objectIDs else { return BatchResult(request.resultType, count: done.count) }
        var changes = RemoteChanges()
        if isDoneByStore { changes.deleted = done.ids }
        for participant in participants {
            let scopes = participant.entry.scopes
            changes.deleted += participant.changes.deleted.map { ObjectID(scope: scopes[$0.entity], reference: $0.reference) }
            changes.updated += participant.changes.updated.map { scopes.id(of: $0.row) } + participant.derivedIDs
        }
        return BatchResult(.objectIDs, count: done.count, objectIDs: done.ids, changes: changes)
    }

    private func plan(_ fetch: BatchDeleteRequest.Fetch) throws -> FetchPlan {
        let entity: EntityDescription
        if let name = fetch.entityName {
            entity = try self.entity(named: name, .batchDelete)
        } else if let objectClass = fetch.objectClass, let found = model.entity(ofClass: objectClass) {
            entity = found
        } else {
            throw StoreError(.unknownEntity, .batchDelete, "no entity, or more than one, names the class of the objects")
        }
        var plan = FetchPlan(entity)
        plan.includesSubentities = fetch.includesSubentities
        plan.predicate = try fetch.predicate?.resolved(for: entity, in: model)
        plan.sort = try fetch.sort.map { try ResolvedSort($0, of: entity, in: model) }
        plan.limit = fetch.limit.map { max(0, $0) }
        plan.offset = max(0, fetch.offset)
        return plan
    }

    private func plan(_ ids: [ObjectID]) throws -> FetchPlan {
        let entity = try entity(named: ids[0].entity.name, .batchDelete)
        var plan = FetchPlan(entity)
        plan.predicate = try QueryExpression.evaluatedObject.isIn(ids.map(Value.objectID)).resolved(for: entity, in: model)
        return plan
    }

    private func requireOneEntity(_ ids: [ObjectID]) throws {
        for id in ids {
            if id.isTemporary { throw StoreError(.notFound, .batchDelete, "\(id) was never saved", entity: id.entity.name) }
            if id.entity.name != ids[0].entity.name {
                throw StoreError(
                    .unknownEntity, .batchDelete, "the objects are of several entities, \(ids[0].entity.name) and \(id.entity.name)",
                    entity: id.entity.name)
            }
        }
    }

    private func rows(of ids: [ObjectID], _ participants: [SaveParticipant]) throws -> FetchedRows {
        var fetched = FetchedRows(rows: [], scopes: [], storeOfRow: [])
        var seen: Set<ObjectID> = []
        let unique = ids.filter { seen.insert($0).inserted }
        for (index, participant) in participants.enumerated() {
            let ids = unique.filter { $0.storeID == participant.entry.store.id }
            if ids.isEmpty { continue }
            let found = try participant.transaction.read { try $0.rows(root: ids[0].entity.root, references: ids.map(\.reference)) }
            let byReference = Dictionary(try model.checked(found, .fetch).map { ($0.reference, $0) }) { first, _ in first }
            let rows = ids.compactMap { id in byReference[id.reference].flatMap { id.isOf($0) ? $0 : nil } }
            fetched.rows += rows
            fetched.storeOfRow += Array(repeating: Int32(index), count: rows.count)
        }
        fetched.scopes = participants.map(\.entry.scopes)
        return fetched
    }
}

extension ManagedObjectModel {
    /// Returns the entity whose objects are of a class; `nil` unless exactly one names it, sub-entities aside.
    package func entity(ofClass objectClass: AnyClass) -> EntityDescription? {
        let named = entities.filter { $0.objectClass == objectClass }
        let topmost = named.filter { entity in !named.contains { $0 !== entity && entity.isKind(of: $0) } }
        return topmost.count == 1 ? topmost[0] : nil
    }
}
