import StrataStore
import Synchronization

/// The whole content of a store, for copying it into another one.
struct StoreContents {
    private let model: ManagedObjectModel
    private var changes = ChangeSet()
    private let userInfo: [String: PropertyListValue]
    /// The entities of the store's configuration, whose objects have to be in the new store's.
    private let entities: Set<EntityIndex>
    /// The greatest reserved reference, by the root of the entity hierarchy.
    private var lastReferences: [EntityIndex: Int64] = [:]
    /// The transactions of the history, and its values in the metadata; `nil` without one.
    private let history: (values: [String: PropertyListValue], records: [HistoryRecord])?
    /// Whether the order keys in the history are those of the rows for good.
    private let keepsOrderKeys: Bool

    private static let historyKeys: Set = [
        StoreMetadata.historyKey, StoreMetadata.historyMigrationsKey, StoreMetadata.historyValuesKey, StoreMetadata.historyOrdersKey,
        StoreMetadata.historyBeginningKey,
    ]

    /// Reads a store.
    ///
    /// - Parameter lock: A transaction that locks a writable store against other writers; it is rolled back afterwards.
    init(of entry: StoreEntry, _ lock: (any StoreTransaction)?, _ model: ManagedObjectModel) throws {
        self.model = model
        entities = entry.entities
        var metadata = try entry.store.metadata()
        // The store may have the key of a history without consumers in a form of its own.
        if metadata.keepsHistory { metadata.historyConsumers = metadata.historyConsumers ?? [:] }
        userInfo = metadata.userInfo.filter { !StoreMetadata.ownKeys.contains($0.key) }
        history =
            metadata.keepsHistory
            ? (metadata.userInfo.filter { StoreContents.historyKeys.contains($0.key) }, try entry.store.history(HistoryQuery())) : nil
        keepsOrderKeys = entry.store.capabilities.keepsOrderKeys
        let roots = entry.roots(model)
        changes = try entry.store.read { reader in
            var changes = ChangeSet()
            for root in roots.sorted() {
                changes.inserted += try model.checked(reader.answer(FetchPlan(model.entities[root])).requireRows(), .migrate)
            }
            for table in model.linkTables
            where roots.contains(model.entities[table.first.entity].root) && roots.contains(model.entities[table.second.entity].root) {
                changes.links += try reader.links(of: table).map { LinkChange(table: table.index, kind: .put, link: $0) }
            }
            return changes
        }
        for row in changes.inserted { lastReferences[model.entities[row.entityIndex].root, default: 0].raise(to: row.reference) }
        // Unsaved objects may have permanent references already.
        for root in roots {
            if let lock { lastReferences[root, default: 0].raise(to: try lock.reserveReferences(1, root: root) - 1) }
        }
    }

    /// Writes everything into an empty store, in one transaction; throws `StoreError` with `exists` where the store is
    /// not empty, `unknownEntity` where it does not hold all entities.
    func write(to target: StoreEntry) throws {
        let stranger = changes.inserted.first { row in
            let held = entities.contains(row.entityIndex) ? target.entities : target.storedEntities
            return !held.contains(row.entityIndex)
        }
        if let stranger {
            throw StoreError(
                .unknownEntity, .migrate, "the new store's configuration has no such entity", path: target.store.path,
                entity: model.entities[stranger.entityIndex].name)
        }
        guard history == nil || target.store.capabilities.keepsHistory else {
            throw StoreError(.unsupported, .migrate, "the store does not support a history", path: target.store.path)
        }
        if history != nil {
            target.history.isKept.store(true, ordering: .relaxed)
            target.tracker?.history.withLock { $0 = TrackedHistory(target.store, model) }
        }
        try target.write(model, TransactionOrigin()) { transaction in
            // Nothing is derived: derived values, including times of saves, are copied.
            let isEmpty = try transaction.read { reader in
                try target.roots(model).allSatisfy { root in
                    try reader.answer(FetchPlan(model.entities[root], .count)).requireCount() == 0
                }
            }
            guard isEmpty else {
                throw StoreError(.exists, .migrate, "there are objects in the new store already", path: target.store.path)
            }
            try reserveReferences(in: transaction, target)
            var changes = changes
            var metadata = try transaction.metadata()
            metadata.userInfo.merge(userInfo) { own, _ in own }
            if let history {
                metadata.userInfo.merge(history.values) { $1 }
                if !target.store.capabilities.keepsHistoryValues { metadata.keepsHistoryValues = false }
                if keepsOrderKeys && !target.store.capabilities.keepsOrderKeys && metadata.keepsHistoryValues {
                    metadata.lastForeignOrder = history.records.last?.number ?? 0
                }
                target.history.keepsValues.store(metadata.keepsHistoryValues, ordering: .relaxed)
            }
            try metadata.checkNesting(.migrate, path: target.store.path)
            changes.metadata = metadata
            let conflicts = try transaction.apply(changes)
            guard conflicts.isEmpty else {
                throw StoreError(
                    .constraint, .migrate, "duplicate key: objects of the store violate a uniqueness constraint", path: target.store.path,
                    conflicts: conflicts)
            }
            for record in history?.records ?? [] { try transaction.append(record) }
            try transaction.prepare()
            try transaction.commit()
        }
    }

    /// Reserves the references that the old store reserved: new objects get others.
    private func reserveReferences(in transaction: any StoreTransaction, _ target: StoreEntry) throws {
        let roots = target.roots(model)
        for (root, greatest) in lastReferences.sortedByKey() where roots.contains(root) && greatest > 0 {
            // At once: a damaged store may claim more than can be counted.
            let first = try target.reserveReferences(1, root: root, in: transaction)
            if first < greatest { _ = try target.reserveReferences(Int(greatest - first), root: root, in: transaction) }
        }
    }
}

extension StoreEntry {
    /// Returns the roots of all objects in the store, also of those that the configuration leaves out.
    fileprivate func roots(_ model: ManagedObjectModel) -> Set<EntityIndex> { Set(storedEntities.map { model.entities[$0].root }) }
}

extension Int64 {
    mutating func raise(to other: Int64) { self = Swift.max(self, other) }
}
