import StrataFiles
import StrataModel
import StrataStore

/// Finishes or forgets, as a store is opened, the saves over several stores that a crash interrupted.
struct GlobalSaveRecovery {
    let store: any PersistentStore
    let model: ManagedObjectModel
    var files = PendingFiles.fileSystem

    /// - Throws: ``StoreError`` with `inDoubt` when it cannot be known how a save ended; nothing was changed then.
    func run() throws {
        guard store.capabilities.isPersistent, let path = store.path, try !PendingSave.paths(forStoreAt: path, files).isEmpty else { return }
        // The process of an unfinished save holds this turn until it is done: whatever is found now is final.
        let transaction = try store.beginWrite()
        var finished: [(path: String, save: PendingSave)] = []
        do {
            let metadata = try store.metadata()
            var applied = metadata.globalSaves
            var changesSomething = false
            for pendingPath in try PendingSave.paths(forStoreAt: path, files) {
                let save = try PendingSave(at: pendingPath, files)
                // The file of another store that was once in this one's place says nothing about this one.
                guard save.storeUUID == store.uuid else { continue }
                let isHome = PathName.last(of: save.homePath) == PathName.last(of: pendingPath)
                if !applied.contains(save.id), try isHome || isDecided(save, besides: pendingPath) {
                    guard var changes = ChangeSetCoding.decode(save.changes[...], model: model) else {
                        throw StoreError(.inDoubt, "open", "an interrupted save was made with another version of the model", path: pendingPath)
                    }
                    applied.append(save.id)
                    changes.metadata = metadata.with(globalSaves: applied)
                    let conflicts = try transaction.apply(changes)
                    guard conflicts.isEmpty else {
                        throw StoreError(
                            .inDoubt, "open", "an interrupted save no longer fits the store", path: pendingPath, conflicts: conflicts)
                    }
                    changesSomething = true
                }
                finished.append((pendingPath, save))
            }
            if changesSomething {
                try transaction.prepare()
                try transaction.commit()
            } else {
                transaction.rollback()
            }
        } catch {
            transaction.rollback()
            throw error
        }
        for (pendingPath, save) in finished { try save.remove(at: pendingPath, files) }
    }

    /// Whether the home's file is in place: where it was written, or beside this one where the stores were moved together.
    private func isDecided(_ save: PendingSave, besides path: String) throws -> Bool {
        let moved = PathName.joining(PathName.parent(of: path), PathName.last(of: save.homePath))
        for candidate in [save.homePath, moved] where files.exists(candidate) {
            return try PendingSave(at: candidate, files).id == save.id
        }
        guard files.exists(PathName.parent(of: save.homePath)) else {
            throw StoreError(
                .inDoubt, "open", "an interrupted save cannot be finished without the directory of its other stores", path: save.homePath)
        }
        return false
    }
}

extension PendingSave {
    /// Removes the file of a store that the save has reached; the home's only when no other file of the save is left.
    func remove(at path: String, _ files: any FileSystem) throws {
        let isHome = PathName.last(of: homePath) == PathName.last(of: path)
        if isHome && allPaths.contains(where: { PathName.last(of: $0) != PathName.last(of: path) && files.exists($0) }) { return }
        try files.removeIfPresent(path)
        try files.synchronizeDirectory(PathName.parent(of: path))
    }
}

extension StoreMetadata {
    /// The IDs of the saves over several stores that reached this one and may still have a pending file.
    var globalSaves: [String] {
        guard case .array(let ids) = userInfo[StoreMetadata.lastGlobalSaveKey] else { return [] }
        return ids.compactMap { if case .string(let id) = $0 { id } else { nil } }
    }

    /// The metadata with other IDs of saves.
    func with(globalSaves ids: [String]) -> StoreMetadata {
        var copy = self
        copy.userInfo[StoreMetadata.lastGlobalSaveKey] = .array(ids.map { .string($0) })
        return copy
    }
}
