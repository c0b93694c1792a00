import StrataEngine
import StrataEvaluation
import StrataFiles
import StrataModel
import StrataStore

/// Presents an incremental store of a registered class to the graph: every access calls it.
// Unchecked, as its superclass.
final class IncrementalBridge: CustomStoreBridge<NSIncrementalStore>, BridgedStore, @unchecked Sendable {
    let model: ManagedObjectModel
    let writeLock = WriteLock()
    private let stored: StoreMetadata
    private let timeout: Double

    init(_ store: NSIncrementalStore, _ metadata: StoreMetadata, _ description: StoreDescription, _ model: ManagedObjectModel) {
        self.model = model
        stored = metadata
        timeout = description.options.timeout
        super.init(store, description, metadata, model)
    }

    /// As for an atomic store of a registered class: not persistent to the graph.
    var capabilities: StoreCapabilities { StoreCapabilities(isPersistent: false, isAtomic: false, allowsSeveralProcesses: false) }

    func metadata() throws -> StoreMetadata {
        _ = try opened(.metadata)
        return stored
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try body(IncrementalReader(self, try opened(.fetch))) }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        let store = try openedForSaving()
        guard writeLock.acquire(until: Deadline(after: timeout)) else {
            throw StoreError(.locked, .save, "another save takes longer than \(timeout) seconds", path: path)
        }
        return IncrementalTransaction(self, store, origin)
    }

    // MARK: - New objects

    func number(for object: NSManagedObject) throws -> Int64 { try newID(of: object, try opened(.obtainPermanentIDs)).reference }

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

/// A transaction over an incremental store of a registered class: sends its changes as one request on commit.
final class IncrementalTransaction: StoreTransaction {
    private let bridge: IncrementalBridge
    private let store: NSIncrementalStore
    private let origin: TransactionOrigin
    private var changes = ChangeSet()
    private var isOver = false
    private var model: ManagedObjectModel { bridge.model }

    init(_ bridge: IncrementalBridge, _ store: NSIncrementalStore, _ origin: TransactionOrigin) {
        self.bridge = bridge
        self.store = store
        self.origin = origin
    }

    deinit { rollback() }

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 { try bridge.reserve(count, root, in: store) }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        let deleted = try changes.deleted.compactMap { try conflict($0.entity, $0.reference, $0.expectedVersion) }
        let updated = try changes.updated.compactMap { try conflict($0.row.entityIndex, $0.row.reference, $0.expectedVersion) }
        self.changes.inserted += changes.inserted
        self.changes.updated += changes.updated
        self.changes.deleted += changes.deleted
        self.changes.links += changes.links
        return deleted + updated
    }

    /// Returns the conflict of a change to a row that is expected to have a version; `nil` if there is none.
    private func conflict(_ entity: EntityIndex, _ reference: Int64, _ expected: UInt32) throws -> StoreConflict? {
        let root = model.entities[entity].root
        guard let current = store.versions.current(root: root, reference), current != expected else { return nil }
        let row = try bridge.read { try $0.row(root: root, reference: reference) }
        return StoreConflict(entity: entity, reference: reference, reason: row.map { .changed($0) } ?? .deleted)
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        throw StoreError(.unsupported, .save, "a store of the type '\(bridge.type)' takes what a context saves, and nothing else")
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try body(StagingReader(bridge, store, changes)) }
    func metadata() throws -> StoreMetadata { try bridge.metadata() }
    func prepare() throws {}

    func commit() throws {
        defer { rollback() }
        if changes.isEmpty { return }
        let objects = try SavingContext.objects(changes, bridge, origin)
        let request = NSSaveChangesRequest(inserted: objects.inserted, updated: objects.updated, deleted: objects.deleted, locked: [])
        _ = try store.execute(request, with: objects.context)
        for row in changes.inserted + changes.updated.map(\.row) {
            store.versions.save(root: model.entities[row.entityIndex].root, row.reference, as: row.version)
        }
        for deletion in changes.deleted { store.versions.delete(root: model.entities[deletion.entity].root, deletion.reference) }
    }

    func rollback() {
        if isOver { return }
        isOver = true
        bridge.writeLock.release()
    }
}

/// The state of a transaction as far as a save reads it: the store itself checks references.
private final class StagingReader: StoreReader {
    private let reader: IncrementalReader
    private let store: NSIncrementalStore
    private let bridge: IncrementalBridge
    private var changed: [EntityIndex: [Int64: Row?]] = [:]

    init(_ bridge: IncrementalBridge, _ store: NSIncrementalStore, _ changes: ChangeSet) {
        reader = IncrementalReader(bridge, store)
        self.store = store
        self.bridge = bridge
        for deletion in changes.deleted {
            changed[bridge.model.entities[deletion.entity].root, default: [:]][deletion.reference] = .some(nil)
        }
        for row in changes.inserted + changes.updated.map(\.row) {
            changed[bridge.model.entities[row.entityIndex].root, default: [:]][row.reference] = row
        }
    }

    var storeID: StoreID? { bridge.id }

    func execute(_ plan: FetchPlan) throws -> StoreAnswer { .rows([], .nothing) }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        if let row = changed[root]?[reference] { return row }
        return try reader.row(root: root, reference: reference)
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        try references.compactMap { try row(root: root, reference: $0) }
    }

    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        references.compactMap { reference in
            if case .some(.none) = changed[root]?[reference] { return nil }
            let entity = store.references.entity(of: reference, root: root) ?? bridge.model.entities[root]
            return ObjectReference(entity: entity.index, reference: reference)
        }
    }

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] { [] }
    func links(of table: LinkTable) throws -> [Link] { [] }
}
