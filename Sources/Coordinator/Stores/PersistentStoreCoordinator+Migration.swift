import Dispatch
import StrataFiles
import StrataModel
public import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Copies everything in a store to a new one of any kind, puts that in its place in this coordinator, and closes the old one, whose
    /// files stay.
    ///
    /// All objects, relationships, orders and the application's metadata arrive in one save: the new store holds all of them or none, and
    /// where this throws, no file is left behind. Nobody writes to the old store meanwhile: a save through this coordinator that waits for
    /// it goes to the new store. Reads go on; the old store is closed after the last of those under way, for which this waits as long as
    /// for a lock.
    ///
    /// The ID is a new one. References stay the same where the new kind allows it: then the IDs that objects had still lead to them. Where
    /// the new kind gives objects other references, they have to be fetched again before they can be saved.
    ///
    /// - Throws: `StoreError` with `exists` when the new store is not empty, `unknownEntity` when its configuration leaves out an entity that
    ///   has objects, `conflict` where another process saved to a store that is loaded as a whole since this one did.
    /// - Complexity: O(n) time; memory for all rows.
    public func migrateStore(_ store: any PersistentStore, to description: StoreDescription) throws -> any PersistentStore {
        let isHeldHere = snapshots.reader(of: store) != nil
        let timeout = description.options.timeout
        let (target, isClosed) = try replace(store.id, by: description)
        if !isHeldHere { _ = isClosed.wait(timeout: .now() + max(0, min(timeout, 1e9))) }
        return target
    }

    /// - Returns: The new store, and what tells that the old one is closed.
    private func replace(_ storeID: StoreID, by description: StoreDescription) throws -> (any PersistentStore, DispatchSemaphore) {
        guard let entry = entries.withLock({ $0.first { $0.store.id == storeID } }) else {
            throw StoreError(noStore: storeID, .migrate)
        }
        // The turn comes first: what is saved from now on is saved elsewhere.
        let turn = entry.store.isReadOnly ? nil : try entry.beginWrite(model, TransactionOrigin(), isMigration: true)
        defer { withExtendedLifetime(entry) { turn?.rollback() } }
        let contents = try StoreContents(of: entry, turn, model)
        var description = description
        description.configuration = description.configuration ?? entry.description.configuration
        // A store that is there already is refused, and not changed before.
        description.shouldMigrateStoreAutomatically = false
        let isNew = try isFree(description)
        let target = try open(checking: description)
        do {
            try contents.write(to: target)
            try target.follower?.start()
            let keepsReferences = target.store.capabilities.referenceScope == .tree
            try entries.withLock { entries in
                try PersistentStoreCoordinator.requireNew(target, in: entries)
                guard let place = entries.firstIndex(where: { $0 === entry }) else {
                    throw StoreError(.closed, .migrate, "the store was removed meanwhile", path: entry.store.path)
                }
                entries[place] = target
                successors.withLock { $0.add(target, after: storeID, keepsReferences: keepsReferences) }
            }
        } catch {
            try? target.close()
            if isNew { try? description.driver.destroy(at: description.location) }
            throw error
        }
        return (target.store, entry.retire())
    }

    /// Whether nothing is in the place of a store yet that lasts.
    private func isFree(_ description: StoreDescription) throws -> Bool {
        switch description.location {
        case .file(let path): return try PendingFiles.fileSystem.statusIfPresent(of: path, followingLinks: false) == nil
        case .server:
            do { _ = try description.driver.metadata(at: description.location) } catch let error as StoreError where error.code == .missing
            {
                return true
            }
            return false
        case .memory: return false
        }
    }
}

/// Which stores took the place of others that were migrated.
struct StoreSuccessors {
    private var entries: [StoreID: (entry: StoreEntry, keepsReferences: Bool)] = [:]

    mutating func add(_ entry: StoreEntry, after storeID: StoreID, keepsReferences: Bool) {
        for (older, successor) in entries where successor.entry.store.id == storeID {
            entries[older] = (entry, successor.keepsReferences && keepsReferences)
        }
        entries[storeID] = (entry, keepsReferences)
    }

    mutating func remove(_ store: any PersistentStore) { entries = entries.filter { $0.value.entry.store !== store } }

    /// The store that has the objects of another one.
    ///
    /// - Parameter onlyNewObjects: Whether it is about objects that were never saved: they have no references that could differ.
    func entry(after storeID: StoreID, onlyNewObjects: @autoclosure () -> Bool) -> StoreEntry? {
        guard let successor = entries[storeID], successor.keepsReferences || onlyNewObjects() else { return nil }
        return successor.entry
    }
}
