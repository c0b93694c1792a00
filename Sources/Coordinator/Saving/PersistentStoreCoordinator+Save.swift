import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    public func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        try log.tracing(.request, request.work, { _ in nil }) { try store(request) }
    }

    private func store(_ request: SaveChangesRequest) throws -> SaveOutcome {
        let storeIDs = Set(request.changes.keys).union(request.unchanged.keys).filter {
            request.changes[$0]?.isEmpty == false || request.unchanged[$0]?.isEmpty == false
        }.sorted()
        func entry(_ storeID: StoreID) throws -> StoreEntry {
            try requireEntry(
                storeID: storeID, .save,
                onlyNewObjects: request.unchanged[storeID] == nil && request.changes[storeID]?.isSelfContained(model) ?? true)
        }
        // A request may name a store under the ID of one that was migrated to it, besides its own.
        var places: [(storeID: StoreID, participant: StoreID, inserted: Range<Int>, updated: Range<Int>)] = []
        let participants = try write(
            to: try storeIDs.map(entry), by: request.origin, checksReferences: true, isRepeatable: true, exclusive: request.exclusive
        ) { participants, _ in
            places = []
            var conflicts: [SaveConflictError.Conflict] = []
            for storeID in storeIDs {
                let store = try entry(storeID).store.id
                guard let place = participants.firstIndex(where: { $0.entry.store.id == store }) else { continue }
                conflicts += try VersionCheck(request.unchanged[storeID] ?? [], model).conflicts(participants[place])
                guard let changes = request.changes[storeID] else { continue }
                let (inserted, updated) = (participants[place].changes.inserted.count, participants[place].changes.updated.count)
                participants[place].changes.append(changes)
                participants[place].relationships += request.relationships[storeID] ?? []
                places.append(
                    (storeID, store, inserted..<inserted + changes.inserted.count, updated..<updated + changes.updated.count))
            }
            if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
        }
        let changes = Dictionary(participants.map { ($0.entry.store.id, $0.changes) }) { first, _ in first }
        var outcome = SaveOutcome()
        outcome.applied = participants.map { AppliedChanges($0) }
        for place in places {
            guard let changes = changes[place.participant] else { continue }
            let isAll = place.inserted.count == changes.inserted.count
            outcome.inserted[place.storeID] = isAll ? changes.inserted : Array(changes.inserted[place.inserted])
            outcome.updated[place.storeID] = changes.updated[place.updated].map(\.row)
        }
        for participant in participants where !participant.derived.isEmpty {
            outcome.derived[participant.entry.store.id] = participant.derived.values.map(\.row)
        }
        return outcome
    }
}

extension ChangeSet {
    /// Whether all is about objects that were never saved.
    fileprivate func isSelfContained(_ model: ManagedObjectModel) -> Bool {
        updated.isEmpty && deleted.isEmpty && links.allSatisfy { $0.link.first < 0 && $0.link.second < 0 }
            && inserted.allSatisfy { row in
                let slots = model.entities[row.entityIndex].layout.slots
                return row.reference < 0 && slots.places().allSatisfy { slots[$0].kind != .reference || (row.integer($0) ?? -1) < 0 }
            }
    }

    fileprivate mutating func append(_ other: ChangeSet) {
        if isEmpty { return self = other }
        inserted += other.inserted
        updated += other.updated
        deleted += other.deleted
        links += other.links
    }
}
