import StrataEvaluation
package import StrataModel
import StrataQuery
import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    private func origin(_ given: TransactionOrigin?, reachesAllContexts: Bool) -> TransactionOrigin {
        var origin = given ?? TransactionOrigin()
        origin.reachesAllContexts = reachesAllContexts
        return origin
    }

    public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
        try log.tracing(.request, "batch insert of \(request.entityName)", \.count) { try carryOut(request) }
    }

    private func carryOut(_ request: BatchInsertRequest) throws -> BatchResult {
        let entity = try entity(named: request.entityName, .batchInsert)
        guard !entity.isAbstract else {
            throw StoreError(.unknownEntity, .batchInsert, "the entity is abstract", entity: entity.name)
        }
        let affected = request.affectedStores?.map(\.id)
        func entry() throws -> StoreEntry {
            let entry = entries.withLock { entries in
                entries.first { entry in
                    !entry.store.isReadOnly && entry.entities.contains(entity.index)
                        && affected.map { $0.contains(entry.store.id) } ?? true
                }
            }
            if let entry { return entry }
            throw StoreError(.noStore, .batchInsert, "no writable store holds the entity", entity: entity.name)
        }
        _ = try entry()
        defer { gate.awaitSnapshots() }
        return try BatchInserter(request, entity, model).run {
            try write(toStore: entry, by: origin(request.origin, reachesAllContexts: request.mergesIntoContexts), changes: $0, $1)
        }
    }

    public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
        try log.tracing(.request, "batch update of \(request.entityName)", \.count) { try carryOut(request) }
    }

    /// Refuses an update that takes from composite attributes what has to be there where something of them stays.
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
            // Nothing of it is left: each of its elements is nil.
            guard let composite = entity.compositeAttribute(named: name) else { continue }
            updates[composite.name] = nil
            for attribute in composite.attributes where updates[attribute.name] == nil { updates[attribute.name] = .constant(.null) }
        }
        try checkComposites(updates, of: entity)
        let assignments = try updates.sorted { $0.key < $1.key }.map {
            try BatchAssignment($0.key, $0.value, of: entity, in: model)
        }
        if assignments.isEmpty { return BatchResult(request.resultType, count: 0) }
        var done = Done()
        // The one destination that an update may set is looked for as it is packed.
        let names = assignments.map(\.name)
        let origin = origin(request.origin, reachesAllContexts: request.mergesIntoContexts)
        let participants = try write(
            to: writable(plan, request.affectedStores), by: origin, checksReferences: false, isRepeatable: true
        ) { participants, isObserved in
            if !request.isCarriedOutInCore {
                let lists = isObserved || request.resultType == .objectIDs
                let found = try byStore(
                    plan, request.affectedStores, lists, &participants, { .updated($0, properties: names) }
                ) { participant, plan in
                    // What is wrong with a destination matters only where there are objects to be changed.
                    let updater = try participant.transaction.read { try? BatchUpdater(assignments, entity, participant.entry, model, $0) }
                    return try updater?.assignments.flatMap { try participant.transaction.update(plan, $0) }
                }
                if let found { return done = found }
            }
            let rows = try rows(plan, request.affectedStores, participants)
            done = Done(rows, request.resultType)
            try distribute(rows, .batchUpdate, &participants) { participant, rows in
                try participant.transaction.read { reader in
                    var updater = try BatchUpdater(assignments, entity, participant.entry, model, reader)
                    participant.changes.updated = try rows.map { try updater.update($0) }
                }
            }
        }
        let ids = request.resultType == .objectIDs ? done.ids : []
        let others = request.resultType == .objectIDs ? participants.flatMap(\.derivedIDs) : []
        return BatchResult(request.resultType, count: done.count, objectIDs: ids, changes: RemoteChanges(updated: ids + others))
    }

    public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
        try log.tracing(.request, "batch delete", \.count) { try carryOut(request) }
    }

    private func carryOut(_ request: BatchDeleteRequest) throws -> BatchResult {
        let plan: FetchPlan?
        /// What tells a store which objects are deleted.
        let selection: FetchPlan?
        switch request.target {
        case .fetch(let fetch):
            plan = try self.plan(fetch)
            selection = plan
        case .objects(let ids):
            plan = nil
            try requireOneEntity(ids)
            selection = try ids.isEmpty ? nil : self.plan(ids)
        }
        func stores() throws -> [StoreEntry] {
            // Delete rules lead to objects of the same store only.
            if let plan { return writable(plan, request.affectedStores) }
            guard case .objects(let ids) = request.target else { return [] }
            return try Set(ids.compactMap(\.storeID)).map { try requireEntry(storeID: $0, .batchDelete) }
        }
        var done = Done()
        var isDoneByStore = false
        // What leads to the rows deleted is looked for as the delete rules are followed.
        let origin = origin(request.origin, reachesAllContexts: request.mergesIntoContexts)
        let participants = try write(
            to: stores(), by: origin, checksReferences: false, isRepeatable: true
        ) { participants, isObserved in
            isDoneByStore = false
            if let selection, !request.isCarriedOutInCore, !BatchDeleter.needsRows(selection.entities, rules) {
                let lists = isObserved || request.resultType == .objectIDs
                let affected = plan == nil ? participants.map(\.entry.store) : request.affectedStores
                let found = try byStore(selection, affected, lists, &participants, { .deleted($0) }) {
                    try $0.transaction.delete($1)
                }
                if let found {
                    done = found
                    isDoneByStore = true
                    return
                }
            }
            let rows: FetchedRows
            if let plan {
                rows = try self.rows(plan, request.affectedStores, participants)
            } else {
                rows = try self.rows(of: request.target, participants)
            }
            done = Done(rows, request.resultType)
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

    /// The objects that a request is about.
    private struct Done {
        var count = 0
        /// Their IDs, where they were asked for.
        var ids: [ObjectID] = []

        init() {}

        init(_ rows: FetchedRows, _ type: BatchResultType) {
            count = rows.count
            if type == .objectIDs { ids = rows.rows.indices.map { rows.id(ofRowAt: $0) } }
        }
    }

    /// Has the one store that holds objects of a plan do a request's work by itself.
    ///
    /// - Parameters:
    ///   - lists: Whether somebody wants to know which rows the store changes.
    ///   - change: What became of these rows.
    /// - Returns: `nil`, with nothing changed, where there are more stores or the store leaves the work to the core.
    private func byStore(
        _ plan: FetchPlan, _ affected: [any PersistentStore]?, _ lists: Bool, _ participants: inout [SaveParticipant],
        _ change: ([ObjectReference]) -> SaveParticipant.OwnChange, _ work: (SaveParticipant, FetchPlan) throws -> StoreAnswer?
    ) throws -> Done? {
        guard participants.count == 1, entries(for: plan, affected?.map(\.id)).count == 1 else { return nil }
        var plan = plan
        plan.result = lists ? .references : .count
        var done = Done()
        var changed: [ObjectReference] = []
        switch try work(participants[0], plan) {
        case .count(let count)?: done.count = count
        case .references(let references)?:
            changed = references
            done.ids = try participants[0].entry.ids(references, of: plan.entities, .save)
            done.count = references.count
        default: return nil
        }
        if done.count > 0 { participants[0].ownChange = change(changed) }
        return done
    }

    // MARK: - Entities and stores

    private func entity(named name: String, _ operation: StoreError.Operation) throws -> EntityDescription {
        guard let entity = model.entity(named: name) else {
            throw StoreError(.unknownEntity, operation, "the model has no entity \(name)", entity: name)
        }
        return entity
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

    /// A plan for objects of one entity.
    private func plan(_ ids: [ObjectID]) throws -> FetchPlan {
        let entity = try entity(named: ids[0].entity.name, .batchDelete)
        var plan = FetchPlan(entity)
        let isOneOfThem = QueryComparison(.evaluatedObject, .isIn, .constant(.list(ids.map { .objectID($0) })))
        plan.predicate = try QueryPredicate.comparison(isOneOfThem).resolved(for: entity, in: model)
        return plan
    }

    /// The writable stores that may hold rows of a plan.
    private func writable(_ plan: FetchPlan, _ affected: [any PersistentStore]?) -> [StoreEntry] {
        let storeIDs = affected?.map(\.id)
        return entries.withLock { entries in
            entries.filter { entry in
                !entry.store.isReadOnly && entry.holds(anyOf: plan.entities) && storeIDs.map { $0.contains(entry.store.id) } ?? true
            }
        }
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

    // MARK: - Rows

    // What is written is read in the transaction that writes it: one that waited for another connection, or another turn, might wait for itself.

    private func rows(
        _ plan: FetchPlan, _ affected: [any PersistentStore]?, _ participants: [SaveParticipant]
    ) throws -> FetchedRows {
        let storeIDs = affected?.map(\.id)
        let answer: CoordinatorAnswer
        if participants.count == 1, entries(for: plan, storeIDs).count == 1 {
            answer = try answering(plan) {
                guard case .rows(let rows, _) = try participants[0].transaction.read({ try $0.answer(plan) }) else { return .count(0) }
                return .rows(FetchedRows(rows: rows, scopes: [participants[0].entry.scopes], storeOfRow: []))
            }
        } else {
            answer = try fetch(plan, affectedStores: storeIDs)
        }
        guard case .rows(let rows) = answer else {
            throw StoreError(.unsupported, .fetch, "something else was answered where rows were asked for")
        }
        _ = try model.checked(rows.rows, .fetch)
        return rows
    }

    private func rows(of target: BatchDeleteRequest.Target, _ participants: [SaveParticipant]) throws -> FetchedRows {
        var fetched = FetchedRows(rows: [], scopes: [], storeOfRow: [])
        guard case .objects(let ids) = target else { return fetched }
        var seen: Set<ObjectID> = []
        let unique = ids.filter { seen.insert($0).inserted }
        for (place, participant) in participants.enumerated() {
            let ids = unique.filter { $0.storeID == participant.entry.store.id }
            if ids.isEmpty { continue }
            let found = try participant.transaction.read { try $0.rows(root: ids[0].entity.root, references: ids.map(\.reference)) }
            let byReference = Dictionary(try model.checked(found, .fetch).map { ($0.reference, $0) }) { first, _ in first }
            let rows = ids.compactMap { id in byReference[id.reference].flatMap { id.isOf($0) ? $0 : nil } }
            fetched.rows += rows
            fetched.storeOfRow += Array(repeating: Int32(place), count: rows.count)
        }
        fetched.scopes = participants.map(\.entry.scopes)
        return fetched
    }

    /// Has `body` set the changes of each participant that rows come from.
    private func distribute(
        _ rows: FetchedRows, _ operation: StoreError.Operation, _ participants: inout [SaveParticipant],
        _ body: (inout SaveParticipant, [Row]) throws -> Void
    ) throws {
        if rows.scopes.count == 1, participants.count == 1, rows.scopes[0][0].storeID == participants[0].entry.store.id {
            if !rows.rows.isEmpty { try body(&participants[0], rows.rows) }
            return
        }
        for (storeID, places) in Dictionary(grouping: rows.rows.indices, by: { rows.scopes(ofRowAt: $0)[0].storeID }) {
            guard let place = participants.firstIndex(where: { $0.entry.store.id == storeID }) else {
                let path = store(id: storeID)?.path
                throw StoreError(.readOnly, operation, "there are objects to be changed in a store that is read-only", path: path)
            }
            try body(&participants[place], places.map { rows.rows[$0] })
        }
    }
}

extension FetchedRows {
    fileprivate var count: Int { rows.count }

    fileprivate func id(ofRowAt index: Int) -> ObjectID { scopes(ofRowAt: index).id(of: rows[index]) }
}

extension ManagedObjectModel {
    /// The entity whose objects are of a class; `nil` unless exactly one names it, its sub-entities aside.
    package func entity(ofClass objectClass: AnyClass) -> EntityDescription? {
        let named = entities.filter { $0.objectClass == objectClass }
        let topmost = named.filter { entity in !named.contains { $0 !== entity && entity.isKind(of: $0) } }
        return topmost.count == 1 ? topmost[0] : nil
    }
}
