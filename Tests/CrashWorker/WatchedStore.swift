import Strata
package import StrataModel
package import StrataStore

/// A kind of store whose stores report each step of a save before it is done: a report that throws makes the step fail.
package struct WatchedDriver: StoreDriver {
    private let base: any StoreDriver
    private let step: @Sendable (String) throws -> Void

    package init(_ base: any StoreDriver, step: @escaping @Sendable (String) throws -> Void) {
        self.base = base
        self.step = step
    }

    package var type: StoreType { base.type }

    package func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
        WatchedStore(try base.open(description, model: model), step)
    }

    package func metadata(at location: StoreLocation) throws -> StoreMetadata { try base.metadata(at: location) }
    package func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {
        try base.setMetadata(metadata, at: location)
    }
    package func destroy(at location: StoreLocation) throws { try base.destroy(at: location) }
    package func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {
        try base.replace(at: location, withStoreAt: source)
    }
}

private final class WatchedStore: PersistentStore {
    private let base: any PersistentStore
    private let step: @Sendable (String) throws -> Void

    init(_ base: any PersistentStore, _ step: @escaping @Sendable (String) throws -> Void) {
        self.base = base
        self.step = step
    }

    var type: StoreType { base.type }
    var id: StoreID { base.id }
    var location: StoreLocation { base.location }
    var isReadOnly: Bool { base.isReadOnly }
    var capabilities: StoreCapabilities { base.capabilities }

    func metadata() throws -> StoreMetadata { try base.metadata() }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try step("begin \(type)")
        return WatchedTransaction(try base.beginWrite(origin), "\(type)", step)
    }

    func refresh() throws { try base.refresh() }
    func close() throws { try base.close() }
}

private final class WatchedTransaction: StoreTransaction {
    private let base: any StoreTransaction
    private let name: String
    private let step: @Sendable (String) throws -> Void

    init(_ base: any StoreTransaction, _ name: String, _ step: @escaping @Sendable (String) throws -> Void) {
        self.base = base
        self.name = name
        self.step = step
    }

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
        try step("reserve \(name)")
        return try base.reserveReferences(count, root: root)
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        try step("apply \(name)")
        return try base.apply(changes)
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        try step("apply \(name)")
        return try base.insertUncontested(rows)
    }

    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? { try base.update(plan, assignments) }
    func delete(_ plan: FetchPlan) throws -> StoreAnswer? { try base.delete(plan) }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }

    func metadata() throws -> StoreMetadata { try base.metadata() }

    func prepare() throws {
        try step("prepare \(name)")
        try base.prepare()
    }

    var token: TransactionToken? { base.token }

    func commit() throws {
        try step("commit \(name)")
        try base.commit()
        try step("committed \(name)")
    }

    func rollback() {
        try? step("rollback \(name)")
        base.rollback()
    }
}
