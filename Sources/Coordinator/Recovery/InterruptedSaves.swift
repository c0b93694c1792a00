public import StrataStore

/// The resolution of an interrupted save that cannot be recovered automatically.
public enum InterruptedSaveResolution: Sendable, Hashable {
    /// Applies the missing changes to the store: overwrites changed rows, and leaves deleted rows deleted.
    case apply
    /// Leaves the store as it is.
    case forget
}

/// A two-phase commit that was resolved by hand.
public struct InterruptedSave: Sendable, Hashable {
    /// The ID of the save, which is part of its files' names.
    public let id: String
    /// The path where its file was set aside; `nil` where other stores still need it.
    public let setAsidePath: String?
}

extension PersistentStoreCoordinator {
    /// Resolves interrupted two-phase commits that prevent a store from being opened: because the deciding store is
    /// missing, their file is damaged, or the store has changed so that they no longer fit.
    ///
    /// A server's store opens all the same, but the rows that such a save changes are locked: `apply` commits the
    /// prepared transaction, `forget` rolls it back. No process of the save may still be running then.
    ///
    /// Saves with a known outcome are recovered as at every opening; the resolution is for the rest. No acknowledged
    /// save is lost in either way, as it is in all its stores; and no file is destroyed: it is set aside under its name
    /// with the ending `setAside`.
    ///
    /// - Parameters:
    ///   - description: The store, which this coordinator does not have open.
    ///   - resolution: The resolution of each such save.
    /// - Returns: The saves that were resolved; none where the store can be opened as it is.
    /// - Throws: `StoreError`; with `inDoubt` where a save cannot be applied.
    @discardableResult
    public func resolveInterruptedSaves(
        of description: StoreDescription, by resolution: InterruptedSaveResolution
    ) throws -> [InterruptedSave] {
        try requireNotOpen(description.path, .resolve)
        let store = try openStore(description, model: model)
        defer { try? store.close() }
        let entities = Set(model.entities(inConfiguration: description.configuration) ?? [])
        let entry = StoreEntry(
            store: store, description: description, extent: StoreEntry.Extent(entities: entities, storedEntities: entities),
            scopes: ObjectIDScopes(model: model, storeID: store.id), derivations: try derivations.get())
        if store.capabilities.isPersistent, store.path == nil, let server = store as? any PreparingStore {
            let recovery = PreparedSaveRecovery(store: server, entry: entry, operation: .resolve)
            return try recovery.run().inDoubt.map { left in
                try recovery.end(left.save, resolution == .apply)
                return InterruptedSave(id: left.save.id, setAsidePath: nil)
            }
        }
        guard store.capabilities.isPersistent, let name = store.path, let path = AbsolutePath(name).usable else { return [] }
        let recovery = InterruptedSaveRecovery(entry: entry, model: model, path: path, operation: .resolve)
        return try recovery.storeErrors {
            try PreparedSaveFileName.all(forStoreAt: path, recovery.files).filter(\.kind.isUnfinished).compactMap { name in
                do {
                    let transaction = try store.beginWrite()
                    if try !recovery.settle(transaction, only: name.id) { transaction.rollback() }
                    return nil
                } catch let error as StoreError where error.code == .inDoubt {
                    return try recovery.resolve(name, by: resolution)
                }
            }
        }
    }
}

extension InterruptedSaveRecovery {
    fileprivate func resolve(_ name: PreparedSaveFileName, by resolution: InterruptedSaveResolution) throws -> InterruptedSave {
        if resolution == .apply {
            guard let save = try PreparedSaveFile.read(name, files) else { return InterruptedSave(id: name.id, setAsidePath: nil) }
            let transaction = try store.beginWrite()
            try transaction.orRollback {
                try apply(save, to: StoreWriter(transaction, entry, model), adapting: true)
                var metadata = try transaction.metadata()
                metadata.twoPhaseCommits.append(save.id)
                try transaction.commit(metadata)
            }
            if save.isCoordinatorRecord, try isNeededByOthers(save) {
                try remove(save)
                return InterruptedSave(id: name.id, setAsidePath: nil)
            }
        }
        let aside = PreparedSaveFileName(forStoreAt: path, id: name.id, .setAside).path
        try files.rename(name.path, to: aside)
        try files.synchronizeDirectory(PathName.parent(of: path))
        return InterruptedSave(id: name.id, setAsidePath: aside)
    }
}
