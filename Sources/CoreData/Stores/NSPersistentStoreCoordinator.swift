import StrataCoordinator
import StrataModel
import StrataStore
import Synchronization

/// A coordinator over stores: it makes several stores look like one.
// Unchecked: a lock guards its mutable state.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
    /// The model of all stores.
    open var managedObjectModel: NSManagedObjectModel { model }
    private let model: NSManagedObjectModel
    /// The graph's own coordinator.
    final let coordinator: PersistentStoreCoordinator
    /// The number of saves of contexts.
    final let saves = Atomic<Int>(0)
    private let stores = Mutex<[NSPersistentStore]>([])
    private let nameLock = Mutex<String?>(nil)
    private let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")
    private let remoteChanges = Mutex<SaveEventSubscription?>(nil)

    /// Creates a coordinator without stores; freezes the model.
    ///
    /// - Precondition: The model is sound.
    public required init(managedObjectModel model: NSManagedObjectModel) {
        self.model = model
        do { coordinator = PersistentStoreCoordinator(model: try model.compiled()) } catch {
            let failure = cocoaError(error)
            programmerError("The model cannot be used: \(failure.localizedFailureReason ?? failure.localizedDescription)")
        }
        super.init()
        ModelsInUse.add(model)
    }

    /// Creates a coordinator of an empty model.
    public override convenience init() { self.init(managedObjectModel: NSManagedObjectModel()) }

    /// A name by which people distinguish coordinators.
    open var name: String? {
        get { nameLock.withLock { $0 } }
        set { nameLock.withLock { $0 = newValue } }
    }

    // MARK: - Stores

    /// The stores, in the order in which they were added.
    open var persistentStores: [NSPersistentStore] { stores.withLock { $0 } }

    /// Returns the store at a URL.
    open func persistentStore(for URL: URL) -> NSPersistentStore? {
        persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
    }

    /// Returns where a store is; in memory, a URL of no file.
    open func url(for store: NSPersistentStore) -> URL { store.url ?? Foundation.URL(fileURLWithPath: "/dev/null") }

    /// Opens a store, or creates a new one, and adds it.
    ///
    /// A store of another version of the model is migrated if the options say so.
    ///
    /// - Throws: An `NSError` in the domain `NSCocoaErrorDomain`, such as
    ///   `NSPersistentStoreIncompatibleVersionHashError`.
    @discardableResult
    open func addPersistentStore(
        ofType storeType: String, configurationName configuration: String?, at storeURL: URL?, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        do {
            let given = GivenStore(storeType, configuration: configuration, at: storeURL, options)
            let description = try StoreKinds.description(given, of: self)
            let opened = try openMigrated(description, options: options ?? [:])
            let store = store(of: opened, given)
            stores.withLock { $0.append(store) }
            store.didAdd(to: self)
            if description.options.postsRemoteChanges { observeRemoteChanges() }
            postStoresDidChange([NSAddedPersistentStoresKey: [store]])
            return store
        } catch { throw cocoaError(error) }
    }

    /// Returns the store of a registered class behind the graph's store, or one over the graph's store.
    private func store(of opened: any PersistentStore, _ given: GivenStore) -> NSPersistentStore {
        guard let store = (opened as? any BridgedStore)?.bridged else { return NSPersistentStore(opened, given, of: self) }
        store.attach(opened, type: given.type, url: given.url)
        SavingContext.watch()
        return store
    }

    /// Opens a store, or makes a new one, and adds it.
    ///
    /// - Throws: As ``addPersistentStore(ofType:configurationName:at:options:)``.
    @discardableResult
    public final func addPersistentStore(
        type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL, options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStore {
        try addPersistentStore(ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
    }

    /// Opens the store of a description, in the background if it says so.
    ///
    /// - Parameters:
    ///   - storeDescription: The store.
    ///   - block: Called with the error, if the store could not be opened.
    open func addPersistentStore(
        with storeDescription: NSPersistentStoreDescription,
        completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
    ) {
        let work = {
            do {
                try self.addPersistentStore(
                    ofType: storeDescription.type, configurationName: storeDescription.configuration, at: storeDescription.url,
                    options: storeDescription.options)
                block(storeDescription, nil)
            } catch { block(storeDescription, error) }
        }
        guard storeDescription.shouldAddStoreAsynchronously else { return work() }
        // The caller's block is called on another thread, as the description asks.
        nonisolated(unsafe) let handed = work
        queue.async { unsafe handed() }
    }

    /// Closes a store; its objects become inaccessible.
    ///
    /// - Throws: An `NSError` of the store.
    open func remove(_ store: NSPersistentStore) throws {
        do {
            store.willRemove(from: self)
            try coordinator.remove(try store.opened)
            stores.withLock { $0.removeAll { $0 === store } }
            store.replace(by: nil, url: store.url)
            postStoresDidChange([NSRemovedPersistentStoresKey: [store]])
        } catch { throw cocoaError(error) }
    }

    /// Copies a store to a new one of any kind, which replaces it in the coordinator; the old one's files stay.
    ///
    /// - Throws: An `NSError` of either store; nothing is changed then.
    @discardableResult
    open func migratePersistentStore(
        _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
    ) throws -> NSPersistentStore {
        do {
            let given = GivenStore(storeType, configuration: store.configuration, at: URL, options)
            let old = try store.opened
            var opened = try coordinator.migrateStore(old, to: try StoreKinds.description(given.writable, of: self))
            if opened.isReadOnly != (given.options?[NSReadOnlyPersistentStoreOption] as? Bool ?? false) {
                // The copy is written first, and reopened with its own options after that.
                try coordinator.remove(opened)
                opened = try coordinator.addStore(try StoreKinds.description(given, of: self))
            }
            let migrated = self.store(of: opened, given)
            stores.withLock { stores in
                if let index = stores.firstIndex(where: { $0 === store }) { stores[index] = migrated } else { stores.append(migrated) }
            }
            store.replace(by: nil, url: store.url)
            postStoresDidChange([NSUUIDChangedPersistentStoresKey: [store, migrated, migratedIDs(in: migrated)] as [Any]])
            return migrated
        } catch { throw cocoaError(error) }
    }

    /// Copies everything in a store to a new store of any kind, which replaces the old one in the coordinator.
    ///
    /// - Throws: As ``migratePersistentStore(_:to:options:withType:)``.
    @discardableResult
    public final func migratePersistentStore(
        _ store: NSPersistentStore, to storeURL: URL, options: [AnyHashable: Any]? = nil, type storeType: NSPersistentStore.StoreType
    ) throws -> NSPersistentStore {
        try migratePersistentStore(store, to: storeURL, options: options, withType: storeType.rawValue)
    }

    /// Returns the IDs of all objects in a store that was migrated, each before its migration and after.
    private func migratedIDs(in store: NSPersistentStore) -> [NSManagedObjectID] {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = self
        let configuration = managedObjectModel.openedConfiguration(store.configuration)
        let entities = managedObjectModel.entities(forConfigurationName: configuration) ?? []
        return entities.filter { $0.superentity == nil }.compactMap(\.name).flatMap { name in
            let request = NSFetchRequest<NSManagedObjectID>(entityName: name)
            request.resultType = .managedObjectIDResultType
            request.affectedStores = [store]
            let ids = (try? context.performAndWait { try context.fetch(request) }) ?? []
            return ids.flatMap { [$0, $0] }
        }
    }

    /// Moves an open store to another URL: opens the store there, or copies an atomic store there if none exists.
    @discardableResult
    open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
        move(store, to: url)
        return store.url == url
    }

    final func move(_ store: NSPersistentStore, to url: URL?) {
        guard let url, url != store.url, let opened = try? store.opened else { return }
        let given = GivenStore(store.type, configuration: store.configuration, at: url, store.options)
        guard let description = try? StoreKinds.description(given, of: self) else { return }
        if !opened.capabilities.isAtomic && !FileManager.default.fileExists(atPath: url.path) { return }
        if FileManager.default.fileExists(atPath: url.path) {
            guard (try? coordinator.remove(opened)) != nil, let other = try? coordinator.addStore(description) else { return }
            store.replace(by: other, url: url)
        } else if let other = try? coordinator.migrateStore(opened, to: description) {
            store.replace(by: other, url: url)
        }
    }

    final func postStoresDidChange(_ changes: [AnyHashable: Any]) {
        NotificationCenter.default.post(name: .NSPersistentStoreCoordinatorStoresDidChange, object: self, userInfo: changes)
    }

    /// Posts remote changes of the stores.
    private func observeRemoteChanges() {
        remoteChanges.withLock { subscription in
            if subscription != nil { return }
            subscription = coordinator.observeSaves { [weak self] event in
                guard let self else { return }
                for changes in event.stores {
                    var info: [AnyHashable: Any] = [NSStoreUUIDKey: changes.storeID.description]
                    let store = NSPersistentStore.open(id: changes.storeID)
                    info[NSPersistentStoreURLKey] = store?.url
                    info[NSPersistentHistoryTokenKey] = store.flatMap { self.currentPersistentHistoryToken(fromStores: [$0]) }
                    NotificationCenter.default.post(name: .NSPersistentStoreRemoteChange, object: self, userInfo: info)
                }
            }
        }
    }

    // MARK: - Queue

    /// Runs a block on the coordinator's queue, some time soon.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }
    /// Runs a block on the coordinator's queue, and waits for it.
    open func performAndWait(_ block: () -> Void) { queue.sync(execute: block) }
    /// Runs a block on the coordinator's queue, and waits for its result.
    ///
    /// - Throws: The block's error.
    public final func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try queue.sync(execute: block) }

    /// Runs a block on the coordinator's queue, and returns its result.
    ///
    /// - Throws: The block's error.
    @preconcurrency
    public final func perform<T>(_ block: @escaping @Sendable () throws -> T) async rethrows -> T {
        let outcome: Outcome<T> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Outcome(result: Result { try block() })) }
        }
        return try outcome.get(of: block) { throw $0 }
    }
}
