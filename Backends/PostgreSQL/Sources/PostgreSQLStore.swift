import StrataEngine
import StrataSQL
import Synchronization

final class PostgreSQLStore: StoreBackend {
    let description: StoreDescription
    let layout: StoreLayout
    let pool: ConnectionPool
    /// The replica that answers the reads that permit it; `nil` for none.
    let replica: Replica?
    let references = ReferenceAllocator()
    let statements = StatementCache()
    let starter: TransactionStarter
    let repetitions: RepetitionLock
    let feed: ChangeFeed
    let gate = WriterGate()
    private let snapshots = SnapshotHolds<Connection>()
    /// The sessions that hold the locks of prepared saves, by the IDs of these.
    let working = Mutex<[String: Connection]>([:])

    var type: StoreType { .postgreSQL }
    var capabilities: StoreCapabilities {
        StoreCapabilities(
            isPersistent: true, isAtomic: false, allowsSeveralProcesses: true, keepsHistory: true, allowsConcurrentWriters: true)
    }
    var id: StoreID { starter.identity.id }
    var location: StoreLocation { description.location }
    var isReadOnly: Bool { description.isReadOnly }
    /// The configuration whose entities the store holds.
    var configuration: String? { description.configuration }
    var model: ManagedObjectModel { layout.model }
    var schema: StoreSchema { layout.schema }
    var metadataTable: MetadataTable { starter.metadataTable }

    init(
        _ description: StoreDescription, _ layout: StoreLayout, _ content: MetadataTable.Content, _ pool: ConnectionPool,
        _ replica: Replica? = nil
    ) {
        self.description = description
        self.layout = layout
        self.pool = pool
        self.replica = replica
        let (schema, id) = (layout.schema.name, content.metadata.storeID)
        starter = TransactionStarter(MetadataTable(schema: schema), StoreIdentity(id: id, generation: content.generation))
        repetitions = RepetitionLock(schema: schema)
        feed = ChangeFeed(schema: schema, storeID: id) { try pool.openApart($0) }
    }

    deinit { try? close() }

    func decoder(_ table: EntityTable, _ entities: Range<EntityIndex>) -> RowDecoder { statements.decoder(table, entities, layout) }

    func metadata() throws -> StoreMetadata {
        try checkOpen(.metadata)
        let (connection, content) = try pool.ask(.metadata, isRepeatable: true) { try metadataTable.read($0, .metadata) }
        pool.give(back: connection)
        return content.metadata
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try checkOpen(.fetch)
        let scope = ReadScope(self)
        var isWhole = false
        defer { scope.end(isWhole: isWhole) }
        let result = try body(PostgreSQLReader(self, scope))
        isWhole = true
        return result
    }

    func holdSnapshot() throws -> (any StoreSnapshot)? {
        try checkOpen(.fetch)
        let connection = try pool.openApart(.fetch)
        _ = try starter.beginReading(connection, .fetch)
        return PostgreSQLSnapshot(self, snapshots.hold(connection))
    }

    /// Refuses, as the server's own tools copy a schema while it is used.
    func beginCopy() throws -> (any PendingCopy)? {
        try checkOpen(.backUp)
        throw StoreError(
            .unsupported, .backUp,
            "a store on a server is not copied to a directory: back the schema \(schema.name) up with pg_dump or strata backup")
    }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try checkOpen(.save)
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only") }
        return try gate.enter(.writer, until: Deadline(after: pool.timeout), .save) {
            let isRepetition = repetitions.takeConflict()
            let connection = try pool.take(.save) { connection in
                if isRepetition { try repetitions.acquire(connection) }
                do { try starter.postponeWriting(connection) } catch {
                    if isRepetition { repetitions.release(connection) }
                    throw error
                }
            }
            return PostgreSQLTransaction(self, connection, origin, .writer, isRepetition: isRepetition)
        }
    }

    /// Waits for all writers, other programs included, and blocks new ones; readers continue until the tables are replaced.
    func beginMigration(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try checkOpen(.migrate)
        if isReadOnly { throw StoreError(.readOnly, .migrate, "the store was opened for reading only") }
        return try gate.enter(.migration, until: Deadline(after: pool.timeout), .migrate) {
            PostgreSQLTransaction(self, try pool.take(.migrate) { try starter.beginMigration(of: schema, $0) }, origin, .migration)
        }
    }

    func close() throws {
        guard pool.close() else { return }
        snapshots.end()
        feed.listener.close()
        working.withLock { $0 = [:] }
        replica?.pool.close()
    }

    /// Notifies the listeners of a commit and prunes the log, without waiting for either.
    func announce(_ connection: Connection) {
        replica?.noteNews()
        connection.post(prepared: feed.listener.notification)
        feed.shortenLog(connection)
    }

    func checkOpen(_ operation: StoreError.Operation) throws {
        if pool.isClosed { throw closed(operation) }
    }

    var condition: StoreCondition {
        let pools = [pool.status] + (replica.map { [$0.pool.status] } ?? [])
        return StoreCondition(failure: pool.isClosed ? closed(.fetch) : nil, pools: pools, replica: replica?.condition)
    }

    func reportConnections(to report: (@Sendable (ConnectionUse) -> Void)?) {
        pool.report(to: report)
        replica?.pool.report(to: report)
    }

    func closed(_ operation: StoreError.Operation) -> StoreError { StoreError(.closed, operation, "the store was closed") }
}

/// A read transaction that is held, on a connection of its own.
final class PostgreSQLSnapshot: StoreSnapshot {
    private let store: PostgreSQLStore
    private let connection: SnapshotHold<Connection>

    init(_ store: PostgreSQLStore, _ connection: SnapshotHold<Connection>) {
        self.store = store
        self.connection = connection
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try store.checkOpen(.fetch)
        return try connection.use(orThrow: store.closed(.fetch)) { try body(PostgreSQLReader(store, $0)) }
    }
}

extension PostgreSQLStore: ReopeningStore {
    public func reopened(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        try close()
        return try openStore(description, model: model)
    }
}
