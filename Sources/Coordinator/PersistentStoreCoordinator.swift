public import StrataStore
import Synchronization

/// A coordinator over stores, which makes several stores look like one.
///
/// Entities are assigned to stores by configuration; fetches, counts and aggregates over several stores are combined; a save over
/// several stores is in all of them or in none, also after a crash. A save through this coordinator is seen whole by
/// reads of several stores through it; a save of another coordinator or process over the same stores may be seen in one
/// before it is in the next. Use it from any thread.
public final class PersistentStoreCoordinator: Coordinator {
    /// The model of all stores.
    public let model: ManagedObjectModel
    let entries = Mutex<[StoreEntry]>([])
    private let removedStoreIDs = Mutex<Set<StoreID>>([])
    let snapshots = HeldSnapshots()
    let gate = SnapshotGate()
    let events: SaveEvents
    let historySignal = HistorySignal()
    let log: WorkLog
    let rules: ReferenceRules
    /// The derivations in the stores; an error is thrown when a store is opened.
    let derivations: Result<Derivations?, any Error>

    let sequences: SequenceNumbers

    /// Creates a coordinator without stores.
    ///
    /// - Parameters:
    ///   - model: The model of all stores.
    ///   - instrumentation: The listeners of its operations, migrations of stores included; none by default.
    public init(model: ManagedObjectModel, instrumentation: StoreInstrumentation = StoreInstrumentation()) {
        self.model = model
        sequences = SequenceNumbers(model)
        log = WorkLog()
        log.instrumentation = instrumentation
        events = SaveEvents(log)
        let rules = ReferenceRules(model)
        self.rules = rules
        derivations = Result { try Derivations(rules) }
    }

    deinit {
        for entry in entries.withLock({ $0 }) { try? entry.close() }
    }

    // MARK: - Stores

    /// The stores, in the order in which they were added.
    public var stores: [any PersistentStore] { entries.withLock { $0.map(\.store) } }

    /// Opens or creates a store, and adds it.
    ///
    /// A two-phase commit that a crash interrupted is finished here. A store that was made with another version of the
    /// model is migrated first, by default, see `migrateStore(_:to:mapping:policies:)`.
    ///
    /// - Parameters:
    ///   - description: The store.
    ///   - stages: The versions that an older store is migrated through first, see `migrateStore(_:through:)`.
    /// - Throws: `StoreError`; `unknownEntity` when the model has no such configuration; `unsupported` where a
    ///   derivation of the model is not supported.
    @discardableResult
    public func addStore(_ description: StoreDescription, through stages: [MigrationStage] = []) throws -> any PersistentStore {
        let entry = try WorkLog.$migrating.withValue(log) {
            if !stages.isEmpty { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            return try open(checking: description)
        }
        let store = try add(entry)
        forgetDecisions(with: entry)
        return store
    }

    /// Removes decisions that file stores keep for servers that have finished the saves, which is known only where both
    /// are open.
    ///
    /// A failure does no harm.
    private func forgetDecisions(with new: StoreEntry) {
        let open = entries.withLock { $0.filter { !$0.store.isReadOnly } }
        for server in open {
            guard let store = server.store as? any PreparingStore else { continue }
            let recovery = PreparedSaveRecovery(store: store, entry: server, operation: .open)
            for decidingStore in open where decidingStore.keepsFiles && (decidingStore === new || server === new) {
                try? recovery.forgetDecisions(of: decidingStore)
            }
        }
    }

    /// Opens a store that is not open in the coordinator.
    ///
    /// - Parameter scopes: The scopes of its objects' IDs where contexts have them already.
    func open(checking description: StoreDescription, _ scopes: ObjectIDScopes? = nil) throws -> StoreEntry {
        try description.requireEntities(of: model)
        if let path = description.path, entries.withLock({ $0.contains { $0.store.path == path } }) {
            throw StoreError(.locked, .open, "the coordinator has the store open already", path: path)
        }
        _ = try derivations.get()
        try RestoreMark.requireNone(description.location)
        return try entry(for: openMigrating(description), description, scopes)
    }

    /// Finishes interrupted saves of an opened store; closes it where that fails.
    func entry(
        for store: any StoreBackend, _ description: StoreDescription, _ knownScopes: ObjectIDScopes? = nil
    ) throws -> StoreEntry {
        let derivations = try derivations.get()
        let entities = Set(model.entities(inConfiguration: description.configuration) ?? [])
        let scopes = knownScopes ?? ObjectIDScopes(model: model, storeID: store.id)
        do {
            let tracker = try RemoteChangeTracker(store, description, TrackedSchema(model, entities), scopes, events)
            let metadata = try store.metadata()
            let stored = Set(metadata.storedEntities(of: model, configuration: description.configuration))
            let entry = StoreEntry(
                store: store, description: description, extent: StoreEntry.Extent(entities: entities, storedEntities: stored),
                scopes: scopes, derivations: derivations, tracker: tracker)
            if !description.continuesStage { try metadata.checkStages(.open, path: description.path) }
            try entry.beginHistory(metadata)
            if entry.keepsHistory { tracker?.history.withLock { $0 = TrackedHistory(store, model) } }
            if !store.isReadOnly {
                entry.noteEarlierHashes(metadata, model)
                try entry.finishSaves(model, .open)
                try entry.refreshDerivations(model)
                try entry.noteMigration(metadata, model)
            }
            return entry
        } catch {
            try? store.close()
            throw error
        }
    }

    private func openMigrating(_ description: StoreDescription) throws -> any StoreBackend {
        guard description.shouldMigrateStoreAutomatically && !description.isReadOnly else {
            return try openStore(description, model: model)
        }
        let migrator = StoreMigrator(description: description, model: model)
        let (store, source): (any StoreBackend, StoreMigrator.OpenSource?)
        do { (store, source) = try migrator.open() } catch let error as StoreError where error.code == .incompatibleModel {
            do { try migrator.run(metadata: error.metadata) } catch let failure as StoreError where failure.code == .missingSourceModel {
                throw StoreError(
                    .incompatibleModel, .open, "\(error.message); it cannot be migrated, as \(failure.message)", path: error.path,
                    entity: error.entity, key: error.key, underlying: failure)
            }
            return try openStore(description, model: model)
        }
        guard let source else { return store }
        do { try migrator.run(from: source) } catch {
            try? store.close()
            throw error
        }
        if let store = store as? any ReopeningStore { return try store.reopened(description, model: model) }
        try store.close()
        return try openStore(description, model: model)
    }

    private func add(_ entry: StoreEntry) throws -> any PersistentStore {
        do {
            try entry.tracker?.start()
            try entries.withLock { entries in
                guard !entries.contains(where: { $0.store.id == entry.store.id }) else {
                    throw StoreError(.locked, .open, "a store with the same UUID is open already", path: entry.description.path)
                }
                entries.append(entry)
            }
        } catch {
            try? entry.close()
            throw error
        }
        observeConnections(of: entry)
        for problem in entry.store.openingProblems {
            log.warn(.migrations) { "\(entry.description.path ?? entry.store.id.rawValue): \(problem)" }
        }
        return entry.store
    }

    /// Closes a store and forgets it; its objects become inaccessible.
    ///
    /// A transaction of it that is under way may still end, and releases its file then.
    ///
    /// - Throws: `StoreError` with `noStore` where the coordinator does not have the store, as one that was converted:
    ///   nothing is removed then. The error of closing the store; it is closed, and forgotten, all the same.
    public func remove(_ store: any PersistentStore) throws {
        let entry = entries.withLock { entries in
            entries.firstIndex { $0.store === store }.map { entries.remove(at: $0) }
        }
        guard let entry else { throw StoreError(noStore: store.id, .close) }
        _ = removedStoreIDs.withLock { $0.insert(store.id) }
        // Another state of it may be added later.
        sequences.forget(store.id)
        try entry.close()
    }

    package func hasRemoved(_ storeID: StoreID) -> Bool { removedStoreIDs.withLock { $0.contains(storeID) } }

    /// Returns the store with an ID, `nil` when there is none.
    public func store(id: StoreID) -> (any PersistentStore)? { entries.withLock { $0.first { $0.store.id == id }?.store } }

    /// Returns the store of an object, `nil` for a temporary ID, or when the store is not here.
    public func store(of id: ObjectID) -> (any PersistentStore)? { entry(of: id)?.store }

    func entry(of id: ObjectID) -> StoreEntry? {
        let index = id.scope.entity.index
        // Nearly always the very scope that this coordinator made; another coordinator's has the same ID.
        let entry = entries.withLock { $0.first { $0.scopes.entityIndices.contains(index) && $0.scopes[index] == id.scope } }
        return entry ?? id.storeID.flatMap { self.entry(storeID: $0) }
    }

    func entry(storeID: StoreID) -> StoreEntry? { entries.withLock { $0.first { $0.store.id == storeID } } }

    func requireEntry(storeID: StoreID, _ operation: StoreError.Operation) throws -> StoreEntry {
        if let entry = entry(storeID: storeID) { return entry }
        throw StoreError(noStore: storeID, operation)
    }

    /// Returns the entry of an open store; another store with the same ID, as before a conversion, has none.
    func requireEntry(of store: any PersistentStore, _ operation: StoreError.Operation) throws -> StoreEntry {
        guard let entry = entries.withLock({ $0.first { $0.store === store } }) else { throw StoreError(noStore: store.id, operation) }
        return entry
    }

    // MARK: - IDs

    /// Returns the ID of a URI; `nil` where the URI is malformed, or names a store that is not open.
    ///
    /// A URI may name an ancestor of the object's entity: then the object's row is read for its own entity.
    public func objectID(forURI uri: String) -> ObjectID? {
        guard let spelled = ObjectURI(uri), let entity = model.entity(named: spelled.entityName),
            let entry = entry(storeID: spelled.storeID)
        else { return nil }
        let id = ObjectID(scope: entry.scopes[entity.index], reference: spelled.reference)
        // A URI may name an ancestor of the row's own entity, whose class the object has.
        guard !entity.subentities.isEmpty, let row = try? row(for: id) else { return id }
        return entry.scopes.id(of: row)
    }

    /// Makes the stores with some IDs, or all stores where `storeIDs` is `nil`, show what was saved outside this
    /// coordinator, where they do not do so by themselves.
    ///
    /// - Throws: `StoreError` with `missing` where the file of a store was deleted, `replaced` where it is another
    ///   store's, `noStore` where a store is not open. All other stores are refreshed all the same.
    public func refreshStores(_ storeIDs: [StoreID]?) throws {
        let open = entries.withLock { $0 }
        var failure: (any Error)? = storeIDs?.first { id in !open.contains { $0.store.id == id } }.map { StoreError(noStore: $0, .refresh) }
        for entry in open where storeIDs?.contains(entry.store.id) != false {
            do { try entry.store.refresh() } catch {
                // An error of one store does not prevent the others from being refreshed.
                failure = failure ?? error
                continue
            }
            entry.tracker?.check()
        }
        if let failure { throw failure }
    }

    package func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes {
        try requireEntry(storeID: storeID, .save).scopes
    }

    /// Returns the ID of the store for a new object: the first writable one that holds its entity.
    ///
    /// - Throws: `StoreError` with `noStore`.
    public func storeForNewObjects(of entity: EntityDescription) throws -> StoreID {
        try entryForNewObjects(of: entity, .save).store.id
    }

    /// Returns the first writable store that holds an entity, among those with some IDs or all; where all of them are
    /// read-only, the first of these: a save of the object throws what that store says, while fetches see it.
    func entryForNewObjects(
        of entity: EntityDescription, among affected: [StoreID]? = nil, _ operation: StoreError.Operation
    ) throws(StoreError) -> StoreEntry {
        let entry = entries.withLock { entries in
            let holding = entries.lazy.filter { $0.entities.contains(entity.index) && affected?.contains($0.store.id) != false }
            return holding.first { !$0.store.isReadOnly } ?? holding.first
        }
        if let entry { return entry }
        throw StoreError(.noStore, operation, "no open store holds the entity", entity: entity.name)
    }

    package func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        var references = [Int64](repeating: 0, count: requests.count)
        for (storeID, positions) in Dictionary(grouping: requests.indices, by: { requests[$0].storeID }).sortedByKey() {
            try write(toStore: { try requireEntry(storeID: storeID, .obtainPermanentIDs) }, isRepeatable: true) { entry, writer in
                for (root, positions) in Dictionary(grouping: positions, by: { requests[$0].entity.root }) {
                    let first = try entry.reserveReferences(positions.count, root: root, in: writer.transaction)
                    for (offset, position) in positions.enumerated() { references[position] = first + Int64(offset) }
                }
            }
        }
        return references
    }
}
