import StrataModel
import StrataStore
import Testing

/// A kind of store that reports each step of a save; a report that blocks pauses the client there.
struct PausingDriver: DecidingStoreDriver {
    let base: any StoreDriver
    let step: @Sendable (String) -> Void

    init(_ base: any StoreDriver, _ step: @escaping @Sendable (String) -> Void) { (self.base, self.step) = (base, step) }

    var type: StoreType { base.type }
    func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
        let store = try base.open(description, model: model)
        if let store = store as? any PreparingStore { return PausingServer(store, step) }
        return PausingStore(store, step)
    }
    func hasDecided(_ save: PreparedSave) throws -> Bool {
        try #require(base as? any DecidingStoreDriver).hasDecided(save)
    }
    func metadata(at location: StoreLocation) throws -> StoreMetadata { try base.metadata(at: location) }
    func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws { try base.setMetadata(metadata, at: location) }
    func destroy(at location: StoreLocation) throws { try base.destroy(at: location) }
    func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {
        try base.replace(at: location, withStoreAt: source)
    }
}

// Unchecked: the store below orders its users.
private class PausingStore: PersistentStore, @unchecked Sendable {
    let base: any PersistentStore
    let step: @Sendable (String) -> Void

    init(_ base: any PersistentStore, _ step: @escaping @Sendable (String) -> Void) { (self.base, self.step) = (base, step) }

    var type: StoreType { base.type }
    var id: StoreID { base.id }
    var location: StoreLocation { base.location }
    var isReadOnly: Bool { base.isReadOnly }
    var capabilities: StoreCapabilities { base.capabilities }
    func metadata() throws -> StoreMetadata { try base.metadata() }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }
    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        PausingTransaction(try base.beginWrite(origin), "\(type)", step)
    }
    func close() throws { try base.close() }
}

// Unchecked as the class above.
private final class PausingServer: PausingStore, PreparingStore, @unchecked Sendable {
    private let server: any PreparingStore

    init(_ base: any PreparingStore, _ step: @escaping @Sendable (String) -> Void) {
        server = base
        super.init(base, step)
    }

    func preparedSaves() throws -> [PreparedSave] { try server.preparedSaves() }
    func commitPrepared(_ id: String) throws {
        step("commitPrepared \(type)")
        try server.commitPrepared(id)
        step("committedPrepared \(type)")
    }
    func rollbackPrepared(_ id: String) throws { try server.rollbackPrepared(id) }
    func forgetDecision(_ id: String) { server.forgetDecision(id) }
}

private final class PausingTransaction: PreparingTransaction {
    let base: any StoreTransaction
    let name: String
    let step: @Sendable (String) -> Void

    init(_ base: any StoreTransaction, _ name: String, _ step: @escaping @Sendable (String) -> Void) {
        (self.base, self.name, self.step) = (base, name, step)
    }

    private func preparing() throws -> any PreparingTransaction { try #require(base as? any PreparingTransaction) }
    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 { try base.reserveReferences(count, root: root) }
    func apply(_ changes: ChangeSet) throws -> [StoreConflict] { try base.apply(changes) }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }
    func metadata() throws -> StoreMetadata { try base.metadata() }
    func prepare() throws {
        try base.prepare()
        step("checked \(name)")
    }
    func prepare(as save: PreparedSave) throws {
        step("prepare \(name)")
        try preparing().prepare(as: save)
        step("prepared \(name)")
    }
    func decide(_ id: String) throws { try preparing().decide(id) }
    func commit() throws {
        step("commit \(name)")
        try base.commit()
        step("committed \(name)")
    }
    func rollback() { base.rollback() }
}
