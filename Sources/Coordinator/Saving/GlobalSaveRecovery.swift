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
        guard store.capabilities.isPersistent, let path = store.path else { return }
        do {
            try PendingSave.removeLeftovers(forStoreAt: path, files)
            if try !PendingSave.paths(forStoreAt: path, .pending, files).isEmpty {
                for save in try finishSaves(path) { try remove(save, path) }
            }
            for decided in try PendingSave.paths(forStoreAt: path, .decided, files) {
                try removeDecision(of: PendingSave(at: decided, files), seenFrom: path)
            }
        } catch let error as FileError {
            throw StoreError(error, "open", path: path)
        }
    }

    /// Brings every save that was decided into the store.
    ///
    /// - Returns: The saves, those that were not decided too, whose files can go now.
    private func finishSaves(_ path: String) throws -> [PendingSave] {
        // The process of an unfinished save holds this turn until it is done: whatever is found now is final.
        let transaction = try store.beginWrite()
        do {
            let metadata = try store.metadata()
            var applied = metadata.globalSaves
            var saves: [PendingSave] = []
            var changesSomething = false
            for pendingPath in try PendingSave.paths(forStoreAt: path, .pending, files) {
                let save = try PendingSave(at: pendingPath, files)
                // The file of another store that was once in this one's place says nothing about this one.
                guard save.storeUUID == store.uuid else { continue }
                if try !applied.contains(save.id) && isDecided(save, path) {
                    applied.append(save.id)
                    try apply(save, metadata.with(globalSaves: applied), transaction, pendingPath)
                    changesSomething = true
                }
                saves.append(save)
            }
            if changesSomething {
                try transaction.prepare()
                try transaction.commit()
            } else {
                transaction.rollback()
            }
            return saves
        } catch {
            transaction.rollback()
            throw error
        }
    }

    private func apply(
        _ save: PendingSave,
        _ metadata: StoreMetadata,
        _ transaction: any StoreTransaction,
        _ pendingPath: String
    ) throws {
        guard var changes = ChangeSetCoding.decode(save.changes[...], model: model) else {
            throw StoreError(.inDoubt, "open", "an interrupted save was made with another version of the model", path: pendingPath)
        }
        changes.metadata = metadata
        if store.capabilities.isAtomic { try adoptVersions(&changes) }
        // The save's own reservation of these references was lost with it.
        let greatest = Dictionary(grouping: changes.inserted) { model.entities[$0.entityIndex].root }
            .mapValues { rows in rows.reduce(0) { max($0, $1.reference) } }
        for (root, greatest) in greatest.sorted(by: { $0.key < $1.key }) {
            let next = try transaction.reserveReferences(1, root: root)
            if next < greatest { _ = try transaction.reserveReferences(Int(greatest - next), root: root) }
        }
        let conflicts = try transaction.apply(changes)
        guard conflicts.isEmpty else {
            throw StoreError(.inDoubt, "open", "an interrupted save no longer fits the store", path: pendingPath, conflicts: conflicts)
        }
    }

    /// Has changes expect the versions that rows have in the store now. Formats need not keep versions, and nobody else can have changed a
    /// store that is written whole.
    private func adoptVersions(_ changes: inout ChangeSet) throws {
        var references: [Int: [Int64]] = [:]
        for update in changes.updated { references[model.entities[update.row.entityIndex].root, default: []].append(update.row.reference) }
        for deletion in changes.deleted { references[model.entities[deletion.entity].root, default: []].append(deletion.reference) }
        let versions = try store.read { reader in
            try references.reduce(into: [Int: [Int64: UInt32]]()) { versions, tree in
                let rows = try reader.rows(root: tree.key, references: tree.value)
                versions[tree.key] = Dictionary(rows.map { ($0.reference, $0.version) }) { first, _ in first }
            }
        }
        var writer = RowWriter()
        changes.updated = changes.updated.map { update in
            guard let version = versions[model.entities[update.row.entityIndex].root]?[update.row.reference] else { return update }
            return RowUpdate(row: writer.copy(update.row, version: version &+ 1), changedSlots: update.changedSlots)
        }
        changes.deleted = changes.deleted.map { deletion in
            let version = versions[model.entities[deletion.entity].root]?[deletion.reference]
            return RowDeletion(
                entity: deletion.entity,
                reference: deletion.reference,
                expectedVersion: version ?? deletion.expectedVersion
            )
        }
    }

    /// Whether the home's file is in place.
    private func isDecided(_ save: PendingSave, _ path: String) throws -> Bool {
        if save.isHome { return true }
        let places = save.places(of: save.homePath, seenFrom: path)
        for place in places {
            for kind in [PendingSave.Kind.pending, .decided] {
                let candidate = PendingSave.path(forStoreAt: place, id: save.id, kind)
                guard files.exists(candidate) else { continue }
                let home = try PendingSave(at: candidate, files)
                if home.id == save.id && home.storeUUID == save.homeUUID { return true }
            }
        }
        // That there is no file says something only where it would be.
        guard places.contains(where: files.exists) else {
            throw StoreError(
                .inDoubt,
                "open",
                "an interrupted save can be neither finished nor forgotten without the store \(save.homePath)",
                path: path
            )
        }
        return false
    }

    // MARK: - Removing files

    /// Removes the file of a save that is over in this store.
    private func remove(_ save: PendingSave, _ path: String) throws {
        let pending = PendingSave.path(forStoreAt: path, id: save.id)
        let directory = PathName.parent(of: path)
        if save.isHome && isNeededByOthers(save, path) {
            // The decision stays known until all others have heard of it; the last of them removes it.
            do { try files.rename(pending, to: PendingSave.path(forStoreAt: path, id: save.id, .decided)) } catch {
                if !error.isMissing { throw error }
            }
            return try files.synchronizeDirectory(directory)
        }
        try files.removeIfPresent(pending)
        try files.synchronizeDirectory(directory)
        if !save.isHome { try removeDecision(of: save, seenFrom: path) }
    }

    /// Removes the file that the home left, unless another store needs it.
    private func removeDecision(of save: PendingSave, seenFrom path: String) throws {
        if isNeededByOthers(save, path) { return }
        let places = save.isHome ? [path] : save.places(of: save.homePath, seenFrom: path)
        for place in places { try files.removeIfPresent(PendingSave.path(forStoreAt: place, id: save.id, .decided)) }
    }

    /// Whether the save may not be over in a store that is neither this one nor the home: its file is there, or the whole store is not.
    private func isNeededByOthers(_ save: PendingSave, _ path: String) -> Bool {
        save.otherPaths.contains { other in
            let places = save.places(of: other, seenFrom: path)
            return !places.contains(where: files.exists)
                || places.contains { files.exists(PendingSave.path(forStoreAt: $0, id: save.id)) }
        }
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
