import Dispatch
import StrataPlatform
import StrataStore
import Synchronization

/// A store with its coordinator's state.
///
/// Work in the store retains the entry.
final class StoreEntry: Sendable {
    let store: any StoreBackend
    /// The store alone, for operations that report it.
    let onlyStore: [any PersistentStore]
    let description: StoreDescription
    private let extent: Extent
    let scopes: ObjectIDScopes
    /// The location of the store when it was opened, as the working directory may change.
    ///
    /// Of a store that is no file, its description.
    let location: AbsolutePath
    /// The derivations of the store; `nil` where nothing is derived.
    let derivations: Derivations?
    private let watch: PreparedSaveWatch?
    let tracker: RemoteChangeTracker?
    let activity = Activity()
    let history = HistoryState()
    private let retirement: Retirement

    /// The entities of a store.
    struct Extent {
        let entities: Set<EntityIndex>
        /// The entities of which the store may have objects: also some that its configuration leaves out, see
        /// `StoreMetadata.storedEntities(of:configuration:)`.
        let storedEntities: Set<EntityIndex>
    }

    /// The migration of the store, or its conversion, after which it is closed when the last call in it ends.
    private struct Retirement: ~Copyable {
        /// Whether a migration has the store's write lock until its end.
        let isBeingMigrated: Bool
        let isBegun = Atomic<Bool>(false)
        let isOver = DispatchSemaphore(value: 0)

        init(isBeingMigrated: Bool) { self.isBeingMigrated = isBeingMigrated }
    }

    /// What is known of the store's saves.
    struct Activity: ~Copyable {
        /// Whether the next save writes Core Data's version hashes in place of an earlier version's.
        let hasEarlierHashes = Atomic<Bool>(false)
        /// The time of the coordinator's last commit in nanoseconds since 1970; 0 before the first.
        let lastSave = Atomic<Int64>(0)
        /// The number of saves in doubt when they were last looked for.
        let savesInDoubt = Atomic(0)
        /// The error of the last save after which the store has to be opened again; `nil` after one that succeeded.
        let failure = Mutex<StoreError?>(nil)

        func note(_ error: StoreError) {
            if error.recovery == .reopen { failure.withLock { $0 = error } }
        }

        func noteSave() {
            failure.withLock { if $0 != nil { $0 = nil } }
            var now = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &now)
            lastSave.store(Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec), ordering: .relaxed)
        }
    }

    struct HistoryState: ~Copyable {
        /// Whether the store has a history, to which each transaction is added.
        let isKept = Atomic<Bool>(false)
        /// Whether the transactions have before-images.
        let keepsValues = Atomic<Bool>(false)
        /// The approximate number of bytes; counted anew from time to time, negative before the first count.
        let byteCount = Atomic(Int.min / 2)
        /// The number of transactions that this coordinator added without knowing their numbers.
        let appendCount = Atomic<Int64>(0)
        /// The last origin of a transaction, with its bytes: most transactions have the same.
        private let origin = Mutex<(kind: HistoryOrigin.Kind, author: String?, contextName: String?, bytes: [UInt8])?>(nil)

        /// Returns the bytes of the origin of this process's transactions.
        func encodedOrigin(_ kind: HistoryOrigin.Kind, _ origin: TransactionOrigin) -> [UInt8] {
            self.origin.withLock { last in
                if let bytes = last?.bytes, last?.kind == kind, last?.author == origin.author, last?.contextName == origin.contextName {
                    return bytes
                }
                let bytes = HistoryOrigin(
                    kind, author: origin.author, contextName: origin.contextName, processName: HistoryOrigin.thisProcess
                ).encoded
                last = (kind, origin.author, origin.contextName, bytes)
                return bytes
            }
        }
    }

    init(
        store: any StoreBackend, description: StoreDescription, extent: Extent, scopes: ObjectIDScopes, derivations: Derivations?,
        tracker: RemoteChangeTracker? = nil
    ) {
        self.store = store
        onlyStore = [store]
        self.description = description
        self.extent = extent
        self.scopes = scopes
        self.derivations = derivations
        self.tracker = tracker
        retirement = Retirement(isBeingMigrated: false)
        location = store.path.map { AbsolutePath($0) } ?? AbsolutePath(bytes: Array("\(store.location)".utf8))
        watch = store.capabilities.isPersistent && store.path != nil ? PreparedSaveWatch(location) : nil
    }

    /// The readable store of an entry, for policies that migrate it.
    init(beingMigrated entry: StoreEntry) {
        store = entry.store
        onlyStore = entry.onlyStore
        description = entry.description
        extent = entry.extent
        scopes = entry.scopes
        derivations = entry.derivations
        tracker = nil
        retirement = Retirement(isBeingMigrated: true)
        location = entry.location
        watch = entry.watch
    }

    var entities: Set<EntityIndex> { extent.entities }
    var storedEntities: Set<EntityIndex> { extent.storedEntities }
    var keepsHistory: Bool { history.isKept.load(ordering: .relaxed) }
    var keepsHistoryValues: Bool { history.keepsValues.load(ordering: .relaxed) }
    /// Whether the store outlives its closing.
    var isDurable: Bool { store.capabilities.isPersistent }

    deinit {
        tracker?.stop()
        // It retains the store.
        store.reportConnections(to: nil)
        guard retirement.isBegun.load(ordering: .acquiring) else { return }
        try? store.close()
        retirement.isOver.signal()
    }

    /// Marks the store as converted; it is closed when the last call in it ends.
    ///
    /// Called with the write lock held.
    ///
    /// - Returns: The semaphore that is signalled then.
    func retire() -> DispatchSemaphore {
        tracker?.stop()
        retirement.isBegun.store(true, ordering: .releasing)
        return retirement.isOver
    }

    /// The store was converted while its write lock was waited for.
    struct Replaced: Error {}

    var isTracked: Bool { tracker != nil }

    /// Ends all work in the store, and closes it; throws `StoreError` of a failure; it is closed all the same.
    func close() throws {
        tracker?.stopAndWait()
        store.reportConnections(to: nil)
        try store.close()
    }

    var keepsFiles: Bool { watch != nil }

    func holds(anyOf range: Range<EntityIndex>) -> Bool { range.contains { extent.entities.contains($0) } }

    /// Returns whether the store may have objects of some entities, as ``storedEntities``.
    func mayHave(anyOf range: Range<EntityIndex>) -> Bool { range.contains { extent.storedEntities.contains($0) } }

    /// Returns the current path of the store for this process.
    func filePath() throws(StoreError) -> String {
        do { return try location.path() } catch { throw StoreError(error, .save, path: store.path) }
    }

    private func recovery(_ model: ManagedObjectModel, _ operation: StoreError.Operation) throws -> InterruptedSaveRecovery {
        InterruptedSaveRecovery(entry: self, model: model, path: try filePath(), operation: operation)
    }

    /// Finishes or discards interrupted two-phase commits of the store.
    ///
    /// Saves in doubt that a server keeps prepared stay so.
    ///
    /// - Throws: `StoreError`; with `inDoubt` where the outcome of a save is unknown whose changes a file has to get
    ///   first.
    func finishSaves(_ model: ManagedObjectModel, _ operation: StoreError.Operation) throws {
        if keepsFiles {
            try recovery(model, operation).run()
        } else if let store = store as? any PreparingStore {
            let found = try PreparedSaveRecovery(store: store, entry: self, operation: operation).run()
            activity.savesInDoubt.store(found.inDoubt.count, ordering: .relaxed)
        }
    }

    /// Acquires the store's write lock and starts a transaction, after finishing interrupted saves of other processes,
    /// which a save without them would prevent; throws ``Replaced`` besides `StoreError`.
    func beginWrite(
        _ model: ManagedObjectModel, _ origin: TransactionOrigin, isMigration: Bool = false
    ) throws -> any StoreTransaction {
        if retirement.isBeingMigrated {
            throw StoreError(.readOnly, .save, "the objects of a store that is being migrated are only read", path: store.path)
        }
        while true {
            let transaction: any StoreTransaction
            do { transaction = try isMigration ? store.beginMigration(origin) : store.beginWrite(origin) } catch let error as StoreError {
                activity.note(error)
                throw error
            }
            do {
                if retirement.isBegun.load(ordering: .acquiring) { throw Replaced() }
                guard let watch, try watch.findsFiles(), try recovery(model, .save).settle(transaction) else { return transaction }
                // The finished save is another process's, which no event has reported.
                tracker?.checkThoroughly()
            } catch {
                transaction.rollback()
                if let error = error as? FileError { throw StoreError(error, .save, path: store.path) }
                throw error
            }
        }
    }

    /// Runs `body`, which ends with the commit, in a transaction, which is rolled back on an error.
    func write<T>(_ model: ManagedObjectModel, _ origin: TransactionOrigin, _ body: (any StoreTransaction) throws -> T) throws -> T {
        let transaction = try beginWrite(model, origin)
        do { return try transaction.orRollback { try body(transaction) } } catch let error as StoreError {
            activity.note(error)
            throw error
        }
    }
}
