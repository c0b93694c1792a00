import Dispatch
import StrataFiles
import StrataModel
import StrataStore
import Synchronization

/// A store with what its coordinator knows of it.
///
/// Whoever works in the store keeps the entry.
final class StoreEntry: Sendable {
    let store: any PersistentStore
    let description: StoreDescription
    /// The indexes of the entities that the store holds.
    let entities: Set<EntityIndex>
    let scopes: ObjectIDScopes
    /// Where the store was when it was opened: the working directory may change.
    ///
    /// Of a store that is no file, its place in words.
    let location: AbsolutePath
    /// Whether the store is still there after it was closed.
    let isDurable: Bool
    /// What the store computes besides what it is given; `nil` where nothing is derived.
    let derivations: Derivations?
    private let watch: PreparedSaveWatch?
    /// Whether a migration holds the store's write lock until its end.
    private let isBeingMigrated: Bool
    /// Finds remote changes; `nil` where they are not tracked.
    let tracker: RemoteChangeTracker?
    private let isReplaced = Atomic<Bool>(false)
    private let isClosed = DispatchSemaphore(value: 0)

    init(
        store: any PersistentStore, description: StoreDescription, entities: Set<EntityIndex>, scopes: ObjectIDScopes,
        derivations: Derivations?, isBeingMigrated: Bool = false, tracker: RemoteChangeTracker? = nil
    ) {
        self.tracker = tracker
        self.store = store
        self.derivations = derivations
        self.isBeingMigrated = isBeingMigrated
        self.description = description
        self.entities = entities
        self.scopes = scopes
        location = store.path.map { AbsolutePath($0) } ?? AbsolutePath(bytes: Array("\(store.location)".utf8))
        isDurable = store.capabilities.isPersistent
        watch = isDurable && store.path != nil ? PreparedSaveWatch(location, RecoveryFiles.fileSystem) : nil
    }

    deinit {
        tracker?.stop()
        guard isReplaced.load(ordering: .acquiring) else { return }
        try? store.close()
        isClosed.signal()
    }

    /// Marks the store as converted; it is closed as soon as no call works in it any more.
    ///
    /// Called with the write lock held.
    ///
    /// - Returns: What is signalled then.
    func retire() -> DispatchSemaphore {
        tracker?.stop()
        isReplaced.store(true, ordering: .releasing)
        return isClosed
    }

    /// The store was converted while its write lock was waited for.
    struct Replaced: Error {}

    /// Whether remote changes of the store are reported.
    var isTracked: Bool { tracker != nil }

    /// Ends all that is done in the store, and closes it.
    ///
    /// - Throws: `StoreError` with what went wrong; it is closed all the same.
    func close() throws {
        tracker?.stop()
        try store.close()
    }

    /// Whether the store is a file that is still there after it was closed.
    var keepsFiles: Bool { watch != nil }

    /// Returns whether the store can hold objects of any of some entities.
    func holds(anyOf range: Range<EntityIndex>) -> Bool { range.contains { entities.contains($0) } }

    /// Returns the path of the store, as this process can use it now.
    func filePath() throws(StoreError) -> String {
        if let path = location.usable { return path }
        throw StoreError(
            .io, .save, "the path of the store is relative to a directory whose path is not UTF-8, and the process has left it",
            path: store.path)
    }

    /// What finishes saves that were interrupted.
    func recovery(_ model: ManagedObjectModel, _ files: any FileSystem, _ operation: StoreError.Operation) throws -> InterruptedSaveRecovery
    {
        InterruptedSaveRecovery(entry: self, model: model, path: try filePath(), files: files, operation: operation)
    }

    /// Finishes or forgets the saves over several stores that were interrupted in the store.
    ///
    /// Saves in doubt that a server keeps prepared stay so.
    ///
    /// - Throws: `StoreError`; with `inDoubt` where it cannot be known how a save ended whose changes a file has to get first.
    func finishSaves(_ model: ManagedObjectModel, _ files: any FileSystem, _ operation: StoreError.Operation) throws {
        if keepsFiles {
            try recovery(model, files, operation).run()
        } else if let store = store as? any PreparingStore {
            _ = try PreparedSaveRecovery(store: store, entry: self, files: files, operation: operation).run()
        }
    }

    // MARK: - Writing

    /// Returns the store for policies that migrate it: it can be read.
    func beingMigrated() -> StoreEntry {
        StoreEntry(
            store: store, description: description, entities: entities, scopes: scopes, derivations: derivations, isBeingMigrated: true)
    }

    /// Waits for the store's write lock and starts a transaction, after interrupted saves of other processes are finished: a save
    /// that is built on a store without it would keep it from ever fitting.
    ///
    /// - Throws: ``Replaced`` besides `StoreError`.
    func beginWrite(
        _ model: ManagedObjectModel, _ origin: TransactionOrigin, isMigration: Bool = false
    ) throws -> any StoreTransaction {
        if isBeingMigrated {
            throw StoreError(.readOnly, .save, "the objects of a store that is being migrated are only read", path: store.path)
        }
        while true {
            let transaction = isMigration ? try store.beginMigration(origin) : try store.beginWrite(origin)
            do {
                if isReplaced.load(ordering: .acquiring) { throw Replaced() }
                guard let watch else { return transaction }
                guard try watch.findsFiles() else { return transaction }
                if try !recovery(model, RecoveryFiles.fileSystem, .save).settle(transaction) { return transaction }
                // The finished save is another process's, which no event has reported.
                tracker?.checkThoroughly()
            } catch {
                transaction.rollback()
                if let error = error as? FileError { throw StoreError(error, .save, path: store.path) }
                throw error
            }
        }
    }

    /// Runs `body`, which ends with the commit, in a transaction that takes effect as a whole, or not at all where anything throws.
    func write<T>(_ model: ManagedObjectModel, _ origin: TransactionOrigin, _ body: (any StoreTransaction) throws -> T) throws -> T {
        let transaction = try beginWrite(model, origin)
        do { return try body(transaction) } catch {
            transaction.rollback()
            throw error
        }
    }
}
