import StrataEngine
import StrataSQL
import Synchronization

final class PostgreSQLStore: StoreBackend {
    let id: StoreID
    let location: StoreLocation
    let isReadOnly: Bool
    /// The configuration whose entities the store holds.
    let configuration: String?
    let model: ManagedObjectModel
    let schema: StoreSchema
    let pool: ConnectionPool
    /// The replica that answers the reads that permit it; `nil` for none.
    let replica: Replica?
    let references = ReferenceAllocator()
    /// The decoders of rows, each created once.
    private let decoders = Mutex<[Range<EntityIndex>: RowDecoder]>([:])
    let metadataTable: MetadataTable
    /// The first statements of transactions that read, and of those that write.
    private let (beginningReading, beginningWriting): ([SQLText], [SQLText])
    /// The statements that insert rows of an entity, with placeholders' values of an earlier use.
    let insertions = Mutex<[EntityIndex: SQLText]>([:])
    /// Whether there is a constraint that a save may violate, of uniqueness or a foreign key.
    let hasConstraints: Bool
    /// The indexes with text or binary values in their keys.
    let longKeyIndexes: [EntityIndex: [(definition: IndexDefinition, slots: [Slot])]]
    /// Whether a migration creates foreign keys.
    let hasForeignKeys: Bool
    let identity: StoreIdentity
    /// Identifies this store among all writers of the same tables.
    let writer: String
    /// The number of transactions begun.
    private let begun = Atomic(0)
    let listener: ChangeListener
    let gate = WriterGate()
    /// The number of transactions that failed because of concurrent ones and were not repeated yet.
    private let conflicts = Atomic(0)
    /// The number of the store's transactions in the log.
    private let logged = Atomic(0)
    private let snapshots = SnapshotHolds<Connection>()
    private let isClosed = Mutex(false)
    /// The revision of other writers' commits that the replica has to show.
    let revisionOfReplica = Atomic<Int64>(0)
    /// The sessions that hold the locks of prepared saves, by the IDs of these.
    let working = Mutex<[String: Connection]>([:])

    var type: StoreType { .postgreSQL }
    var capabilities: StoreCapabilities { StoreCapabilities(isPersistent: true, isAtomic: false, allowsSeveralProcesses: true) }

    /// The tables of a store with their model.
    struct Layout {
        let model: ManagedObjectModel
        let schema: StoreSchema
        let hasForeignKeys: Bool
    }

    init(
        _ description: StoreDescription, _ layout: Layout, _ content: MetadataTable.Content, _ pool: ConnectionPool,
        _ replica: Replica? = nil
    ) {
        let (model, schema, hasForeignKeys) = (layout.model, layout.schema, layout.hasForeignKeys)
        id = content.metadata.storeID
        identity = StoreIdentity(id: content.metadata.storeID, generation: content.generation)
        location = description.location
        isReadOnly = description.isReadOnly
        configuration = description.configuration
        self.model = model
        self.schema = schema
        self.pool = pool
        self.replica = replica
        metadataTable = MetadataTable(schema: schema.name)
        beginningReading = metadataTable.beginning("REPEATABLE READ, READ ONLY", after: [metadataTable.reading])
        // A sequential scan of a table would make concurrent saves conflict under serializable isolation.
        let first = [SQLText("SET LOCAL enable_seqscan = off"), metadataTable.writing]
        beginningWriting = metadataTable.beginning("SERIALIZABLE, READ WRITE", after: first, requiring: identity)
        writer = UUID().uuidString.lowercased()
        listener = ChangeListener(schema.name, storeID: id, writer: writer) { try pool.openApart($0) }
        self.hasForeignKeys = hasForeignKeys
        longKeyIndexes = SchemaWriter(model, schema).longKeyIndexes
        hasConstraints = schema.tables.values.contains { table in
            table.hierarchy.contains { index in
                let entity = model.entities[index]
                return !entity.uniquenessConstraints.isEmpty || hasForeignKeys && entity.properties.contains { $0.relationship != nil }
            }
        }
    }

    deinit { try? close() }

    func decoder(_ table: EntityTable, _ entities: Range<EntityIndex>) -> RowDecoder {
        decoders.withLock { decoders in
            if let known = decoders[entities] { return known }
            let decoder = RowDecoder(table, entities: entities, model, schema)
            decoders[entities] = decoder
            return decoder
        }
    }

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
        _ = try beginReading(connection, .fetch)
        return PostgreSQLSnapshot(self, snapshots.hold(connection))
    }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try checkOpen(.save)
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only") }
        return try gate.enter(.writer, until: Deadline(after: pool.timeout), .save) {
            let isRepetition = takeConflict()
            let connection = try pool.take(.save) { connection in
                if isRepetition { try connection.execute(repetitions.statement("pg_advisory_lock"), .save) }
                do { try postpone(beginningWriting, connection) } catch {
                    if isRepetition { endRepetition(connection) }
                    throw error
                }
            }
            return PostgreSQLTransaction(self, connection, origin, .writer, isRepetition: isRepetition)
        }
    }

    /// The lock that serializes repeated transactions of the store.
    ///
    /// A session acquires it before its transaction begins: a lock of the transaction would be held by the prepared transaction, for
    /// as long as it is in doubt.
    private var repetitions: AdvisoryLock { AdvisoryLock(.repetition, hashOf: "\(literal: schema.name)") }

    /// Releases the lock for the next repeated transaction, once the one of a connection is over.
    func endRepetition(_ connection: Connection) {
        if connection.isBroken { return }
        if connection.isInTransaction { _ = try? connection.run(SQLText("ROLLBACK"), .save) }
        connection.post(repetitions.statement("pg_advisory_unlock"))
    }

    /// A unique name of a transaction among all stores over the same tables.
    func nameOfNextTransaction() -> String { writer + "-" + String(begun.add(1, ordering: .relaxed).newValue) }

    /// Postpones the first statements of a transaction to the round trip of the next ones, on a connection that was used just now.
    ///
    /// On others they are sent at once: if the server is lost, another connection is taken.
    private func postpone(_ beginning: [SQLText], _ connection: Connection) throws {
        let isFresh = connection.isFresh
        for statement in beginning {
            try connection.postpone(statement, .save) { [weak connection, identity] failure in
                if isFresh, connection?.isBroken == true {
                    return StoreError(
                        .serializationFailure, .save, "the connection was lost before the transaction began", underlying: failure)
                }
                return identity.failure(failure, .save)
            }
        }
        if !isFresh { try connection.sendPostponed(.save) }
    }

    func close() throws {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        guard isFirst else { return }
        snapshots.end()
        listener.close()
        working.withLock { $0 = [:] }
        pool.close()
        replica?.pool.close()
    }

    /// Begins a transaction, whose snapshot shows what is committed now, and runs the first statements in it, in one round trip.
    ///
    /// - Returns: The results of the statements.
    /// - Throws: `StoreError` with `incompatibleModel` where the store was migrated to another version of its model since it was opened.
    func begin(
        _ beginning: [SQLText], _ connection: Connection, _ operation: StoreError.Operation, then statements: [SQLText] = []
    ) throws -> Answers {
        var answers = try connection.execute(beginning + statements, operation)
        let identity = try answers.result(beginning.count - 1, operation)
        try self.identity.check(identity.integer(0, 0), identity.text(0, 1), operation)
        answers.results.removeFirst(beginning.count)
        return answers
    }

    func beginReading(
        _ connection: Connection, _ operation: StoreError.Operation, then statements: [SQLText] = []
    ) throws -> Answers {
        try begin(beginningReading, connection, operation, then: statements)
    }

    // MARK: - Repeating failed transactions

    /// Records that a transaction failed because of a concurrent one: the next one is serialized with other repetitions.
    func noteConflict() { conflicts.add(1, ordering: .relaxed) }

    private func takeConflict() -> Bool {
        if conflicts.load(ordering: .relaxed) <= 0 { return false }
        if conflicts.subtract(1, ordering: .relaxed).newValue >= 0 { return true }
        conflicts.add(1, ordering: .relaxed)
        return false
    }

    /// Notifies the listeners of a commit and prunes the log, without waiting for either.
    func announce(_ connection: Connection) {
        replica?.noteNews()
        connection.post(prepared: listener.notification)
        shortenLog(connection)
    }

    /// Prunes the log once in a while, without waiting for it.
    func shortenLog(_ connection: Connection) {
        if logged.add(1, ordering: .relaxed).newValue.isMultiple(of: PostgreSQLStore.commitsBetweenPrunings) {
            connection.post(ChangeTable(schema: schema.name).pruning)
        }
    }

    private static let commitsBetweenPrunings = 1_000

    func checkOpen(_ operation: StoreError.Operation) throws {
        if isClosed.withLock({ $0 }) { throw closed(operation) }
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

extension PostgreSQLStore {
    /// Waits for all writers, other programs included, and blocks new ones; readers continue until the tables are replaced.
    func beginMigration(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try checkOpen(.migrate)
        if isReadOnly { throw StoreError(.readOnly, .migrate, "the store was opened for reading only") }
        let tables = schema.tables.values.map(\.name) + schema.joins.compactMap { $0?.name }
        let locks = [metadataTable.migrating(tables.sorted { $0.name < $1.name })]
        let beginning = metadataTable.beginning("REPEATABLE READ, READ WRITE", after: locks)
        return try gate.enter(.migration, until: Deadline(after: pool.timeout), .migrate) {
            PostgreSQLTransaction(self, try pool.take(.migrate) { _ = try begin(beginning, $0, .migrate) }, origin, .migration)
        }
    }
}
