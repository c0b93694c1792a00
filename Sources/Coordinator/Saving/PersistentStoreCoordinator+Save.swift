import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    package func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        try log.tracing(.request, request.work, { _ in nil }) { try store(request) }
    }

    private func store(_ request: SaveChangesRequest) throws -> SaveOutcome {
        let participants = try write(
            to: try entries(of: request), by: request.origin, checksReferences: true, exclusive: request.exclusive
        ) { participants, _ in
            var conflicts: [SaveConflictError.Conflict] = []
            for index in participants.indices {
                let storeID = participants[index].entry.store.id
                guard let part = request.parts.first(where: { $0.storeID == storeID }) else { continue }
                conflicts += try participants[index].conflicts(ofUnchanged: part.unchanged, model)
                participants[index].changes = part.changes
                participants[index].relationships = part.relationships
            }
            if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
        }
        var outcome = SaveOutcome()
        outcome.applied = participants.map { AppliedChanges($0) }
        return outcome
    }

    private func entries(of request: SaveChangesRequest) throws -> [StoreEntry] {
        var entries: [StoreEntry] = []
        for part in request.parts where !part.isEmpty { entries.append(try requireEntry(storeID: part.storeID, .save)) }
        return entries
    }
}
