import Foundation
import StrataEngine
import StrataModel
import StrataStore
import Synchronization

/// Presents an atomic store of a registered class to the graph: its nodes as tables, which answer all requests.
final class AtomicBridge: BridgedStore {
    let type: StoreType
    let id: StoreID
    let location: StoreLocation
    let isReadOnly: Bool
    let scopes: ObjectIDScopes
    private let engine: TableEngine
    private let store: Mutex<NSAtomicStore?>

    init(_ store: NSAtomicStore, _ metadata: StoreMetadata, _ description: StoreDescription, _ model: ManagedObjectModel) throws {
        type = metadata.type
        id = metadata.storeID
        location = description.location
        isReadOnly = description.isReadOnly || store.isReadOnly
        scopes = ObjectIDScopes(model: model, storeID: metadata.storeID)
        engine = try TableEngine(
            CacheNodeReader(store.cacheNodes(), model).contents(metadata), model: model, path: description.path,
            timeout: description.options.timeout)
        self.store = Mutex(store)
    }

    /// Not persistent to the graph, which knows no file of it: its saves commit after those of persistent stores.
    var capabilities: StoreCapabilities { StoreCapabilities(isPersistent: false, isAtomic: true, allowsSeveralProcesses: false) }
    var bridged: NSPersistentStore? { store.withLock { $0 } }

    /// - Throws: `StoreError` with `closed`.
    func opened(_ operation: StoreError.Operation) throws -> NSAtomicStore {
        guard let store = store.withLock({ $0 }) else { throw StoreError(.closed, operation, "the store was closed", path: path) }
        return store
    }

    func metadata() throws -> StoreMetadata {
        _ = try opened(.metadata)
        return engine.metadata
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        _ = try opened(.fetch)
        return try engine.read(body)
    }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        let store = try opened(.save)
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only", path: path) }
        return AtomicBridgeTransaction(self, store, try engine.beginWrite(), origin)
    }

    func close() throws { store.withLock { $0 = nil } }

    // MARK: - New objects

    func number(for object: NSManagedObject) throws -> Int64 {
        let store = try opened(.obtainPermanentIDs)
        return store.references.number(of: store.newReferenceObject(for: object), object.entity.compiled)
    }

    func knows(_ id: ObjectID) -> Bool { (try? opened(.save))?.references.knownObject(of: id.reference, id.entity) != nil }

    func bind(_ object: NSManagedObject) throws {
        let store = try opened(.save)
        store.references.bind(object.objectID.id.reference, to: store.newReferenceObject(for: object), object.entity.compiled)
    }
}
