import StrataStore

// The second phase: every store commits.
extension TwoPhaseCommit {
    /// A store that a decided save did not reach at once.
    typealias Missed = (entry: StoreEntry, error: any Error)

    /// Commits a decided save in all of its stores; ``finish(_:model:)`` follows.
    ///
    /// - Returns: The stores that did not commit.
    /// - Throws: `StoreError`: of a store's own where nothing was saved, or `inDoubt` with the recovery `reopen`.
    func commit(_ participants: inout [SaveParticipant], model: ManagedObjectModel) throws -> [Missed] {
        var missed: [Missed] = []
        for entry in entries {
            guard let position = participants.firstIndex(where: { $0.entry === entry }) else { continue }
            let participant = participants[position]
            do { try commit(participant, model) } catch {
                let isUnclear = (error as? StoreError)?.recovery == .reopen
                if !isUnclear && !participant.isPrepared { participant.transaction.rollback() }
                participants[position].isOver = true
                if entry === decidingStore {
                    if !entry.keepsFiles {
                        if isUnclear { throw leaveInDoubt(&participants, error) }
                        rollBackPrepared(&participants)
                        throw error
                    }
                    if !isUnclear, try isTakenBack(&participants, error) { throw error }
                }
                missed.append((participant.entry, error))
            }
            participants[position].isOver = true
        }
        for position in participants.indices where participants[position].entry.isDurable { participants[position].hasTakenEffect = true }
        return missed
    }

    private func commit(_ participant: SaveParticipant, _ model: ManagedObjectModel) throws {
        if participant.isPrepared, let store = participant.entry.store as? any PreparingStore { return try store.commitPrepared(id) }
        try participant.commit(model)
    }

    /// Revokes the decision where the deciding store, the first to commit, failed: no store has the save then.
    ///
    /// Another process may have had the deciding store's write lock meanwhile, and have finished the save there: so the
    /// lock is acquired once more, without waiting, as the locks of the other stores are held in another order than
    /// every save acquires them; a process that has it finishes the save before its own.
    ///
    /// - Returns: Whether no store will commit the save; else all of them have to.
    private func isTakenBack(_ participants: inout [SaveParticipant], _ cause: any Error) throws -> Bool {
        guard let writeLock = try? Deadline.$limit.withValue(0, operation: { try decidingStore.store.beginWrite() }) else { return false }
        let isFree = (try? writeLock.metadata()).map { !$0.twoPhaseCommits.contains(id) } ?? false
        let isRevoked = isFree && revoke()
        writeLock.rollback()
        guard isFree else { return false }
        guard isRevoked else { throw leaveInDoubt(&participants, cause) }
        let isOver = rollBackPrepared(&participants)
        removeFiles(isRevoked: true, keepsRevocation: !isOver)
        return true
    }

    /// Finishes the save in the stores that did not commit, and removes the files.
    ///
    /// The changes are applied once more, as if the store were opened again; where that fails too, it is closed, so
    /// that no save depends on a store that the save has not reached, and opening it finishes the save.
    ///
    /// - Throws: `StoreError` with `inDoubt` and the recovery `reopen` where stores were closed.
    func finish(_ missed: [Missed], model: ManagedObjectModel) throws {
        for one in missed {
            do {
                // A server throws where neither its prepared transactions nor its log have the save.
                if !one.entry.keepsFiles, let store = one.entry.store as? any PreparingStore {
                    try store.commitPrepared(id)
                } else {
                    try one.entry.finishSaves(model, .save)
                }
            } catch let second {
                for other in missed { try? other.entry.store.close() }
                throw StoreError(
                    .inDoubt, .save, "the save is decided, but has to be finished by opening the store again (\(second))",
                    path: one.entry.store.path, underlying: one.error, recovery: .reopen)
            }
        }
        removeFiles(isRevoked: false)
        (decidingStore.store as? any PreparingStore)?.forgetDecision(id)
    }

    /// Removes the files of a save that is over in all stores: the others' first, as they depend on the deciding
    /// store's.
    ///
    /// After a failure they are removed when the stores are opened again.
    ///
    /// - Parameter keepsRevocation: Whether a server may need it.
    func removeFiles(isRevoked: Bool, keepsRevocation: Bool = false) {
        // Where the deciding store is no file, no other store is.
        guard decidingStore.keepsFiles else { return }
        do {
            let others = others.filter(\.keepsFiles)
            for entry in others { try remove(.pending, beside: entry) }
            for directory in try Set(others.map { PathName.parent(of: try $0.filePath()) }).sorted() {
                try files.synchronizeDirectory(directory)
            }
            for kind in PreparedSaveFileName.Kind.unfinished { try remove(kind, beside: decidingStore) }
            try remove(.decided, beside: decidingStore)
            guard isRevoked, !keepsRevocation else { return }
            // A revoked record must not come back without its revocation.
            try files.synchronizeDirectory(PathName.parent(of: try decidingStore.filePath()))
            try remove(.aborted, beside: decidingStore)
        } catch {}
    }

    private func remove(_ kind: PreparedSaveFileName.Kind, beside entry: StoreEntry) throws {
        try files.removeIfPresent(PreparedSaveFileName(forStoreAt: try entry.filePath(), id: id, kind).path)
    }
}
