import CStrataSQLite
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

    let handle: OpaquePointer
    let path: String
    /// Keeps other code of the process from closing a descriptor of the file, and SQLite's locks with it.
    ///
    /// Released after the handle.
    private let hold: OpenDatabases.Hold
    /// Whether commits go to a write-ahead log, for which readers need not wait; queried once, after the first read.
    lazy var isLogged = (try? ConnectionSettings.isLogged(self)) ?? false
    @safe @exclusivity(unchecked) private var statements: [String: Statement] = [:]
    private var order: [String] = []
    private lazy var begin = try? prepare("BEGIN", persistent: true)
    private lazy var commit = try? prepare("COMMIT", persistent: true)
    /// The statements that find the row of a reference, by the index of the hierarchy's root.
    var lookups: [Lookup?] = []
    /// The statements that find the rows of several references.
    var lists: [ListShape: Lookup] = [:]
    /// The texts of the statements that find the destinations of an owner.
    var destinations: [ObjectIdentifier: DestinationLookup] = [:]
    /// The statements that find the members of an owner with their rows.
    var members: [ObjectIdentifier: MemberLookup] = [:]
    /// The statements of earlier plans, by shape.
    var plans = PlanCache()
    @safe @exclusivity(unchecked) var writes = WriteStatements()
    /// The serial number of the store that the kept statements belong to.
    @safe @exclusivity(unchecked) private var keptSerial: UInt64 = 0
    /// The metadata that were read last, and the bytes that they were decoded from.
    var metadata: (bytes: [UInt8], metadata: StoreMetadata)?

    /// The changes by triggers.
    let reports = TriggerReports()
    /// The triggers of the database; nil before the connection's first write transaction.
    var triggers: TriggerGuard?

    /// The size of the page cache; `nil` before it is set.
    var cacheKibibytes: Int?
    /// Whether the application sets the size of the page cache.
    var isCacheOfApplication = false

    let timeoutInMilliseconds: Int32
    /// The shared memory of the log's index; `nil` without a log.
    ///
    /// Looked up once, after the first read.
    private(set) lazy var sharedLog: UnsafeRawPointer? =
        unsafe isLogged ? strata_sqlite_shared_log(handle) : nil
    private(set) lazy var pageSize = Int((try? integer("PRAGMA page_size", .open)) ?? 4096)

    /// The read transaction that is kept open between statements.
    private var burst = ReadBurst()

    private static let capacity = 256

    /// A statement of every transaction, found without hashing its text.
    enum FixedStatement: Int, CaseIterable {
        case beginImmediate, commit, rollback, schemaVersion, lastHistoryNumber, historyInsertion

        fileprivate var text: String {
            switch self {
            case .beginImmediate: "BEGIN IMMEDIATE"
            case .commit: "COMMIT"
            case .rollback: "ROLLBACK"
            case .schemaVersion: "PRAGMA schema_version"
            case .lastHistoryNumber: "SELECT max(number) FROM STRATA_HISTORY"
            case .historyInsertion: "INSERT INTO STRATA_HISTORY (number, time, origin, body) VALUES (?1, ?2, ?3, ?4)"
            }
        }
    }

    @safe @exclusivity(unchecked) private var fixed: [Statement?] = Array(repeating: nil, count: FixedStatement.allCases.count)

    /// Opens a file.
    ///
    /// - Throws: `StoreError`. Some faults show only when the file is first read.
    init(_ path: String, _ mode: Mode, timeout: Double) throws {
        unsafe (handle, hold) = try unsafe Connection.open(path, mode)
        self.path = path
        timeoutInMilliseconds = Int32(clamping: Int(max(0, min(timeout, 2_000_000)) * 1000))
        unsafe sqlite3_busy_timeout(handle, timeoutInMilliseconds)
        unsafe strata_sqlite_set_defensive(handle)
        unsafe SQLFunctions.register(on: handle)
        unsafe reports.register(on: handle)
        if case .query = mode { try execute("PRAGMA query_only = ON", .open) }
    }

    /// Discards the statements that are kept for rows and plans unless they are of this store: during a migration, two
    /// stores with different tables of the same names use one connection.
    func keepStatements(of store: SQLiteStore) {
        if keptSerial == store.serial { return }
        (lookups, lists, members, destinations) = ([], [:], [:], [:])
        (plans, writes, keptSerial) = (PlanCache(), WriteStatements(), store.serial)
    }

    /// Installs a trace that is called for each statement.
    func trace(to trace: StatementTrace) {
        self.trace = trace
        unsafe trace.listen(on: handle)
    }

    /// The trace; SQLite does not retain it.
    private var trace: StatementTrace?

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
    var identity: FileIdentity { hold.identity }

    deinit {
        // Statements are finalized before the handle is closed.
        begin = nil
        commit = nil
        lookups = []
        lists = [:]
        members = [:]
        plans = PlanCache()
        writes = WriteStatements()
        statements = [:]
        fixed = Array(repeating: nil, count: FixedStatement.allCases.count)
        unsafe sqlite3_close_v2(handle)
    }

    // MARK: - Statements

    /// The statement of a text, prepared the first time.
    func statement(_ text: String) throws -> Statement {
        if let known = statements[text] { return known }
        let statement = try prepare(text, persistent: true)
        if order.count == Connection.capacity {
            // Half of them are discarded: those in use are prepared again soon.
            for old in order.prefix(Connection.capacity / 2) { statements[old] = nil }
            order.removeFirst(Connection.capacity / 2)
        }
        statements[text] = statement
        order.append(text)
        return statement
    }

    func statement(_ statement: FixedStatement) throws -> Statement {
        if let known = fixed[statement.rawValue] { return known }
        let prepared = try prepare(statement.text, persistent: true)
        fixed[statement.rawValue] = prepared
        return prepared
    }

    /// A statement with its parameters bound.
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

    /// The lines of EXPLAIN QUERY PLAN for a statement.
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

    /// The number in the first column of a statement's first row; `nil` without a row.
    func integer(_ sql: SQLText, _ operation: StoreError.Operation) throws -> Int64? {
        let statement = try statement(sql)
        defer { statement.clear() }
        return try statement.step(operation) && !statement.isNull(0) ? statement.integer(0) : nil
    }

    /// The version of the schema, which changes with each change of it.
    func schemaVersion() throws -> Int64 {
        let statement = try statement(.schemaVersion)
        defer { statement.reset() }
        return try statement.step(.save) ? statement.integer(0) : 0
    }

    /// The texts in the first columns of a statement's rows; empty for nulls.
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
        try begin?.run(.fetch)
    }

    func endReading() {
        guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
        if (try? commit?.run(.fetch)) == nil { try? execute("ROLLBACK", .fetch) }
    }

    /// Runs `body`, whose only statement is a snapshot by itself, within the kept transaction if there is one.
    func readingOneStatement<T>(_ body: () throws -> T) throws -> T {
        do {
            switch burst.next(on: self) {
            case .run: break
            case .begin: try begin?.run(.fetch)
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
