import Dispatch
public import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Copies everything in a store to a new store of any kind, replaces the old store by it in this coordinator, and
    /// closes the old store, whose files stay.
    ///
    /// All objects, relationships, orders and the application's metadata are copied in one save: the new store has all
    /// of them or none, and where this throws, no file is left behind. The write lock of the old store is held
    /// meanwhile: a save through this coordinator that waits for it is made in the new store. Reads continue; the old
    /// store is closed after the last of those under way, for which this waits as long as for a lock, unless they are
    /// of the calling thread: a listener of saves may convert a store.
    ///
    /// The new store has the ID of the old one, and its objects have the IDs and versions that they had: contexts
    /// continue with their objects, and a URI that an application kept still references the same object. Therefore one
    /// coordinator cannot have both stores open. A `ManagedObjectContext.withSnapshot(_:)` that is under
    /// way reads the old store to its end; a context that is pinned to a query generation of the old store gets
    /// `closed` until it is pinned anew. Requests and new objects that name the old store use the new one; the
    /// coordinator no longer has the old one, and removing it, or reading its metadata, throws `noStore`.
    ///
    /// - Throws: `StoreError` with `noStore` where the coordinator does not have the store, `exists` where there is a
    ///   store already, `unknownEntity` when the new store's configuration lacks an entity that has objects, `conflict`
    ///   where another process saved to a store that is loaded as a whole since this one did, `closed` where the store
    ///   was removed or converted meanwhile, `unsupported` where the new kind of store chooses its ID itself.
    /// - Complexity: O(n) time; memory for all rows.
    public func migrateStore(_ store: any PersistentStore, to description: StoreDescription) throws -> any PersistentStore {
        // What this thread has under way in the store ends after this call: a snapshot, or a save whose event it
        // delivers.
        let isHeldHere = snapshots.reader(of: store.id) != nil || events.isDeliveredHere
        let timeout = description.options.timeout
        let (target, isClosed) = try replace(store, by: description)
        if !isHeldHere { _ = isClosed.wait(timeout: .now() + max(0, min(timeout, 1e9))) }
        return target
    }

    /// - Returns: The new store, and the semaphore that is signalled when the old one is closed.
    private func replace(
        _ store: any PersistentStore, by description: StoreDescription
    ) throws -> (any PersistentStore, DispatchSemaphore) {
        let entry = try requireEntry(of: store, .migrate)
        let lock: (any StoreTransaction)?
        do {
            // The lock comes first: later saves are made in the new store.
            lock = entry.store.isReadOnly ? nil : try entry.beginWrite(model, TransactionOrigin(), isMigration: true)
        } catch is StoreEntry.Replaced {
            throw StoreError(.closed, .migrate, "the store was converted meanwhile", path: store.path)
        }
        defer { withExtendedLifetime(entry) { lock?.rollback() } }
        let contents = try StoreContents(of: entry, lock, model)
        var description = description
        description.configuration = description.configuration ?? entry.description.configuration
        description.newStoreID = store.id
        // An existing store is rejected, and must not be changed before.
        description.shouldMigrateStoreAutomatically = false
        let isNew = try isFree(description)
        let target: StoreEntry
        do { target = try open(checking: description, entry.scopes) } catch {
            // The driver may have created the store before the call that failed.
            if isNew, (try? description.driver.metadata(at: description.location).storeID) == store.id {
                try? description.driver.destroy(at: description.location)
            }
            throw error
        }
        do {
            guard target.store.id == store.id else {
                throw isNew
                    ? StoreError(.unsupported, .migrate, "the new store has another ID than it was given", path: description.path)
                    : StoreError(.exists, .migrate, "there is a store already", path: description.path)
            }
            try contents.write(to: target)
            try target.tracker?.start()
            try entries.withLock { entries in
                guard let index = entries.firstIndex(where: { $0 === entry }) else {
                    throw StoreError(.closed, .migrate, "the store was removed meanwhile", path: entry.store.path)
                }
                entries[index] = target
            }
        } catch {
            try? target.close()
            if isNew { try? description.driver.destroy(at: description.location) }
            throw error
        }
        observeConnections(of: target)
        return (target.store, entry.retire())
    }

    /// Returns whether a store has no file or table yet.
    private func isFree(_ description: StoreDescription) throws -> Bool {
        switch description.location {
        case .file(let path):
            do { return try RecoveryFiles.fileSystem.statusIfPresent(of: path, followingLinks: false) == nil } catch {
                throw StoreError(error, .migrate, path: path)
            }
        case .server: return try description.driver.metadataIfPresent(at: description.location) == nil
        case .memory: return false
        }
    }
}
