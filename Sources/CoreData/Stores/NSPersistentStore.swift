import StrataModel
import StrataStore
import Synchronization

/// A store that a coordinator has open.
///
/// Custom stores are subclasses of ``NSAtomicStore`` or ``NSIncrementalStore``, registered by
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:forStoreType:)-(_,String)``.
// Unchecked: a lock guards its mutable state.
open class NSPersistentStore: NSObject, @unchecked Sendable {
    private struct State {
        var opened: (any PersistentStore)?
        var url: URL?
        weak var coordinator: NSPersistentStoreCoordinator?
        var type = ""
        var isReadOnly = false
        /// The metadata of a custom store; others hold them in their files.
        var metadata: [String: Any] = [:]
    }

    private let lock = NSLock()
    private var state: State
    private let givenConfigurationName: String?
    private let givenOptions: [AnyHashable: Any]?

    /// Creates a store that is not open yet: a coordinator calls it for registered classes.
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
        options: [AnyHashable: Any]? = nil
    ) {
        state = State(url: url, coordinator: root)
        let flag = options?[NSReadOnlyPersistentStoreOption]
        state.isReadOnly = (flag as? NSNumber)?.boolValue ?? flag as? Bool ?? false
        givenConfigurationName = name
        givenOptions = options
        super.init()
    }

    /// Makes a store of a registered class by its own initializer.
    public required convenience init(_ origin: StoreOrigin) {
        self.init(
            persistentStoreCoordinator: origin.coordinator, configurationName: origin.configurationName, at: origin.url,
            options: origin.options)
    }

    convenience init(_ opened: any PersistentStore, _ given: GivenStore, of coordinator: NSPersistentStoreCoordinator) {
        self.init(
            persistentStoreCoordinator: coordinator, configurationName: given.configuration, at: given.existingURL, options: given.options)
        attach(opened, type: given.type, url: given.url)
    }

    /// Attaches the graph's open store.
    final func attach(_ opened: any PersistentStore, type: String, url: URL?) {
        lock.withLock {
            state.opened = opened
            state.type = type
            state.url = url
            state.isReadOnly = opened.isReadOnly
        }
        OpenStores.add(self, opened.id)
    }

    /// The name of the configuration with all entities.
    static let defaultConfigurationName = "PF_DEFAULT_CONFIGURATION_NAME"

    /// The configuration of the store; `nil` for all entities.
    final var configuration: String? { configurationName == NSPersistentStore.defaultConfigurationName ? nil : configurationName }

    // MARK: - Metadata

    /// The type of the store, such as `NSSQLiteStoreType`.
    open var type: String {
        let type = lock.withLock { state.type }
        return type.isEmpty ? metadata?[NSStoreTypeKey] as? String ?? "" : type
    }
    /// The name of the configuration whose entities it holds.
    open var configurationName: String { givenConfigurationName ?? NSPersistentStore.defaultConfigurationName }
    /// The options that it was added with.
    open var options: [AnyHashable: Any]? { givenOptions }
    /// Whether it is opened for reading only.
    ///
    /// A custom store sets it before it is loaded; later changes have no effect.
    open var isReadOnly: Bool {
        get { lock.withLock { state.isReadOnly } }
        set { lock.withLock { state.isReadOnly = newValue } }
    }

    /// The coordinator that has it open.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? { lock.withLock { state.coordinator } }

    /// Where it is; `nil` in memory.
    open var url: URL? {
        get { lock.withLock { state.url } }
        set {
            if keepsOwnMetadata { lock.withLock { state.url = newValue } } else { persistentStoreCoordinator?.move(self, to: newValue) }
        }
    }

    /// The UUID that its metadata name it by.
    open var identifier: String! {
        get {
            if let opened = lock.withLock({ state.opened }) { return opened.id.description }
            // An override of the metadata may have another UUID.
            return metadata?[NSStoreUUIDKey].map { "\($0)" } ?? lock.withLock { state.metadata[NSStoreUUIDKey] as? String } ?? ""
        }
        set { if keepsOwnMetadata { lock.withLock { state.metadata[NSStoreUUIDKey] = newValue } } }
    }

    /// The metadata: the type, the UUID, the model's version hashes, and the application's part.
    ///
    /// Setting it replaces the application's part. It is written at once; a custom store writes it when it is saved.
    open var metadata: [String: Any]! {
        get {
            if keepsOwnMetadata { return lock.withLock { state.metadata } }
            return (try? opened).flatMap { try? StoreInformation.dictionary(of: $0.metadata()) } ?? [:]
        }
        set {
            if keepsOwnMetadata {
                lock.withLock { state.metadata = newValue ?? [:] }
            } else {
                try? persistentStoreCoordinator?.setMetadataChecked(newValue, for: self)
            }
        }
    }

    /// Whether it has a registered class, which holds the metadata itself.
    final var keepsOwnMetadata: Bool { self is NSAtomicStore || self is NSIncrementalStore }

    /// Loads the metadata of a custom store, before any other access: by default those of
    /// ``metadataForPersistentStore(with:)``.
    ///
    /// - Throws: The error that keeps the store from being opened.
    open func loadMetadata() throws {
        guard keepsOwnMetadata, let url, metadata?.isEmpty != false else { return }
        metadata = try Swift.type(of: self).metadataForPersistentStore(with: url)
    }

    /// Returns the metadata of the store at a URL, which need not be open; none by default.
    ///
    /// - Throws: The error of reading them.
    open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] { [:] }

    /// Replaces the metadata of the store at a URL, which is not open; does nothing by default.
    ///
    /// - Throws: The error of writing them.
    open class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {}

    /// Returns the graph's store.
    ///
    /// - Throws: `StoreError` with `closed` once it was removed from its coordinator.
    final var opened: any PersistentStore {
        get throws {
            guard let opened = lock.withLock({ state.opened }) else {
                throw StoreError(.closed, .access, "the store was removed from its coordinator")
            }
            return opened
        }
    }

    /// Replaces the graph's store by another one, or none.
    final func replace(by other: (any PersistentStore)?, url: URL?) {
        let old = lock.withLock {
            let old = state.opened
            state.opened = other
            state.url = url
            return old
        }
        if let old { OpenStores.remove(old.id, self) }
        if let other { OpenStores.add(self, other.id) }
    }

    /// Returns the store with an ID, where a coordinator has it open.
    static func open(id: StoreID) -> NSPersistentStore? { OpenStores.store(id) }

    /// Removes the stores at a URL from all coordinators that have it open.
    static func closeAll(at url: URL) throws {
        for store in OpenStores.all where store.url?.standardizedFileURL == url.standardizedFileURL {
            try store.persistentStoreCoordinator?.remove(store)
        }
    }

    /// Called after a coordinator added it.
    open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}
    /// Called before a coordinator removes it.
    open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}
}

/// The stores that coordinators have open, by their IDs.
private enum OpenStores {
    private struct Reference {
        weak var store: NSPersistentStore?
    }

    private static let stores = Mutex<[StoreID: [Reference]]>([:])

    static func add(_ store: NSPersistentStore, _ id: StoreID) {
        stores.withLock { $0[id, default: []].append(Reference(store: store)) }
    }

    static func remove(_ id: StoreID, _ store: NSPersistentStore) {
        stores.withLock { stores in
            stores[id]?.removeAll { $0.store == nil || $0.store === store }
            if stores[id]?.isEmpty == true { stores[id] = nil }
        }
    }

    static var all: [NSPersistentStore] { stores.withLock { $0.values.flatMap { $0.compactMap(\.store) } } }

    static func store(_ id: StoreID) -> NSPersistentStore? { stores.withLock { $0[id]?.lazy.compactMap(\.store).last } }
}
