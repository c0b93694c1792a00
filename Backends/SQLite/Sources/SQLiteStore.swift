import StrataEngine
import StrataSQL
public import StrataStore
import Synchronization

/// A store in a SQLite database with the tables of Core Data's.
///
/// One transaction writes at a time, through a connection of its own; each reader uses a connection while it reads, and
/// sees the commits before its start. Several processes may use one store.
public final class SQLiteStore: StoreBackend {
    public var type: StoreType { .sqlite }
    public var id: StoreID { content.storeID }
    public var location: StoreLocation { .file(filePath) }
    public var isReadOnly: Bool { watch == nil }
    public var capabilities: StoreCapabilities {
        StoreCapabilities(
            isPersistent: true, isAtomic: false, referenceScope: .hierarchy, allowsSeveralProcesses: true, keepsHistory: true,
            keepsHistoryValues: !historyState.prefersCoreDataTables && !historyState.hasCoreDataTables.load(ordering: .relaxed))
    }

    /// Identifies the store within the process.
    let serial = SQLiteStore.nextSerial.add(1, ordering: .relaxed).newValue
    private static let nextSerial = Atomic<UInt64>(0)
    private let content: Content
    let filePath: String
    let collector: ExternalCollector
    let pool: ConnectionPool
    let writeLock = WriteLock()
    let writerState = WriterState()
    /// Watches the file; nil in a read-only store.
    let watch: FileWatch?
    let historyState: HistoryState
    private let state: Mutex<State>
    let snapshots = SnapshotHolds<Connection>()
    private let decoders = Mutex<[Range<EntityIndex>: RowDecoder]>([:])

    var model: ManagedObjectModel { content.model }
    var schema: StoreSchema { content.schema }
    var options: StoreOptions { content.description.options }
    var configuration: String? { content.description.configuration }
    var orphans: OrphanRows { content.orphans }
    var external: ExternalDataDirectory { collector.directory }

    private struct State {
        /// The writer's connection; nil in a read-only store.
        var writer: Connection?
        /// The connection with which a read-only store detects the commits of others; opened on demand.
        var watching: Connection?
        /// The error with which all further work fails.
        var failure: StoreError?
    }

    /// The arguments of a store that is opened: the requested ones, or those of the store's own version of the model.
    struct Content {
        let description: StoreDescription
        let model: ManagedObjectModel
        let schema: StoreSchema
        let storeID: StoreID
        let orphans: OrphanRows
        var prefersCoreDataHistory = false
        var hasCoreDataHistory = false
    }

    init(path: String, _ content: Content, writer: Connection?, pool: ConnectionPool) {
        filePath = path
        self.content = content
        self.pool = pool
        historyState = HistoryState(prefersCoreDataTables: content.prefersCoreDataHistory, hasCoreDataTables: content.hasCoreDataHistory)
        watch = writer.map { FileWatch($0) }
        // Always durable: a row that references a value may reach the disk first.
        let external = ExternalDataDirectory(storePath: path, storeID: content.storeID.rawValue)
        collector = ExternalCollector(external, isDurable: content.description.options.durability == .full)
        state = Mutex(State(writer: writer))
    }

    func decoder(_ table: EntityTable, _ entities: Range<EntityIndex>) -> RowDecoder {
        decoders.withLock { decoders in
            if let known = decoders[entities] { return known }
            let decoder = RowDecoder(table, entities: entities, of: self)
            decoders[entities] = decoder
            return decoder
        }
    }

    /// Returns the error for an orphan row of a table.
    func orphanError(_ table: EntityTable, _ number: Int64) -> StoreError {
        orphans.note(table)
        return table.orphanError(number, path: filePath, entity: model.entities[table.root].name)
    }

    func table(of plan: FetchPlan) throws -> EntityTable {
        try schema.requireTable(of: plan.entity.index, in: model, .fetch, path: path)
    }

    // MARK: - Reading

    public func metadata() throws -> StoreMetadata {
        try check(.fetch)
        // A store that was just opened is asked before any read, and this needs no connection.
        if writeLock.acquire(until: Deadline(after: 0)) {
            defer { writeLock.release() }
            if let writer, let metadata = try? MetadataTable.read(writer) { return withHistory(metadata) }
        }
        return try withConnection { connection in
            try connection.beginReading()
            defer { connection.endReading() }
            return withHistory(try MetadataTable.read(connection))
        }
    }

    public func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try withConnection { connection in
            defer { connection.endReading() }
            return try body(SQLiteReader(self, connection))
        }
    }

    /// Answers with one statement, which is a snapshot by itself and needs no transaction.
    ///
    /// - Throws: As `StoreBackend.answer(_:)`.
    public func answer(_ plan: FetchPlan) throws -> StoreAnswer {
        try withConnection { connection in
            let runner = StatementRunner(store: self, connection: connection)
            let cached = try plan.isEvaluatedInCore ? nil : connection.readingOneStatement { try runner.answerByCachedStatement(plan) }
            if let cached { return cached }
            defer { connection.endReading() }
            return try SQLiteReader(self, connection).answer(plan)
        }
    }

    public func row(root: EntityIndex, reference: Int64) throws -> Row? {
        try withConnection { connection in
            try connection.readingOneStatement { try SQLiteReader(self, connection, isReading: true).row(root: root, reference: reference) }
        }
    }

    // MARK: - Writing

    public func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try check(.save)
        if writer == nil { throw StoreError(.readOnly, .save, "the store was opened for reading only", path: path) }
        try acquireWriteLock(.save)
        pool.allowBursts(false)
        do {
            try check(.save)
            guard let writer = state.withLock({ $0.writer }) else { throw closed(.save) }
            try writer.withinLimit { try writer.statement(.beginImmediate).run(.save) }
            let rest: WriterState.Rest?
            do {
                try checkFile(writer)
                rest = writerState.rest(writer)
                // Where no other connection has committed, the schema is that of the last transaction.
                if rest == nil || writerState.schemaVersion.withLock({ $0 == nil }) { try checkSchema(writer) }
                try fitCaches(writer)
            } catch {
                if writer.isInTransaction { try? writer.statement(.rollback).run(.save) }
                throw error
            }
            return SQLiteTransaction(self, writer, rest ?? WriterState.Rest())
        } catch {
            endWriting()
            throw error
        }
    }

    /// Releases the write lock.
    func endWriting() {
        pool.allowBursts(true)
        writeLock.release()
    }

    /// The error with which all further work fails.
    var failure: StoreError? { state.withLock { $0.failure } }

    /// Makes all further work fail with an error.
    func fail(with error: StoreError) { state.withLock { $0.failure = error } }

    /// The writer's connection, used only with the write lock held.
    var writer: Connection? { state.withLock { $0.writer } }

    /// Runs `body` with the connection with which a read-only store detects the commits of others.
    func withWatchingConnection<T>(_ body: (Connection) throws -> T?) throws -> T? {
        try check(.refresh)
        // Taken out meanwhile, for exclusive use.
        let kept = state.withLock { state in
            defer { state.watching = nil }
            return state.watching
        }
        let connection = try kept ?? pool.open()
        defer {
            state.withLock { state in
                if state.failure == nil { state.watching = connection }
            }
        }
        return try body(connection)
    }

    func check(_ operation: StoreError.Operation) throws {
        guard state.withLock({ $0.failure != nil }), let failure else { return }
        throw failure.during(operation)
    }

    func closed(_ operation: StoreError.Operation) -> StoreError {
        StoreError(.closed, operation, "the store was closed", path: path)
    }

    // MARK: - Closing

    public func close() throws { end() }

    /// Refuses all further work, and waits for a running transaction.
    ///
    /// - Returns: The writer's connection, for another store over the same file; `nil` where it must be closed.
    @discardableResult func end() -> Connection? {
        let isSound = state.withLock { state in
            let isSound = state.failure == nil
            if isSound || state.failure?.recovery == .reopen { state.failure = closed(.close) }
            return isSound
        }
        pool.close()
        snapshots.end()
        // A running transaction ends first; its connection is closed last, as it is the one that can remove the log.
        let isLocked = writeLock.acquire(until: Deadline(after: options.timeout))
        defer { if isLocked { writeLock.release() } }
        let writer = state.withLock { state in
            defer { (state.writer, state.watching) = (nil, nil) }
            return state.writer
        }
        guard isLocked, let writer else { return nil }
        if watch?.absence == .logReplaced {
            rescueLog(writer)
            return nil
        }
        collector.collect([], after: writer)
        return isSound ? writer : nil
    }
}

extension SQLiteStore: ReopeningStore {
    public func reopened(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        if let writer = end(), let driver = description.driver as? SQLiteDriver {
            do { return try driver.open(over: writer, description, model: model) } catch is SQLiteDriver.IncompleteStore {}
        }
        return try openStore(description, model: model)
    }
}
