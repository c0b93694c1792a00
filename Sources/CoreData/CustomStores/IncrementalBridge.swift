import Foundation
import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import Synchronization

/// Presents an incremental store of a registered class to the graph: every access calls it.
final class IncrementalBridge: BridgedStore {
    let type: StoreType
    let id: StoreID
    let location: StoreLocation
    let isReadOnly: Bool
    let model: ManagedObjectModel
    let scopes: ObjectIDScopes
    let writeLock = WriteLock()
    private let stored: StoreMetadata
    private let timeout: Double
    private let store: Mutex<NSIncrementalStore?>

    init(_ store: NSIncrementalStore, _ metadata: StoreMetadata, _ description: StoreDescription, _ model: ManagedObjectModel) {
        type = metadata.type
        id = metadata.storeID
        location = description.location
        isReadOnly = description.isReadOnly || store.isReadOnly
        self.model = model
        scopes = ObjectIDScopes(model: model, storeID: metadata.storeID)
        stored = metadata
        timeout = description.options.timeout
        self.store = Mutex(store)
    }

    /// As for an atomic store of a registered class: not persistent to the graph.
    var capabilities: StoreCapabilities { StoreCapabilities(isPersistent: false, isAtomic: false, allowsSeveralProcesses: false) }
    var bridged: NSPersistentStore? { store.withLock { $0 } }

    /// - Throws: `StoreError` with `closed`.
    func opened(_ operation: StoreError.Operation) throws -> NSIncrementalStore {
        guard let store = store.withLock({ $0 }) else { throw StoreError(.closed, operation, "the store was closed", path: path) }
        return store
    }

    func metadata() throws -> StoreMetadata {
        _ = try opened(.metadata)
        return stored
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try body(IncrementalReader(self, try opened(.fetch))) }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        let store = try opened(.save)
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only", path: path) }
        guard writeLock.acquire(until: Deadline(after: timeout)) else {
            throw StoreError(.locked, .save, "another save takes longer than \(timeout) seconds", path: path)
        }
        return IncrementalTransaction(self, store, origin)
    }

    func close() throws { store.withLock { $0 = nil } }

    // MARK: - New objects

    func number(for object: NSManagedObject) throws -> Int64 { try newID(of: object, try opened(.obtainPermanentIDs)).reference }

    func knows(_ id: ObjectID) -> Bool { (try? opened(.save))?.references.knownObject(of: id.reference, id.entity) != nil }

    func bind(_ object: NSManagedObject) throws {
        let store = try opened(.save)
        let new = try newID(of: object, store)
        store.references.bind(
            object.objectID.id.reference, to: store.references.object(of: new.reference, new.entity), object.entity.compiled)
    }

    private func newID(of object: NSManagedObject, _ store: NSIncrementalStore) throws -> ObjectID {
        guard let id = try store.obtainPermanentIDs(for: [object]).first?.id, id.storeID == self.id else {
            throw StoreError(
                .wrongValue, .obtainPermanentIDs, "the store gave no ID of its own for a new object", path: path,
                entity: object.objectID.id.entity.name)
        }
        return id
    }
}
