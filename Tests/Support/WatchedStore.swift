import Strata
package import StrataModel
package import StrataStore

/// A kind of store whose stores report each step of a save before it is done: a report that throws makes the step fail, and one that blocks
/// pauses the client.
package struct WatchedDriver: DecidingStoreDriver {
    private let base: any StoreDriver
    private let reading: @Sendable () -> Void
    private let step: @Sendable (String) throws -> Void

    /// - Parameter reading: Called before a reader is opened.
    package init(
        _ base: any StoreDriver, step: @escaping @Sendable (String) throws -> Void = { _ in }, reading: @escaping @Sendable () -> Void = {}
    ) {
        self.base = base
        self.reading = reading
        self.step = step
    }

    package var type: StoreType { base.type }

    package func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        var description = description
        description.driver = base
        let store = try openStore(description, model: model)
        if let server = store as? any PreparingStore { return WatchedServer(server, reading, step) }
        return WatchedStore(store, reading, step)
    }

    package func hasDecided(_ save: PreparedSave) throws -> Bool {
        guard let base = base as? any DecidingStoreDriver else {
            throw StoreError(.unsupported, .resolve, "a store of type \(type) decides no saves")
        }
        return try base.hasDecided(save)
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

// Unchecked, for it has a subclass: nothing of it changes.
private class WatchedStore: StoreBackend, @unchecked Sendable {
    private let base: any StoreBackend
    private let reading: @Sendable () -> Void
    let step: @Sendable (String) throws -> Void

    init(
        _ base: any StoreBackend, _ reading: @escaping @Sendable () -> Void, _ step: @escaping @Sendable (String) throws -> Void
    ) {
        self.base = base
        self.reading = reading
        self.step = step
    }

    var type: StoreType { base.type }
    var id: StoreID { base.id }
    var location: StoreLocation { base.location }
    var isReadOnly: Bool { base.isReadOnly }
    var capabilities: StoreCapabilities { base.capabilities }

    func metadata() throws -> StoreMetadata { try base.metadata() }
    func history(_ query: HistoryQuery) throws -> [HistoryRecord] { try base.history(query) }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        reading()
        return try base.read(body)
    }
    func answer(_ plan: FetchPlan) throws -> StoreAnswer { try base.answer(plan) }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try step("begin \(type)")
        return WatchedTransaction(try base.beginWrite(origin), "\(type)", step)
    }

    func beginCopy() throws -> (any PendingCopy)? {
        try step("begin copy of \(type)")
        return try base.beginCopy().map { WatchedCopy($0, "\(type)", step) }
    }

    func refresh() throws { try base.refresh() }
    func close() throws { try base.close() }
}

private final class WatchedCopy: PendingCopy {
    private let base: any PendingCopy
    private let name: String
    private let step: @Sendable (String) throws -> Void

    init(_ base: any PendingCopy, _ name: String, _ step: @escaping @Sendable (String) throws -> Void) {
        self.base = base
        self.name = name
        self.step = step
    }

    func write(to path: String, linkingValuesOf earlier: String?, _ progress: (_ done: Int, _ total: Int) throws -> Void) throws {
        try step("copy \(name)")
        try base.write(to: path, linkingValuesOf: earlier, progress)
        try step("copied \(name)")
    }
}

/// A store that keeps prepared transactions, of which the second phase is reported as well.
// Unchecked as the class above.
private final class WatchedServer: WatchedStore, PreparingStore, @unchecked Sendable {
    private let server: any PreparingStore

    init(
        _ base: any PreparingStore, _ reading: @escaping @Sendable () -> Void, _ step: @escaping @Sendable (String) throws -> Void
    ) {
        server = base
        super.init(base, reading, step)
    }

    func preparedSaves() throws -> [PreparedSave] { try server.preparedSaves() }

    func commitPrepared(_ id: String) throws {
        try step("commit prepared \(type)")
        try server.commitPrepared(id)
        try step("committed prepared \(type)")
    }

    func rollbackPrepared(_ id: String) throws { try server.rollbackPrepared(id) }
    func isNeverPrepared(_ id: String) throws -> Bool { try server.isNeverPrepared(id) }
    func forgetDecision(_ id: String) { server.forgetDecision(id) }
}

private final class WatchedTransaction: PreparingTransaction {
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
    func append(_ record: HistoryRecord) throws -> Int64 { try base.append(record) }
    func deleteHistory(through mark: HistoryRecord) throws { try base.deleteHistory(through: mark) }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }

    func metadata() throws -> StoreMetadata { try base.metadata() }

    func prepare() throws {
        try step("prepare \(name)")
        try base.prepare()
    }

    private func preparing() throws -> any PreparingTransaction {
        guard let base = base as? any PreparingTransaction else {
            throw StoreError(.unsupported, .save, "transactions of a store of type \(name) cannot be prepared")
        }
        return base
    }

    func prepare(as save: PreparedSave) throws {
        try step("prepare as \(name)")
        try preparing().prepare(as: save)
        try step("prepared \(name)")
    }

    func decide(_ id: String) throws { try preparing().decide(id) }

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
