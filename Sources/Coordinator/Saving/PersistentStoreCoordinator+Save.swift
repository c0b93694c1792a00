import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    package func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        try log.tracing(.request, request.work, { _ in nil }) { try store(request) }
    }

    private func store(_ request: SaveChangesRequest) throws -> SaveOutcome {
        let storeIDs = Set(request.changes.keys).union(request.unchanged.keys).filter {
            request.changes[$0]?.isEmpty == false || request.unchanged[$0]?.isEmpty == false
        }.sorted()
        let participants = try write(
            to: try storeIDs.map { try requireEntry(storeID: $0, .save) }, by: request.origin, checksReferences: true,
            exclusive: request.exclusive
        ) { participants, _ in
            var conflicts: [SaveConflictError.Conflict] = []
            for index in participants.indices {
                let storeID = participants[index].entry.store.id
                conflicts += try participants[index].conflicts(ofUnchanged: request.unchanged[storeID] ?? [], model)
                participants[index].changes = request.changes[storeID] ?? ChangeSet()
                participants[index].relationships = request.relationships[storeID] ?? []
            }
            if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
        }
        var outcome = SaveOutcome()
        outcome.applied = participants.map { AppliedChanges($0) }
        for participant in participants {
            outcome.inserted[participant.entry.store.id] = participant.changes.inserted
            outcome.updated[participant.entry.store.id] = participant.changes.updated.map(\.row)
            if !participant.derived.isEmpty { outcome.derived[participant.entry.store.id] = participant.derived.values.map(\.row) }
        }
        return outcome
    }
}
