import StrataStore

/// A two-phase commit over several durable stores: first the coordinator record is written beside the deciding store;
/// then every other store prepares, with a file of its changes beside each file store; then the record is renamed,
/// which decides; then every store commits, the deciding store first.
///
/// The record is on disk before anything refers to it: where it is missing, another store is at its path, or it was
/// lost, and the save is in doubt rather than undecided.
///
/// A `PreparingStore` keeps its changes itself. The deciding store is a file store, where there is one; without one it
/// is a server, and decides by its own commit, which contains the save's mark.
///
/// A decision that may be on disk is never revoked by removing it, as a removal that failed half-way may or may not be
/// durable: it is revoked by one more file, and only as long as it is certain that no process has acted on it. Where
/// even that is unknown, no store commits, all stores are closed, and opening them finds one answer for all.
struct TwoPhaseCommit {
    let id = UUID().uuidString
    let decidingStore: StoreEntry
    let others: [StoreEntry]
    let files = RecoveryFiles.fileSystem
    var entries: [StoreEntry] { [decidingStore] + others }

    /// Creates a save over at least two durable stores; throws `StoreError` with `unsupported` where one of them is no
    /// file and keeps no prepared transactions.
    init(_ entries: [StoreEntry]) throws(StoreError) {
        for entry in entries where !entry.keepsFiles && !(entry.store is any PreparingStore) {
            throw TwoPhaseCommit.cannotParticipate(entry)
        }
        let position = entries.firstIndex(where: \.keepsFiles) ?? 0
        decidingStore = entries[position]
        others = Array(entries[..<position] + entries[(position + 1)...])
    }

    /// The number of saves in a store's metadata besides those that still have files: the removal of a file may not be
    /// durable.
    private static let mostRemembered = 8

    /// Returns the saves in the store's metadata: the last ones, and those that still have files.
    ///
    /// - Parameter path: The path of the store.
    static func remembered(_ ids: [String], besideStoreAt path: String, _ files: any FileSystem) throws(FileError) -> [String] {
        var ids = ids
        while ids.count > mostRemembered,
            try !PreparedSaveFileName.isThereAny(forStoreAt: path, id: ids[0], PreparedSaveFileName.Kind.unfinished, files)
        { ids.removeFirst() }
        return ids
    }

    /// Adds the save to the store's metadata, together with the changes.
    func mark(_ participant: inout SaveParticipant) throws {
        let entry = participant.entry
        guard entry.keepsFiles else {
            if entry === decidingStore { try preparing(participant).decide(id) }
            return
        }
        var metadata = try participant.changes.metadata ?? participant.transaction.metadata()
        metadata.twoPhaseCommits = try TwoPhaseCommit.remembered(metadata.twoPhaseCommits + [id], besideStoreAt: entry.filePath(), files)
        participant.changes.metadata = metadata
    }

    /// Writes the files, and prepares the other stores; throws `StoreError`; the save is not decided then, unless it is
    /// `inDoubt` with the recovery `reopen`: the stores were closed, and opening them again decides.
    func decide(_ participants: inout [SaveParticipant], model: ManagedObjectModel) throws {
        var isDeciding = false
        do {
            if decidingStore.keepsFiles { try writePending(.record, of: decidingStore, participants, model) }
            for entry in others {
                guard let index = participants.firstIndex(where: { $0.entry === entry }) else { continue }
                if entry.keepsFiles {
                    try writePending(.pending, of: entry, participants, model)
                } else {
                    try prepare(&participants[index], model)
                }
            }
            if decidingStore.keepsFiles {
                isDeciding = true
                if try !decision().move(.record, to: .pending) { throw Revoked() }
            }
        } catch is Revoked {
            let isOver = rollBackPrepared(&participants)
            removeFiles(isRevoked: true, keepsRevocation: !isOver)
            throw StoreError(
                .serializationFailure, .save,
                "another process revoked the two-phase commit of the save after a server had lost its session",
                path: decidingStore.store.path)
        } catch {
            let fileError = error as? FileError
            let mayBeDecided = isDeciding && fileError?.stateIsUnknown == true
            if mayBeDecided, !revoke() { throw leaveInDoubt(&participants, error) }
            // A server that was not reached may still have the prepared transaction: its outcome stays known.
            if rollBackPrepared(&participants) {
                removeFiles(isRevoked: mayBeDecided)
            } else if decidingStore.keepsFiles, mayBeDecided || revoke() {
                removeFiles(isRevoked: true, keepsRevocation: true)
            }
            if let fileError { throw StoreError(fileError.withKnownState, .save, path: fileError.path) }
            throw error
        }
    }

    /// Another process revoked the save before it was decided.
    private struct Revoked: Error {}

    private func writePending(
        _ kind: PreparedSaveFileName.Kind, of entry: StoreEntry, _ participants: [SaveParticipant], _ model: ManagedObjectModel
    ) throws {
        guard let participant = participants.first(where: { $0.entry === entry }) else { return }
        let changes = try participant.changes.completingOrders(in: participant.entry.store, model)
        let save = PreparedSaveFile(
            id: id, storeID: entry.store.id, decidingStoreID: decidingStore.store.id, storePath: entry.location,
            decidingPath: decidingStore.location, otherPaths: others.filter { $0 !== entry }.map(\.location),
            changes: try ChangeSetCoding.encode(changes, model: model),
            previousID: participant.changes.metadata?.twoPhaseCommits.dropLast().last ?? "", history: participant.writer.historyRecord)
        try save.write(kind, besideStoreAt: try entry.filePath(), files)
    }

    private func decision() throws -> SaveDecision {
        SaveDecision(id: id, decidingPath: try decidingStore.filePath(), operation: .save) {
            $0.decidingStoreID == decidingStore.store.id
        }
    }

    private func preparing(_ participant: SaveParticipant) throws -> any PreparingTransaction {
        guard let transaction = participant.transaction as? any PreparingTransaction else {
            throw TwoPhaseCommit.cannotParticipate(participant.entry)
        }
        return transaction
    }

    private static func cannotParticipate(_ entry: StoreEntry) -> StoreError {
        StoreError(
            .unsupported, .save, "a store of type \(entry.store.type) cannot participate in a save over several stores",
            path: entry.store.path)
    }

    private func prepare(_ participant: inout SaveParticipant, _ model: ManagedObjectModel) throws {
        let transaction = try preparing(participant)
        do {
            try participant.namingConflicts(model) {
                try transaction.prepare(
                    as: PreparedSave(id: id, decidingStoreID: decidingStore.store.id, decidingStore: decidingStore.store.location))
            }
        } catch let error as StoreError where error.code == .io || error.code == .inDoubt {
            // The server may have prepared it before the connection was lost.
            participant.isPrepared = true
            throw error
        }
        participant.isPrepared = true
    }

    /// Rolls back the prepared transactions of an undecided save; failures are retried when the store is opened.
    ///
    /// - Returns: Whether no server has one any more.
    @discardableResult
    func rollBackPrepared(_ participants: inout [SaveParticipant]) -> Bool {
        var isOver = true
        for position in participants.indices where participants[position].isPrepared {
            do { try (participants[position].entry.store as? any PreparingStore)?.rollbackPrepared(id) } catch { isOver = false }
            participants[position].transaction.rollback()
            participants[position].isOver = true
        }
        return isOver
    }

    /// Revokes a decision; returns whether it is certain that no store will commit the save.
    func revoke() -> Bool {
        do {
            // Another process may have acted on the decision: only one of the two renames the file.
            let decision = try decision()
            for kind in [PreparedSaveFileName.Kind.pending, .record] where try decision.move(kind, to: .aborted) { return true }
            return try decision.record(.confirmed) == nil && decision.record(.decided) == nil && decision.record(.aborted) != nil
        } catch { return false }
    }

    /// Closes all stores of a save whose decision is unknown: no later save may depend on it.
    func leaveInDoubt(_ participants: inout [SaveParticipant], _ cause: any Error) -> StoreError {
        for position in participants.indices {
            if !participants[position].isOver && !participants[position].isPrepared { participants[position].transaction.rollback() }
            participants[position].isOver = true
        }
        for entry in entries { try? entry.store.close() }
        return StoreError(
            .inDoubt, .save, "the save may still take effect when its stores are opened again",
            path: (cause as? FileError)?.path ?? decidingStore.store.path, underlying: cause, recovery: .reopen)
    }
}
