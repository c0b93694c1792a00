import StrataStore

/// The decision of a two-phase commit, as the files beside the deciding store record it.
struct SaveDecision {
    let id: String
    let decidingPath: String
    let files = RecoveryFiles.fileSystem
    let operation: StoreError.Operation
    /// Returns whether a file with the save's ID belongs to the same save.
    let isOfSave: (PreparedSaveFile) -> Bool

    /// Returns whether the save takes effect; the decision is durable then.
    ///
    /// An undecided save is revoked first.
    ///
    /// Called with the write lock of a store of the save held, which its coordinator keeps until the save is decided.
    ///
    /// - Returns: `nil` where no record of the save exists, see ``isDecidedOrRevoked()``.
    /// - Throws: `StoreError` with `inDoubt`; `FileError`.
    func isDecided() throws -> Bool? {
        if let known = try knownOutcome() { return known }
        if let decision = try record(.confirmed) ?? record(.pending) {
            try decision.write(.decided, besideStoreAt: decidingPath, files)
            return true
        }
        guard try record(.record) != nil else { return nil }
        return try move(.record, to: .aborted) ? false : isDecided()
    }

    /// Returns whether the save takes effect, while its coordinator may still work on it: only the session of a server
    /// has ended.
    ///
    /// Deciding, revoking and confirming rename one file, so that each excludes the others.
    ///
    /// - Returns: `nil` where no record of the save exists: the file at the path is another store, or was restored from
    ///   a backup.
    /// - Throws: `StoreError` with `inDoubt`; `FileError`.
    func isDecidedOrRevoked() throws -> Bool? {
        while true {
            if let known = try knownOutcome() { return known }
            if let confirmed = try record(.confirmed) {
                try confirmed.write(.confirmed, besideStoreAt: decidingPath, files)
                return true
            }
            if try record(.pending) != nil {
                if try move(.pending, to: .confirmed) { return true }
            } else if try record(.record) != nil {
                if try move(.record, to: .aborted) { return false }
            } else if try knownOutcome() == nil, try record(.confirmed) == nil {
                return nil
            }
        }
    }

    private func knownOutcome() throws -> Bool? {
        if let aborted = try record(.aborted) {
            try aborted.write(.aborted, besideStoreAt: decidingPath, files)
            return false
        }
        // The decided file first: it may know that others are done with the save.
        guard let decided = try record(.decided) else { return nil }
        try decided.write(.decided, besideStoreAt: decidingPath, files)
        return true
    }

    /// Renames the deciding store's file of a save to another kind, durably; returns whether it existed; else another
    /// process was first.
    func move(_ kind: PreparedSaveFileName.Kind, to other: PreparedSaveFileName.Kind) throws(FileError) -> Bool {
        let destination = PreparedSaveFileName(forStoreAt: decidingPath, id: id, other).path
        for name in PreparedSaveFileName.candidates(forStoreAt: decidingPath, id: id, kind) {
            do { try files.rename(name.path, to: destination) } catch {
                if error.isMissing { continue }
                // Unless the file still exists, the rename may have happened although it reported a failure.
                throw files.exists(name.path) ? error : error.withUnknownState(of: destination)
            }
            do { try files.synchronizeDirectory(PathName.parent(of: decidingPath)) } catch { throw error.withUnknownState(of: destination) }
            return true
        }
        return false
    }

    /// Returns the deciding store's file of the save; throws `StoreError` with `inDoubt` where a file has its name but
    /// is not of the same save.
    func record(_ kind: PreparedSaveFileName.Kind) throws -> PreparedSaveFile? {
        for name in PreparedSaveFileName.candidates(forStoreAt: decidingPath, id: id, kind) {
            guard let found = try PreparedSaveFile.read(name, files) else { continue }
            guard found.isCoordinatorRecord, isOfSave(found) else {
                throw StoreError.interruptedSave("the file that decides it belongs to another one", name.path, operation)
            }
            return found
        }
        return nil
    }
}
