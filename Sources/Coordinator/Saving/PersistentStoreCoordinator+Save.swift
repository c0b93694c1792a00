import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    package func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        // Without closures, which retain the request in debug builds.
        if !log.hasListeners { return try store(request) }
        return try log.tracing(StoreOperation(request), { stores(with: request.parts.map(\.storeID)) }, { _ in nil }) { try store(request) }
    }

    private func store(_ request: SaveChangesRequest) throws -> SaveOutcome {
        sequences.note(request, model)
        let participants = try write(
            to: try entries(of: request), by: request.origin, checksReferences: true, exclusive: request.exclusive
        ) { participants, _ in
            var conflicts: [SaveConflictError.Conflict] = []
            for index in participants.indices {
                let storeID = participants[index].entry.store.id
                guard let part = request.parts.firstIndex(where: { $0.storeID == storeID }) else { continue }
                let unchanged = request.parts[part].unchanged
                if !unchanged.isEmpty { conflicts += try participants[index].conflicts(ofUnchanged: unchanged, model) }
                participants[index].changes = request.parts[part].changes
                participants[index].relationships = request.parts[part].relationships
            }
            if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
        }
        var outcome = SaveOutcome()
        outcome.applied = participants.map { AppliedChanges($0) }
        return outcome
    }

    private func entries(of request: SaveChangesRequest) throws -> [StoreEntry] {
        var entries: [StoreEntry] = []
        for index in request.parts.indices where !request.parts[index].isEmpty {
            entries.append(try requireEntry(storeID: request.parts[index].storeID, .save))
        }
        return entries
    }
}
