import Strata
import StrataInMemory
import StrataModel
import StrataStore
import Synchronization

/// A server that keeps stores and prepared transactions for whoever connects, as a database server does; it outlives its connections.
// Unchecked: what it holds is behind the mutex, but for stores and transactions, which order their users by themselves.
final class SimulatedServer: @unchecked Sendable {
    /// The places where a test has something go wrong.
    enum Step: Hashable {
        case prepare, commit, committed, commitPrepared
    }

    // Unchecked: whoever takes the transaction out is its only user.
    private struct Kept: @unchecked Sendable {
        let save: PreparedSave
        let transaction: any StoreTransaction
    }

    private struct State {
        var store: (any StoreBackend)?
        var prepared: [Kept] = []
        var decisions: Set<String> = []
        var failures: [Step: [StoreError]] = [:]
        var origins: [TransactionOrigin] = []
        var steps: [String] = []
        var afterPreparing: (@Sendable () throws -> Void)?
    }

    let address: ServerAddress
    private let state = Mutex(State())

    init(_ name: String) { address = ServerAddress("simulated://host/\(name)", credentials: .init(user: "tester", password: "secret")) }

    var location: StoreLocation { .server(address) }
    var preparedSaves: [PreparedSave] { state.withLock { $0.prepared.map(\.save) } }
    /// The saves over several stores that took effect here, and that not all of them have heard of.
    var decisions: Set<String> { state.withLock { $0.decisions } }
    /// Who began transactions.
    var origins: [TransactionOrigin] { state.withLock { $0.origins } }

    /// What was done since it was last asked.
    func steps() -> [String] {
        state.withLock { state in
            defer { state.steps = [] }
            return state.steps
        }
    }

    /// Has the next attempts at a step fail.
    func fail(_ step: Step, with errors: StoreError...) { state.withLock { $0.failures[step, default: []] += errors } }

    /// Has something done once a transaction is prepared.
    func afterPreparing(_ body: @escaping @Sendable () throws -> Void) { state.withLock { $0.afterPreparing = body } }

    fileprivate func didPrepare() throws { try state.withLock { $0.afterPreparing }?() }

    /// Has nothing fail any more.
    func recover() { state.withLock { $0.failures = [:] } }

    /// Loses the store and what is prepared.
    func forget() { state.withLock { $0 = State() } }

    /// A connection to the store, which is made by the first.
    func connect(_ description: StoreDescription, _ model: ManagedObjectModel, _ driver: SimulatedDriver) throws -> any StoreBackend {
        let known = state.withLock { $0.store }
        let store = try known ?? InMemoryDriver().open(description, model: model)
        state.withLock { $0.store = store }
        return driver.prepares ? SimulatedPreparingStore(self, store, driver) : SimulatedStore(self, store, driver)
    }

    func metadata() throws -> StoreMetadata {
        guard let store = state.withLock({ $0.store }) else {
            throw StoreError(.missing, .metadata, "there is no store at \(location)")
        }
        return try store.metadata()
    }

    fileprivate func begin(_ origin: TransactionOrigin) { state.withLock { $0.origins.append(origin) } }

    /// Notes a step, and fails where a test wants it to.
    fileprivate func run(_ step: Step) throws {
        let failure: StoreError? = state.withLock { state in
            state.steps.append("\(step)")
            guard let first = state.failures[step]?.first else { return nil }
            state.failures[step]?.removeFirst()
            return first
        }
        if let failure { throw failure }
    }

    fileprivate func keep(_ save: PreparedSave, _ transaction: any StoreTransaction) {
        let kept = Kept(save: save, transaction: transaction)
        state.withLock { $0.prepared.append(kept) }
    }

    fileprivate func note(decided id: String) { state.withLock { _ = $0.decisions.insert(id) } }
    fileprivate func forget(decided id: String) { state.withLock { _ = $0.decisions.remove(id) } }

    fileprivate func transaction(of id: String) -> (any StoreTransaction)? {
        let kept = state.withLock { state in
            state.prepared.firstIndex { $0.save.id == id }.map { state.prepared.remove(at: $0) }
        }
        return kept?.transaction
    }
}

/// Opens stores on a simulated server.
struct SimulatedDriver: DecidingStoreDriver {
    let servers: [SimulatedServer]
    /// Whether the stores keep prepared transactions.
    var prepares = true
    /// Whether the stores outlive the server.
    var isPersistent = true

    init(_ servers: SimulatedServer...) { self.servers = servers }

    var type: StoreType { StoreType(rawValue: "Simulated") }

    private func server(at location: StoreLocation) throws -> SimulatedServer {
        guard let server = servers.first(where: { $0.location == location }) else {
            throw StoreError(.missing, .open, "there is no server at \(location)", recovery: .retryable)
        }
        return server
    }

    func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        try server(at: description.location).connect(description, model, self)
    }
    func hasDecided(_ save: PreparedSave) throws -> Bool { try server(at: save.decidingStore).decisions.contains(save.id) }
    func metadata(at location: StoreLocation) throws -> StoreMetadata { try server(at: location).metadata() }
    func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {}
    func destroy(at location: StoreLocation) throws {}
    func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {}
}

// Unchecked: the server and the store below order their users by themselves.
private class SimulatedStore: StoreBackend, @unchecked Sendable {
    fileprivate let server: SimulatedServer
    private let base: any StoreBackend
    private let isPersistent: Bool

    init(_ server: SimulatedServer, _ base: any StoreBackend, _ driver: SimulatedDriver) {
        self.server = server
        self.base = base
        isPersistent = driver.isPersistent
    }

    var type: StoreType { StoreType(rawValue: "Simulated") }
    var id: StoreID { base.id }
    var location: StoreLocation { server.location }
    var isReadOnly: Bool { false }
    var capabilities: StoreCapabilities { StoreCapabilities(isPersistent: isPersistent, isAtomic: false, allowsSeveralProcesses: true) }
    func metadata() throws -> StoreMetadata { try base.metadata() }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }
    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        server.begin(origin)
        return SimulatedTransaction(server, try base.beginWrite(origin))
    }
    /// The connection ends, the store does not.
    func close() throws {}
}

// Unchecked as the class above.
private final class SimulatedPreparingStore: SimulatedStore, PreparingStore, @unchecked Sendable {
    func preparedSaves() throws -> [PreparedSave] { server.preparedSaves }
    func commitPrepared(_ id: String) throws {
        try server.run(.commitPrepared)
        try server.transaction(of: id)?.commit()
    }
    func rollbackPrepared(_ id: String) throws { server.transaction(of: id)?.rollback() }
    func forgetDecision(_ id: String) { server.forget(decided: id) }
}

private final class SimulatedTransaction: PreparingTransaction {
    private let server: SimulatedServer
    private let base: any StoreTransaction
    private var isPrepared = false
    private var decided: String?

    init(_ server: SimulatedServer, _ base: any StoreTransaction) {
        self.server = server
        self.base = base
    }

    deinit { rollback() }

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 { try base.reserveReferences(count, root: root) }
    func apply(_ changes: ChangeSet) throws -> [StoreConflict] { try base.apply(changes) }
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try base.read(body) }
    func metadata() throws -> StoreMetadata { try base.metadata() }
    func prepare() throws { try base.prepare() }
    func prepare(as save: PreparedSave) throws {
        try server.run(.prepare)
        server.keep(save, base)
        isPrepared = true
        try server.didPrepare()
    }
    func decide(_ id: String) throws { decided = id }
    func commit() throws {
        try server.run(.commit)
        try base.commit()
        if let decided { server.note(decided: decided) }
        try server.run(.committed)
    }
    func rollback() { if !isPrepared { base.rollback() } }
}
