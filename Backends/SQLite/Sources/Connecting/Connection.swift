import CStrataSQLite
import StrataEngine
import StrataPlatform
import StrataSQL

/// An open connection to a database file, with its prepared statements.
// Unchecked: a connection is used by one thread at a time; the store lends it to one reader or to the writer.
@safe final class Connection: @unchecked Sendable {
    /// The mode in which a connection opens its file.
    enum Mode {
        /// Reads and writes a file, created where it is missing if `creating`.
        case readWrite(creating: Bool)
        /// Reads a file that other connections may write.
        case read
        /// Reads a file without a log: a read-only connection would leave the companion files that SQLite creates.
        case query
        /// Reads a file that no connection writes, on a medium where SQLite cannot create its companion files.
        case immutable
    }

    /// The open database; closed once no statement is left.
    let database: OpenedDatabase
    let path: String
    /// Whether commits go to a write-ahead log, for which readers need not wait; queried once, after the first read.
    lazy var isLogged = (try? ConnectionSettings.isLogged(self)) ?? false
    @safe @exclusivity(unchecked) private var statements = StatementCache()
    /// The statements for the rows and plans of the store that used the connection last.
    @safe @exclusivity(unchecked) var storeStatements = StoreStatements()
    /// The metadata that were read last, and the bytes that they were decoded from.
    var metadata: (bytes: [UInt8], metadata: StoreMetadata)?
    /// The triggers of the database; nil before the connection's first write transaction.
    var triggers: TriggerGuard?
    var cache = PageCache()
    let timeoutInMilliseconds: Int32
    /// The permit with which the connection is lent.
    var permit: ConnectionPermits.Permit?
    /// The read transaction that is kept open between statements.
    private var burst = ReadBurst()

    var handle: OpaquePointer { unsafe database.handle }
    /// The shared memory of the log's index; `nil` without a log.
    var sharedLog: UnsafeRawPointer? { unsafe isLogged ? database.sharedLog : nil }

    /// Opens a file.
    ///
    /// - Throws: `StoreError`. Some faults show only when the file is first read.
    init(_ path: String, _ mode: Mode, timeout: Double) throws {
        database = try Connection.open(path, mode)
        self.path = path
        timeoutInMilliseconds = Int32(clamping: Int(max(0, min(timeout, 2_000_000)) * 1000))
        unsafe sqlite3_busy_timeout(handle, timeoutInMilliseconds)
        unsafe strata_sqlite_set_defensive(handle)
        unsafe SQLFunctions.register(on: handle)
        if case .query = mode { try execute("PRAGMA query_only = ON", .open) }
    }

    /// Discards the statements that are kept for rows and plans unless they are of this store: during a migration, two
    /// stores with different tables of the same names use one connection.
    func keepStatements(of store: SQLiteStore) {
        if storeStatements.serial != store.serial { storeStatements = StoreStatements(serial: store.serial) }
    }

    /// Runs `body` without waiting for locks of other connections.
    func withoutWaiting<T>(_ body: () throws -> T) rethrows -> T { try waiting(0, body) }

    /// Runs `body`, waiting for locks of other connections no longer than deadlines of the task allow.
    func withinLimit(_ body: () throws -> Void) rethrows {
        guard Deadline.limit != nil else { return try body() }
        let seconds = Deadline(after: Double(timeoutInMilliseconds) / 1000).remaining
        try waiting(Int32(clamping: Int(seconds * 1000)), body)
    }

    private func waiting<T>(_ milliseconds: Int32, _ body: () throws -> T) rethrows -> T {
        unsafe sqlite3_busy_timeout(handle, milliseconds)
        defer { unsafe sqlite3_busy_timeout(handle, timeoutInMilliseconds) }
        return try body()
    }

    /// Repeats `body` while another connection holds a lock that it needs, for as long as the connection waits for locks.
    func retryWhileLocked(_ body: () throws -> Void) throws {
        let deadline = Deadline(after: Double(timeoutInMilliseconds) / 1000)
        while true {
            do { return try body() } catch let error as StoreError where error.code == .locked && deadline.remaining > 0 {
                // At random intervals: connections that wait at the same time must not stay in step.
                usleep(.random(in: 500...5_000))
            }
        }
    }

    /// The file that is open.
    var identity: FileIdentity { database.hold.identity }

    /// Statements are finalized before the database is closed.
    deinit { (statements, storeStatements) = (StatementCache(), StoreStatements()) }

    // MARK: - Statements

    /// Returns the statement of a text, prepared the first time.
    func statement(_ text: String) throws -> Statement {
        try statements.statement(text) { try prepare(text, persistent: true) }
    }

    func statement(_ statement: FixedStatement) throws -> Statement {
        try statements.statement(statement) { try prepare(statement.text, persistent: true) }
    }

    /// Returns a statement with its parameters bound.
    func statement(_ sql: SQLText) throws -> Statement {
        let statement = try statement(sql.text)
        try statement.bind(sql.bindings)
        return statement
    }

    /// Prepares a statement without keeping it.
    func prepare(_ text: String, persistent: Bool = false) throws -> Statement {
        var statement: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(handle, text, -1, persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &statement, nil)
        guard code == SQLITE_OK, let statement = unsafe statement else { throw error(code, .prepare) }
        return unsafe Statement(statement, self)
    }

    /// Returns the lines of EXPLAIN QUERY PLAN for a statement.
    func queryPlan(of statement: Statement) throws -> [String] {
        try texts(SQLText(verbatim: "EXPLAIN QUERY PLAN " + statement.text), columns: 4, .explain).map { $0[3] }
    }

    /// Runs a statement that counts the rows that it reads.
    func rowsRead(by sql: SQLText) throws -> Int {
        let counter = RowCounter()
        unsafe counter.register(on: handle)
        let statement = try prepare(sql.text)
        try statement.bind(sql.bindings)
        while try statement.step(.explain) {}
        return counter.count
    }

    /// Returns the number in the first column of a statement's first row; `nil` without a row.
    func integer(_ sql: SQLText, _ operation: StoreError.Operation) throws -> Int64? {
        let statement = try statement(sql)
        defer { statement.clear() }
        return try statement.step(operation) && !statement.isNull(0) ? statement.integer(0) : nil
    }

    /// Returns the version of the schema, which changes with each change of it.
    func schemaVersion() throws -> Int64 {
        let statement = try statement(.schemaVersion)
        defer { statement.reset() }
        return try statement.step(.save) ? statement.integer(0) : 0
    }

    /// Returns the texts in the first columns of a statement's rows; empty for nulls.
    func texts(_ sql: SQLText, columns: Int32, _ operation: StoreError.Operation) throws -> [[String]] {
        let statement = try prepare(sql.text)
        try statement.bind(sql.bindings)
        var rows: [[String]] = []
        while try statement.step(operation) { rows.append((0..<columns).map { statement.text($0) ?? "" }) }
        return rows
    }

    @_disfavoredOverload
    func execute(_ sql: SQLText, _ operation: StoreError.Operation) throws {
        let statement = try prepare(sql.text)
        try statement.bind(sql.bindings)
        try statement.run(operation)
    }

    /// Runs a constant statement once.
    func execute(_ keywords: StaticString, _ operation: StoreError.Operation) throws { try execute(SQLText(keywords), operation) }

    // MARK: - Transactions

    func beginReading() throws {
        if burst.isOpen {
            let isNewest = burst.isNewest
            burst.close()
            if isNewest && isInTransaction { return }
            endReading()
        }
        try statement(.begin).run(.fetch)
    }

    func endReading() {
        guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
        if (try? statement(.commit).run(.fetch)) == nil { try? execute("ROLLBACK", .fetch) }
    }

    /// Runs `body`, whose only statement is a snapshot by itself, within the kept transaction if there is one.
    func readingOneStatement<T>(_ body: () throws -> T) throws -> T {
        do {
            switch burst.next(on: self) {
            case .run: break
            case .begin: try statement(.begin).run(.fetch)
            case .end: endReading()
            }
            return try body()
        } catch {
            endBurst()
            throw error
        }
    }

    /// Whether a transaction is kept open.
    var isInBurst: Bool { burst.isOpen }

    /// Sets whether a transaction may be kept open.
    func allowBurst(_ isAllowed: Bool) { burst.isAllowed = isAllowed }

    /// Ends the kept transaction.
    func endBurst() {
        guard burst.isOpen else { return }
        burst.close()
        endReading()
    }

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement changed.
    var changes: Int { unsafe Int(sqlite3_changes(handle)) }

    /// A number that changes with each commit that the connection makes or sees.
    var commitNumber: UInt32 { unsafe strata_sqlite_commit_number(handle) }

    /// Whether the file cannot be written through this connection.
    var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }
}
