import StrataStore

/// The recovery of the prepared saves in a store whose coordinators have ended.
struct PreparedSaveRecovery {
    let store: any PreparingStore
    let entry: StoreEntry
    let files = RecoveryFiles.fileSystem
    let operation: StoreError.Operation

    /// A save that stays prepared, as its outcome is unknown.
    typealias InDoubt = (save: PreparedSave, error: any Error)

    /// Ends every prepared save with a known outcome; the rows of the others stay locked, and everything else is
    /// readable and writable.
    ///
    /// While opening, it does not wait for another process that ends or decides a save: that is in doubt until a save
    /// meets its rows.
    ///
    /// - Returns: The number of ended saves, and the others.
    /// - Throws: `StoreError` where the prepared saves cannot be listed.
    func run() throws -> (ended: Int, inDoubt: [InDoubt]) {
        var (ended, inDoubt): (Int, [InDoubt]) = (0, [])
        // A deciding store that cannot be reached is tried once, as that takes as long as a connection may.
        var unreachable: [StoreLocation: any Error] = [:]
        for save in try store.preparedSaves() {
            do {
                if let error = unreachable[save.decidingStore] { throw error }
                try Deadline.$limit.withValue(operation == .open ? 0 : Deadline.limit) { try end(save, isDecided(save)) }
                ended += 1
            } catch {
                if save.decidingStore.path == nil, (error as? StoreError)?.code == .io { unreachable[save.decidingStore] = error }
                inDoubt.append((save, error))
            }
        }
        return (ended, inDoubt)
    }

    func end(_ save: PreparedSave, _ isDecided: Bool) throws {
        if isDecided { try store.commitPrepared(save.id) } else { try store.rollbackPrepared(save.id) }
        if let path = save.decidingStore.path { forgetDecision(of: save, besideDecidingStore: path) }
    }

    private func isDecided(_ save: PreparedSave) throws -> Bool {
        do {
            if let path = save.decidingStore.path {
                // A missing record is no decision: one existed before the server prepared.
                if try files.statusIfPresent(of: path) != nil,
                    let isDecided = try decision(of: save, besideDecidingStore: path).isDecidedOrRevoked()
                {
                    return isDecided
                }
            } else if let driver = entry.description.driver as? any DecidingStoreDriver {
                return try driver.hasDecided(save)
            }
        } catch let error where error is FileError || (error as? StoreError)?.code == .replaced { throw unknown(save, error) }
        throw unknown(save, nil)
    }

    private func unknown(_ save: PreparedSave, _ cause: (any Error)?) -> StoreError {
        StoreError(
            .inDoubt, operation,
            "the two-phase commit of save \(save.id) was interrupted, and can be neither finished nor forgotten without the coordinator record"
                + " of the store \(save.decidingStoreID) at \(save.decidingStore); PersistentStoreCoordinator.resolveInterruptedSaves(of:by:) ends it",
            path: save.decidingStore.path, underlying: cause)
    }

    /// Removes the decisions that a file store keeps for this one alone and that this one has committed, and the
    /// revocations of saves that are not prepared here.
    ///
    /// A coordinator that ended after this store's commit, or before it was prepared, did not do so, and nothing that is
    /// prepared here names the deciding store any more.
    func forgetDecisions(of decidingStore: StoreEntry) throws {
        let path = try decidingStore.filePath()
        for name in try PreparedSaveFileName.all(forStoreAt: path, files) where name.kind == .decided || name.kind == .aborted {
            guard let save = try PreparedSaveFile.read(name, files), save.isCoordinatorRecord, save.storeID == decidingStore.store.id,
                save.otherPaths.contains(entry.location)
            else { continue }
            // The file stays where the store neither has the save prepared nor knows that it committed it.
            let isOver = try? Deadline.$limit.withValue(0) {
                if name.kind == .aborted { return try isNeverPrepared(save.id, decidingStore) }
                try store.commitPrepared(save.id)
                return true
            }
            guard isOver == true else { continue }
            forgetDecision(
                of: PreparedSave(id: save.id, decidingStoreID: save.decidingStoreID, decidingStore: decidingStore.store.location),
                besideDecidingStore: path)
        }
    }

    /// Returns whether a revoked save is not prepared in this store, nor will be.
    ///
    /// The coordinator of the save has ended where the deciding store's write lock is free: another process may have
    /// revoked the save without that lock, after it had found the save prepared in another server.
    private func isNeverPrepared(_ id: String, _ decidingStore: StoreEntry) throws -> Bool {
        let writeLock = try decidingStore.store.beginWrite()
        defer { writeLock.rollback() }
        return try store.isNeverPrepared(id)
    }

    private func decision(of save: PreparedSave, besideDecidingStore path: String) -> SaveDecision {
        SaveDecision(id: save.id, decidingPath: path, operation: operation) { $0.decidingStoreID == save.decidingStoreID }
    }

    /// Removes this store from those that the deciding store keeps its decision for, and the decision that no store
    /// needs any more.
    ///
    /// As long as the deciding store itself has not finished, its recovery removes the decision.
    private func forgetDecision(of save: PreparedSave, besideDecidingStore path: String) {
        let decision = decision(of: save, besideDecidingStore: path)
        for kind in [PreparedSaveFileName.Kind.decided, .aborted] {
            // A confirmed file stays as it is: the coordinator may be removing it.
            guard var known = try? decision.record(kind) ?? (kind == .decided ? decision.record(.confirmed) : nil) else { continue }
            known.otherPaths.removeAll { $0 == entry.location }
            do {
                let isUnfinished = try PreparedSaveFileName.Kind.unfinished.contains { try decision.record($0) != nil }
                if try isUnfinished || known.isNeededByOthers(seenFrom: path, files) {
                    try known.write(kind, besideStoreAt: path, files)
                    continue
                }
                // A revoked record must not come back without its revocation.
                if kind == .aborted { try files.synchronizeDirectory(PathName.parent(of: path)) }
                for name in PreparedSaveFileName.candidates(forStoreAt: path, id: save.id, kind) { try files.removeIfPresent(name.path) }
            } catch {}
        }
    }
}
