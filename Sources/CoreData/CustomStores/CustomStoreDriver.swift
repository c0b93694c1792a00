import StrataModel
import StrataStore
import Synchronization

/// The driver of stores of a registered class: it opens those of a ``StoreOrigin``, and only operates on files of others.
// Unchecked: the origin is only passed to the store.
struct CustomStoreDriver<Origin>: @unchecked Sendable {
    let type: StoreType
    let storeClass: NSPersistentStore.Type
    let origin: Origin
}

extension CustomStoreDriver: OpeningStoreDriver where Origin == StoreOrigin {
    func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        let store = storeClass.init(origin)
        try store.loadMetadata()
        let metadata = try metadata(of: store, origin, description, model)
        switch store {
        case let store as NSAtomicStore:
            try store.load()
            // Loading may have set the metadata.
            return try AtomicBridge(store, try self.metadata(of: store, origin, description, model), description, model)
        case let store as NSIncrementalStore: return IncrementalBridge(store, metadata, description, model)
        default: throw StoreError(.wrongType, .open, "there are no stores of the type '\(type)'")
        }
    }

    /// Returns the metadata of a store that is being opened, and adds missing keys.
    private func metadata(
        of store: NSPersistentStore, _ origin: StoreOrigin, _ description: StoreDescription, _ model: ManagedObjectModel
    ) throws -> StoreMetadata {
        var metadata = try StoreMetadata(
            newStoreOf: type, model: model, configuration: description.configuration, storeID: description.newStoreID)
        var information = store.metadata ?? [:]
        let newID = (storeClass as? NSIncrementalStore.Type).map { "\($0.identifierForNewStore(at: origin.url))" }
        metadata.storeID = StoreID(information[NSStoreUUIDKey].map { "\($0)" } ?? newID ?? metadata.storeID.rawValue)
        let current = StoreInformation.dictionary(of: metadata)
        if let hashes = information[NSStoreModelVersionHashesKey] as? [String: Data], !hashes.isEmpty {
            metadata.versionHashes = hashes.mapValues { Array($0) }
            metadata.userInfo[StoreMetadata.modelKey] = nil
            if !description.options.ignoresModelVersion {
                try metadata.checkCompatibility(with: model, configuration: description.configuration, path: description.path)
                // An earlier version hashed the same model in another way.
                information[NSStoreModelVersionHashesKey] = current[NSStoreModelVersionHashesKey]
            }
        }
        information[NSStoreUUIDKey] = metadata.storeID.rawValue
        information[NSStoreTypeKey] = information[NSStoreTypeKey] ?? type.rawValue
        for key in [NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey] { information[key] = information[key] ?? current[key] }
        store.metadata = information
        return metadata
    }

}

extension CustomStoreDriver: StoreDriver {
    func metadata(at location: StoreLocation) throws -> StoreMetadata {
        let information = try storeClass.metadataForPersistentStore(with: url(location))
        let hashes = information[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
        return StoreMetadata(
            type: type, storeID: StoreID(information[NSStoreUUIDKey].map { "\($0)" } ?? ""), versionHashes: hashes.mapValues { Array($0) },
            versionIdentifiers: information[NSStoreModelVersionIdentifiersKey] as? [String] ?? [])
    }

    func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {
        try storeClass.setMetadata(StoreInformation.dictionary(of: metadata), forPersistentStoreAt: url(location))
    }

    func destroy(at location: StoreLocation) throws {
        if FileManager.default.fileExists(atPath: try url(location).path) { try FileManager.default.removeItem(at: url(location)) }
    }

    func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {
        let data = try Data(contentsOf: url(source))
        try data.write(to: url(location), options: .atomic)
    }

    private func url(_ location: StoreLocation) throws -> URL {
        guard let path = location.path else { throw StoreError(.unsupported, .metadata, "a store in memory has no file") }
        return URL(fileURLWithPath: path)
    }
}

/// A store of the graph that forwards to one of a registered class.
protocol BridgedStore: StoreBackend {
    /// The store of the registered class; `nil` once it was closed.
    var bridged: (any ReferencedStore)? { get }
    var scopes: ObjectIDScopes { get }
    func number(for object: NSManagedObject) throws -> Int64
    /// Returns whether the store's class assigned a number to an object.
    func knows(_ id: ObjectID) -> Bool
    /// Assigns a reserved number to a new object.
    func bind(_ object: NSManagedObject) throws
}

extension BridgedStore {
    /// Returns the number of the new object that is being assigned its ID, or reserves consecutive numbers.
    func reserve(_ count: Int, _ root: EntityIndex, in store: some ReferencedStore) throws -> Int64 {
        if count == 1, let object = SavingContext.named { return try number(for: object) }
        return store.references.reserve(count, root: root)
    }
}

/// The parts of the bridges to atomic and to incremental stores that are the same.
// Unchecked since it is not final: all that it holds is a constant, or locked.
class CustomStoreBridge<Store: ReferencedStore>: @unchecked Sendable {
    final let type: StoreType
    final let id: StoreID
    final let location: StoreLocation
    final let isReadOnly: Bool
    final let scopes: ObjectIDScopes
    private final let store: Mutex<Store?>

    init(_ store: Store, _ description: StoreDescription, _ metadata: StoreMetadata, _ model: ManagedObjectModel) {
        type = metadata.type
        id = metadata.storeID
        location = description.location
        isReadOnly = description.isReadOnly || store.isReadOnly
        scopes = ObjectIDScopes(model: model, storeID: metadata.storeID)
        self.store = Mutex(store)
    }

    final var bridged: (any ReferencedStore)? { store.withLock { $0 } }

    /// - Throws: `StoreError` with `closed`.
    final func opened(_ operation: StoreError.Operation) throws -> Store {
        guard let store = store.withLock({ $0 }) else {
            throw StoreError(.closed, operation, "the store was closed", path: location.path)
        }
        return store
    }

    /// - Throws: `StoreError` with `closed` or `readOnly`.
    final func openedForSaving() throws -> Store {
        let store = try opened(.save)
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only", path: location.path) }
        return store
    }

    final func close() throws { store.withLock { $0 = nil } }
    final func knows(_ id: ObjectID) -> Bool { bridged?.references.knownObject(of: id.reference, id.entity) != nil }
}

/// The arguments of a coordinator's call to the initializer of a registered store class.
public struct StoreOrigin {
    let coordinator: NSPersistentStoreCoordinator
    let configurationName: String?
    let url: URL
    let options: [AnyHashable: Any]?
}
