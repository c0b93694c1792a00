import StrataCoordinator
import StrataStore

// The reads of children through a context: what is saved, with the context's own changes.

extension ManagedObjectContext {
    /// Fetches for a child what the context sees; values and groups are of what is saved.
    func fetchForChild(_ plan: FetchPlan, _ stores: [StoreID]?) throws -> CoordinatorAnswer {
        assertQueue()
        switch plan.result {
        case .groups, .values: return try source.fetch(plan, affectedStores: stores)
        case .rows, .references, .count: break
        }
        if tracker.hasDeletions { try applyDueDeleteRules() }
        let overlay = tracker.isUnchanged ? nil : PendingOverlay(plan, self, stores: stores)
        guard let overlay else {
            let answer = try source.fetch(plan, affectedStores: stores)
            if case .rows(let fetched) = answer, !identity.isEmpty { return .rows(try withOwnRows(fetched)) }
            return answer
        }
        let elements = try overlay.apply(to: source.fetch(overlay.saved, affectedStores: stores).requireRows(), self)
        switch plan.result {
        case .count: return .count(elements.count)
        case .references: return .ids(elements.map(\.objectID))
        default: return .rows(try rows(of: elements))
        }
    }

    /// Returns fetched rows with the context's own instead, where it has changes.
    private func withOwnRows(_ fetched: FetchedRows) throws -> FetchedRows {
        var fetched = fetched
        for index in fetched.rows.indices {
            let scope = try fetched.scopes(ofRowAt: index).scope(of: fetched.rows[index])
            if let row = identity[scope, fetched.rows[index].reference]?.row { fetched.rows[index] = row }
        }
        return fetched
    }

    private func rows(of elements: [PendingOverlay.Element]) throws -> FetchedRows {
        var fetched = FetchedRows(rows: [], scopes: [], storeOfRow: [])
        fetched.rows.reserveCapacity(elements.count)
        var scopeIndices: [StoreID: Int32] = [:]
        for element in elements {
            let scopes: ObjectIDScopes
            let row: Row
            switch element.source {
            case .pending(let object):
                scopes = object.objectID.isTemporary ? identity.temporaryScopes : try loader.scopes(of: object.objectID)
                row = element.row
            case .fetched(let known):
                scopes = known
                row = identity[try known.scope(of: element.row), element.row.reference]?.row ?? element.row
            }
            let storeID = scopes[row.entityIndex].storeID
            if scopeIndices[storeID] == nil {
                scopeIndices[storeID] = Int32(fetched.scopes.count)
                fetched.scopes.append(scopes)
            }
            fetched.rows.append(row)
            fetched.storeOfRow.append(scopeIndices[storeID] ?? 0)
        }
        return fetched
    }

    /// Returns the rows of objects as the context sees them; `nil` for missing and deleted ones.
    func rowsForChild(_ ids: [ObjectID]) throws -> [Row?] {
        var packer: RowPacker?
        return try answers(ids, missing: nil, source.rows) { object in
            // Without a row it is unknown here.
            guard object.changesRow else { return object.row.map { .some($0) } }
            try loader.requireRow(of: object)
            var current = packer ?? RowPacker(self, TargetStores(self), .reading)
            defer { packer = current }
            return try current.pack(object, storeID: try targetStoreID(of: object))
        }
    }

    func destinationsForChild(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try answers(ids, missing: [], { try source.destinations(of: relationship, from: $0) }) { object in
            guard object.isNew || object.extra?.toMany(relationship.index) != nil else { return nil }
            let ids = try object.destinationIDs(relationship).map { identity.permanent($0) }
                .filter { !tracker.hasForgotten || identity[$0]?.isForgotten != true }
            return relationship.isOrdered ? ids : ids.sorted { RowOrder.order($0.reference, $1.reference) == .less }
        }
    }

    /// Returns what the context knows of each object, or else what it reads.
    private func answers<Answer>(
        _ ids: [ObjectID], missing: Answer, _ read: ([ObjectID]) throws -> [Answer], _ known: (ManagedObject) throws -> Answer?
    ) throws -> [Answer] {
        assertQueue()
        if tracker.hasDeletions { try applyDueDeleteRules() }
        var unknown: [(position: Int, id: ObjectID)] = []
        var answers: [Answer] = try ids.enumerated().map { position, id in
            let id = identity.permanent(id)
            if let object = identity[id] {
                if object.isDeleted || object.isInaccessible { return missing }
                if let answer = try known(object) { return answer }
            }
            if !id.isTemporary || parent != nil { unknown.append((position, id)) }
            return missing
        }
        if unknown.isEmpty { return answers }
        for ((position, _), answer) in zip(unknown, try read(unknown.map(\.id))) { answers[position] = answer }
        return answers
    }
}
