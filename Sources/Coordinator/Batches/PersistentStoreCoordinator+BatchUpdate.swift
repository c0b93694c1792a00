import StrataStore

extension PersistentStoreCoordinator {
    /// Changes objects without a context, and reports them to listeners.
    ///
    /// - Throws: `StoreError`, `QueryError`; nothing is changed then.
    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        try log.tracing(StoreOperation(.batchUpdate, request.entityName), { request.affectedStores ?? stores }, \.count) {
            try carryOut(request)
        }
    }

    /// Rejects an update that sets required elements of remaining composite values to nil.
    private func checkComposites(_ updates: [String: QueryExpression], of entity: EntityDescription) throws {
        func isTaken(_ attribute: AttributeDescription) -> Bool {
            if case .constant(.null)? = updates[attribute.name] { true } else { false }
        }
        for requirement in entity.compositeRequirements where requirement.needed.allSatisfy(isTaken) {
            if requirement.condition?.attributes.allSatisfy(isTaken) == true { continue }
            throw StoreError(.wrongValue, .batchUpdate, requirement.message, entity: entity.name, key: requirement.name)
        }
    }

    private func carryOut(_ request: BatchUpdateRequest) throws -> BatchResult {
        let entity = try entity(named: request.entityName, .batchUpdate)
        var plan = FetchPlan(entity)
        plan.includesSubentities = request.includesSubentities
        plan.predicate = try request.predicate?.resolved(for: entity, in: model)
        var updates = request.propertiesToUpdate
        for (name, value) in request.propertiesToUpdate where value == .constant(.null) {
            // All of its elements become nil.
            guard let composite = entity.compositeAttribute(named: name) else { continue }
            updates[composite.name] = nil
            for attribute in composite.attributes where updates[attribute.name] == nil { updates[attribute.name] = .constant(.null) }
        }
        try checkComposites(updates, of: entity)
        let assignments = try updates.sortedByKey().map { try BatchAssignment($0.key, $0.value, of: entity, in: model) }
        if assignments.isEmpty { return BatchResult(request.resultType, count: 0) }
        var done: BatchedObjects = (0, [])
        // The one destination that an update may set is looked up when it is packed.
        let names = assignments.map(\.name)
        let origin = origin(request.origin, reachesAllContexts: request.mergesIntoContexts)
        defer {
            if entity.generatedAttributes.contains(where: { $0.type == .integer64 && updates[$0.name] != nil }) {
                for store in stores { sequences.forget(store.id, entity.root) }
            }
        }
        let participants = try write(
            to: try writable(plan, request.affectedStores, .batchUpdate), by: origin, checksReferences: false
        ) { participants, listsChanges in
            if !request.isCarriedOutInCore {
                let lists = listsChanges || request.resultType == .objectIDs
                let found = try byStore(plan, of: request.affectedStores, lists: lists, participants) { participant, plan in
                    // Errors of a destination matter only where there are objects to change.
                    let updater = try participant.transaction.read { try? BatchUpdater(assignments, entity, participant.entry, model, $0) }
                    return try updater?.assignments.flatMap { try participant.writer.update(plan, $0) }
                }
                if let found {
                    if found.objects.count > 0 { participants[0].ownChange = .updated(found.changed, properties: names) }
                    return done = found.objects
                }
            }
            let rows = try rows(plan, request.affectedStores, participants)
            done = objects(rows, request.resultType)
            try distribute(rows, .batchUpdate, &participants) { participant, rows in
                try participant.transaction.read { reader in
                    reader.expect(rows)
                    var updater = try BatchUpdater(assignments, entity, participant.entry, model, reader)
                    participant.changes.updated = try rows.map { try updater.update($0) }
                }
            }
        }
        let ids = request.resultType == .objectIDs ? done.ids : []
        let others = request.resultType == .objectIDs ? participants.flatMap(\.derivedIDs) : []
        return BatchResult(request.resultType, count: done.count, objectIDs: ids, changes: RemoteChanges(updated: ids + others))
    }
}
