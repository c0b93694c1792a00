import StrataPlatform
import StrataStore

/// The recovery of interrupted two-phase commits, as a store is opened or written.
///
/// A decision that is read may not be durable where its writer met an error. So before anything follows from it, a
/// decision, or its revocation, is written anew: as `decided` or `aborted` beside the deciding store.
struct InterruptedSaveRecovery {
    let entry: StoreEntry
    let model: ManagedObjectModel
    let path: String
    let files = RecoveryFiles.fileSystem
    let operation: StoreError.Operation

    var store: any StoreBackend { entry.store }

    /// Finishes interrupted saves as the store is opened, and removes files that no other store needs any more; throws
    /// `StoreError`; with `inDoubt` where the outcome of a save is unknown.
    func run() throws {
        try storeErrors {
            let names = try PreparedSaveFileName.all(forStoreAt: path, files, removingLeftovers: true)
            let unfinished = Set(names.filter(\.kind.isUnfinished).map(\.id))
            if !unfinished.isEmpty {
                guard let transaction = try begin(finishing: unfinished) else { return }
                if try !settle(transaction) { transaction.rollback() }
            }
            // This store keeps them as the deciding one.
            for name in names where name.kind == .decided || name.kind == .aborted {
                guard let save = try? PreparedSaveFile.read(name, files), save.isCoordinatorRecord, save.storeID == store.id else {
                    continue
                }
                try removeRecords(of: save, besideDecidingStore: path)
            }
        }
    }

    /// Acquires the write lock; while opening, `nil` where another process has it, and finished the saves or takes too
    /// long.
    ///
    /// That process either works on one of the saves, or finishes them before its own. Opening waits for that, and not
    /// for the lock, which a process that saves again and again may have at any time.
    private func begin(finishing ids: Set<String>) throws -> (any StoreTransaction)? {
        guard operation == .open else { return try store.beginWrite() }
        let deadline = Deadline(after: entry.description.options.timeout)
        while true {
            do { return try Deadline.$limit.withValue(0) { try store.beginWrite() } } catch let error as StoreError
                where error.code == .locked
            {
                let isFinished = try !PreparedSaveFileName.all(forStoreAt: path, files).contains {
                    $0.kind.isUnfinished && ids.contains($0.id)
                }
                if isFinished || deadline.remaining == 0 { return nil }
                usleep(2_000)
            }
        }
    }

    /// Applies the decided saves to the store, and removes the files of all.
    ///
    /// - Parameters:
    ///   - transaction: One that has changed nothing. The process of an unfinished save has the write lock until it is
    ///     done: what is found now is final.
    ///   - id: The only save to finish; `nil` for all.
    /// - Returns: Whether there was any; the transaction is over then, as it is where this throws.
    func settle(_ transaction: any StoreTransaction, only id: String? = nil) throws -> Bool {
        try storeErrors {
            let saves: [PreparedSaveFile]
            do {
                saves = try pendingSaves(id)
                if saves.isEmpty { return false }
                try finish(saves, transaction)
            } catch {
                transaction.rollback()
                throw error
            }
            for save in saves { try remove(save) }
            return true
        }
    }

    /// Returns the files of this store; those of another store that was once at its path do not belong to it.
    private func pendingSaves(_ only: String?) throws -> [PreparedSaveFile] {
        let names = try PreparedSaveFileName.all(forStoreAt: path, files).filter { only == nil || $0.id == only }
        var seen: Set<String> = []
        return try PreparedSaveFileName.Kind.unfinished.flatMap { kind in names.filter { $0.kind == kind } }
            .compactMap { try PreparedSaveFile.read($0, files) }.filter { $0.storeID == store.id && seen.insert($0.id).inserted }
    }

    private func finish(_ saves: [PreparedSaveFile], _ transaction: any StoreTransaction) throws {
        var reached = try transaction.metadata().twoPhaseCommits
        var hasReached = false
        for save in saves {
            if reached.contains(save.id) {
                hasReached = true
            } else if try isDecided(save) {
                guard save.follows(reached) else {
                    throw StoreError.interruptedSave("does not follow the last save that the store has", path, operation)
                }
                try apply(save, to: StoreWriter(transaction, entry, model))
                reached.append(save.id)
                hasReached = true
            }
        }
        guard hasReached else { return transaction.rollback() }
        // Also where nothing but this is written: a save that is visible in the store may not be durable.
        var metadata = try transaction.metadata()
        metadata.twoPhaseCommits = try TwoPhaseCommit.remembered(reached, besideStoreAt: path, files)
        try transaction.commit(metadata)
    }

    // MARK: - The decision

    /// Returns whether the save takes effect; the decision is durable then.
    private func isDecided(_ save: PreparedSaveFile) throws -> Bool {
        if let decidingStore = try decidingPath(of: save),
            let isDecided = try decision(of: save, besideDecidingStore: decidingStore).isDecided()
        {
            return isDecided
        }
        throw StoreError.interruptedSave(
            "can be neither finished nor forgotten without the coordinator record of the store \(save.decidingStoreID) at \(save.decidingPath)",
            path, operation)
    }

    /// Returns the path of the deciding store, of several the one with a record of the save: at the others there may be
    /// other stores.
    private func decidingPath(of save: PreparedSaveFile) throws -> String? {
        if save.isCoordinatorRecord { return path }
        let candidates = try save.paths(of: save.decidingPath, seenFrom: path, files)
        return try candidates.first {
            try PreparedSaveFileName.isThereAny(forStoreAt: $0, id: save.id, PreparedSaveFileName.Kind.records, files)
        } ?? candidates.first
    }

    private func decision(of save: PreparedSaveFile, besideDecidingStore decidingStore: String) -> SaveDecision {
        SaveDecision(id: save.id, decidingPath: decidingStore, operation: operation) { $0.isOfSameSave(as: save) }
    }

    // MARK: - Removing files

    /// Removes the files of a save that is over in this store.
    func remove(_ save: PreparedSaveFile) throws {
        let directory = PathName.parent(of: path)
        let decision = decision(of: save, besideDecidingStore: path)
        // It lists the stores that have finished the save.
        let known = save.isCoordinatorRecord ? try decision.record(.decided) : nil
        if save.isCoordinatorRecord, try isNeededByOthers(known ?? save), try decision.record(.aborted) == nil {
            // The decision is kept until all others have it; the last of them removes it.
            let decided = PreparedSaveFileName(forStoreAt: path, id: save.id, .decided)
            let names = PreparedSaveFileName.Kind.unfinished.flatMap { PreparedSaveFileName.candidates(forStoreAt: path, id: save.id, $0) }
            for name in names {
                if known != nil {
                    try files.removeIfPresent(name.path)
                    continue
                }
                do { try files.rename(name.path, to: decided.path) } catch {
                    if !error.isMissing { throw error }
                }
            }
            return try files.synchronizeDirectory(directory)
        }
        for kind in PreparedSaveFileName.Kind.unfinished { try removeFile(kind, of: save, besideStoreAt: path) }
        try files.synchronizeDirectory(directory)
        if let decidingStore = try decidingPath(of: save) { try removeRecords(of: save, besideDecidingStore: decidingStore) }
    }

    /// Removes the deciding store's records of a save, unless another store needs them.
    private func removeRecords(of save: PreparedSaveFile, besideDecidingStore decidingStore: String) throws {
        let decision = decision(of: save, besideDecidingStore: decidingStore)
        let decided = try decision.record(.decided)
        if try decided?.isNeededByOthers(seenFrom: decidingStore, files) ?? isNeededByOthers(save) { return }
        if decided != nil { try removeFile(.decided, of: save, besideStoreAt: decidingStore) }
        guard try decision.record(.aborted) != nil else { return }
        // A revoked record must not come back without its revocation.
        if try PreparedSaveFileName.Kind.unfinished.contains(where: { try decision.record($0) != nil }) { return }
        try files.synchronizeDirectory(PathName.parent(of: decidingStore))
        try removeFile(.aborted, of: save, besideStoreAt: decidingStore)
    }

    private func removeFile(_ kind: PreparedSaveFileName.Kind, of save: PreparedSaveFile, besideStoreAt path: String) throws {
        for name in PreparedSaveFileName.candidates(forStoreAt: path, id: save.id, kind) { try files.removeIfPresent(name.path) }
    }

    func isNeededByOthers(_ save: PreparedSaveFile) throws -> Bool { try save.isNeededByOthers(seenFrom: path, files) }

    func storeErrors<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as FileError { throw StoreError(error, operation, path: path) }
    }
}

extension StoreMetadata {
    /// The IDs of the two-phase commits that reached this store and may still have a pending file.
    var twoPhaseCommits: [String] {
        get {
            guard case .array(let ids) = userInfo[StoreMetadata.lastTwoPhaseCommitKey] else { return [] }
            return ids.compactMap { if case .string(let id) = $0 { id } else { nil } }
        }
        set { userInfo[StoreMetadata.lastTwoPhaseCommitKey] = .array(newValue.map { .string($0) }) }
    }
}
