import StrataEngine
import StrataModel
import StrataStore

/// Presents an atomic store of a registered class to the graph: its nodes as tables, which answer all requests.
// Unchecked, as its superclass.
final class AtomicBridge: CustomStoreBridge<NSAtomicStore>, BridgedStore, @unchecked Sendable {
    private let engine: TableEngine

    init(_ store: NSAtomicStore, _ metadata: StoreMetadata, _ description: StoreDescription, _ model: ManagedObjectModel) throws {
        engine = try TableEngine(
            CacheNodeReader(store.cacheNodes(), model).contents(metadata), model: model, path: description.path,
            timeout: description.options.timeout)
        super.init(store, description, metadata, model)
    }

    /// Not persistent to the graph, which knows no file of it: its saves commit after those of persistent stores.
    var capabilities: StoreCapabilities { StoreCapabilities(isPersistent: false, isAtomic: true, allowsSeveralProcesses: false) }

    func metadata() throws -> StoreMetadata {
        _ = try opened(.metadata)
        return engine.metadata
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        _ = try opened(.fetch)
        return try engine.read(body)
    }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        AtomicBridgeTransaction(self, try openedForSaving(), try engine.beginWrite(), origin)
    }

    // MARK: - New objects

    func number(for object: NSManagedObject) throws -> Int64 {
        let store = try opened(.obtainPermanentIDs)
        return store.references.number(of: store.newReferenceObject(for: object), object.entity.compiled)
    }

    func bind(_ object: NSManagedObject) throws {
        let store = try opened(.save)
        store.references.bind(object.objectID.id.reference, to: store.newReferenceObject(for: object), object.entity.compiled)
    }
}

/// A transaction over an atomic store of a registered class: the tables' transaction, and a save of the store.
final class AtomicBridgeTransaction: StoreTransaction {
    private let bridge: AtomicBridge
    private let store: NSAtomicStore
    private let tables: TableTransaction
    private let origin: TransactionOrigin
    private var changes = ChangeSet()

    init(_ bridge: AtomicBridge, _ store: NSAtomicStore, _ tables: TableTransaction, _ origin: TransactionOrigin) {
        self.bridge = bridge
        self.store = store
        self.tables = tables
        self.origin = origin
    }

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 { try bridge.reserve(count, root, in: store) }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        self.changes.inserted += changes.inserted
        self.changes.updated += changes.updated
        self.changes.deleted += changes.deleted
        self.changes.links += changes.links
        self.changes.metadata = changes.metadata ?? self.changes.metadata
        return try tables.apply(changes)
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try tables.read(body) }
    func metadata() throws -> StoreMetadata { try tables.metadata() }
    func prepare() throws { try tables.prepare() }
    func rollback() { tables.rollback() }

    func commit() throws {
        try tables.prepare()
        if !changes.isEmpty { try save() }
        try tables.commit()
    }

    // MARK: - The store

    /// Updates the nodes and calls the store's save; restores the nodes if that fails.
    private func save() throws {
        let nodes = store.nodesByID
        let values = nodes.mapValues { $0.propertyCache?.mutableCopy() as? NSMutableDictionary }
        do {
            let objects = try SavingContext.objects(changes, bridge, origin)
            change(objects)
            try store.save()
        } catch {
            store.nodesByID = nodes
            for (id, node) in nodes { node.propertyCache = values[id] ?? nil }
            throw error
        }
    }

    /// Changes the nodes in the order of IDs, so that a save is deterministic.
    private func change(_ objects: SavingContext.Objects) {
        let added = objects.inserted.sorted { $0.objectID.precedes($1.objectID) }.map { object in
            let node = store.newCacheNode(for: object)
            store.addCacheNodes([node])
            return (node, object)
        }
        // Those that reference objects whose nodes did not exist yet.
        for (node, object) in added where object.referencesNewObjects { store.updateCacheNode(node, from: object) }
        for object in objects.updated.sorted(by: { $0.objectID.precedes($1.objectID) }) {
            if let node = store.cacheNode(for: object.objectID) { store.updateCacheNode(node, from: object) }
        }
        let removed = Set(objects.deleted.sorted { $0.objectID.precedes($1.objectID) }.compactMap { store.cacheNode(for: $0.objectID) })
        if removed.isEmpty { return }
        store.willRemoveCacheNodes(removed)
        for node in removed { store.nodesByID[node.objectID] = nil }
    }
}

extension NSManagedObject {
    /// Whether a relationship of the object references objects that were never saved.
    fileprivate var referencesNewObjects: Bool {
        objectID.id.entity.relationships.contains { relationship in
            objectIDs(forRelationshipNamed: relationship.name).contains {
                managedObjectContext?.registeredObject(for: $0)?.isInserted == true
            }
        }
    }
}
