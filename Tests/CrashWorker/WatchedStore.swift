import Strata

/// A kind of store whose stores report what a save does to them.
struct WatchedDriver: StoreDriver {
    let base: any StoreDriver
    let killSwitch: KillSwitch

    var type: StoreType { base.type }

    func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
        WatchedStore(try base.open(description, model: model), killSwitch)
    }

    func metadata(at path: String) throws -> StoreMetadata { try base.metadata(at: path) }
    func setMetadata(_ metadata: StoreMetadata, at path: String) throws { try base.setMetadata(metadata, at: path) }
    func destroy(at path: String) throws { try base.destroy(at: path) }
    func replace(at path: String, withStoreAt source: String) throws { try base.replace(at: path, withStoreAt: source) }
}

private final class WatchedStore: PersistentStore {
    private let base: any PersistentStore
    private let killSwitch: KillSwitch

    init(_ base: any PersistentStore, _ killSwitch: KillSwitch) {
        self.base = base
        self.killSwitch = killSwitch
    }

    var type: StoreType { base.type }
    var uuid: String { base.uuid }
    var path: String? { base.path }
    var isReadOnly: Bool { base.isReadOnly }
    var capabilities: StoreCapabilities { base.capabilities }

    func metadata() throws -> StoreMetadata { try base.metadata() }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }

    func beginWrite() throws -> any StoreTransaction {
        killSwitch.step("begin \(type)")
        return WatchedTransaction(try base.beginWrite(), "\(type)", killSwitch)
    }

    func close() throws { try base.close() }
}

private final class WatchedTransaction: StoreTransaction {
    private let base: any StoreTransaction
    private let name: String
    private let killSwitch: KillSwitch

    init(_ base: any StoreTransaction, _ name: String, _ killSwitch: KillSwitch) {
        self.base = base
        self.name = name
        self.killSwitch = killSwitch
    }

    func reserveReferences(_ count: Int, root: Int) throws -> Int64 {
        killSwitch.step("reserve \(name)")
        return try base.reserveReferences(count, root: root)
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        killSwitch.step("apply \(name)")
        return try base.apply(changes)
    }

    func prepare() throws {
        killSwitch.step("prepare \(name)")
        try base.prepare()
    }

    func commit() throws {
        killSwitch.step("commit \(name)")
        try base.commit()
        killSwitch.step("committed \(name)")
    }

    func rollback() {
        killSwitch.step("rollback \(name)")
        base.rollback()
    }
}
