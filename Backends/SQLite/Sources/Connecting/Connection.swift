import CSQLite
import CStrataSQLite
import StrataFiles
import StrataStore
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open connection to a database file, with its prepared statements.
// Unchecked: a connection is used by one thread at a time; the store hands it out to one reader or to the writer.
final class Connection: @unchecked Sendable {
    /// How a connection reaches its file.
    enum Mode {
        /// To read and write a file, made where it is missing if `creating`.
        case readWrite(creating: Bool)
        /// To read a file that others may write.
        case read
        /// To read a file without a log: the companion files that SQLite makes go when the last connection does, which one that may only
        /// read does not see to.
        case query
        /// To read a file that nobody writes, where the medium does not let SQLite keep its own files beside it.
        case immutable
    }

    let handle: OpaquePointer
    let path: String
    private let timeout: Double
    /// Whether commits go to a log that readers need not wait for.
    private(set) lazy var isLogged = (try? ConnectionSettings.journalMode(of: self)) == "wal"
    private var statements: [String: Statement] = [:]
    private var order: [String] = []
    private lazy var begin = try? prepare("BEGIN", persistent: true)
    private lazy var commit = try? prepare("COMMIT", persistent: true)
    /// The statements that find the row of a reference, by the index of the tree's root.
    var lookups: [Lookup?] = []
    /// The statements of plans that were run before, by shape.
    var plans = PlanCache()

    /// The transaction that is kept open between statements.
    private var burst = ReadBurst()

    /// Finds the row of a reference in one table.
    struct Lookup {
        let statement: Statement
        let decoder: RowDecoder
    }

    private static let capacity = 256

    /// Opens a file.
    ///
    /// - Throws: ``StoreError``. Some faults show only when the file is first read.
    init(_ path: String, _ mode: Mode, timeout: Double) throws {
        handle = try Connection.open(path, mode)
        self.path = path
        self.timeout = timeout
        setTimeout(timeout)
        strata_sqlite_set_defensive(handle)
        SQLFunctions.register(on: handle)
        if case .query = mode { try execute("PRAGMA query_only = ON", "open") }
    }

    private func setTimeout(_ seconds: Double) {
        sqlite3_busy_timeout(handle, Int32(clamping: Int(max(0, min(seconds, 2_000_000)) * 1000)))
    }

    /// Runs `body` with locks that others hold failing at once.
    func withoutWaiting(_ body: () throws -> Void) rethrows {
        setTimeout(0)
        defer { setTimeout(timeout) }
        try body()
    }

    private static func open(_ path: String, _ mode: Mode) throws -> OpaquePointer {
        startLibrary()
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        // A relative name that begins like a URI or with a colon has a meaning of its own to SQLite.
        var name = path.hasPrefix("/") ? path : "./" + path
        switch mode {
        case .readWrite(let creating): flags |= SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0)
        case .query: flags |= SQLITE_OPEN_READWRITE
        case .read: flags |= SQLITE_OPEN_READONLY
        case .immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            name = immutableURI(path)
        }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(name, &handle, flags, strata_sqlite_page_checksums)
        if code == SQLITE_OK, let handle { return handle }
        defer { sqlite3_close_v2(handle) }
        var systemError = handle.map { sqlite3_system_errno($0) } ?? 0
        // After a refusal to make the file SQLite tries to read it, and reports that there is none.
        if case .readWrite(creating: true) = mode, systemError == ENOENT, let refusal = refusal(toWriteIn: PathName.parent(of: path)) {
            systemError = refusal
        }
        throw StoreError(
            sqlite: code, systemError: systemError,
            message: handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "out of memory", operation: "open", path: path)
    }

    deinit {
        // Statements keep their connection's handle in use, so they go first.
        begin = nil
        commit = nil
        lookups = []
        plans = PlanCache()
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// The system's error where the process may not make files in a directory.
    private static func refusal(toWriteIn directory: String) -> Int32? {
        faccessat(AT_FDCWD, directory, W_OK | X_OK, Int32(AT_EACCESS)) == 0 ? nil : errno
    }

    private static let libraryStarted: Bool = {
        strata_sqlite_disable_statistics()
        return sqlite3_initialize() == SQLITE_OK && strata_sqlite_register_page_checksums() == SQLITE_OK
    }()

    /// Makes the library ready, before anything else of it is used.
    static func startLibrary() { _ = libraryStarted }

    private static func immutableURI(_ path: String) -> String {
        var uri = path.hasPrefix("/") ? "file://" : "file:"
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                uri += hex.count == 1 ? "%0" + hex : "%" + hex
            }
        }
        return uri + "?immutable=1"
    }

    // MARK: - Statements

    /// The statement of a text, prepared the first time.
    func statement(_ text: String) throws -> Statement {
        if let known = statements[text] { return known }
        let statement = try prepare(text, persistent: true)
        if order.count == Connection.capacity {
            // Half go at once: what is in use comes back soon.
            for old in order.prefix(Connection.capacity / 2) { statements[old] = nil }
            order.removeFirst(Connection.capacity / 2)
        }
        statements[text] = statement
        order.append(text)
        return statement
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
        let code = sqlite3_prepare_v3(handle, text, -1, persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0, &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, "prepare") }
        return Statement(statement, self)
    }

    /// The lines in which SQLite tells how it will run a statement.
    func queryPlan(of statement: Statement) throws -> [String] {
        let explaining = try prepare("EXPLAIN QUERY PLAN " + statement.text)
        var lines: [String] = []
        while try explaining.step("explain") { lines.append(explaining.text(3) ?? "") }
        return lines
    }

    /// Runs a statement that counts the rows that it reads.
    func rowsRead(by sql: SQLText) throws -> Int {
        let counter = RowCounter()
        counter.register(on: handle)
        let statement = try prepare(sql.text)
        try statement.bind(sql.bindings)
        while try statement.step("explain") {}
        return counter.count
    }

    /// Runs a statement once.
    func execute(_ sql: SQLText, _ operation: String) throws {
        let statement = try prepare(sql.text)
        try statement.bind(sql.bindings)
        try statement.run(operation)
    }

    /// Runs a statement of this program's once.
    func execute(_ keywords: StaticString, _ operation: String) throws { try execute(SQLText(keywords), operation) }

    // MARK: - Transactions

    func beginReading() throws {
        if burst.isOpen {
            let isNewest = burst.isNewest
            burst.close()
            if isNewest && isInTransaction { return }
            endReading()
        }
        try begin?.run("fetch")
    }

    func endReading() {
        guard sqlite3_get_autocommit(handle) == 0 else { return }
        if (try? commit?.run("fetch")) == nil { try? execute("ROLLBACK", "fetch") }
    }

    /// Runs `body`, whose only statement is a snapshot by itself, within the transaction that is kept open where there is one.
    func readingAtOnce<T>(_ body: () throws -> T) throws -> T {
        do {
            switch burst.next(on: self) {
            case .run: break
            case .begin: try begin?.run("fetch")
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

    /// Says whether a transaction may be kept open.
    func allowBurst(_ isAllowed: Bool) { burst.isAllowed = isAllowed }

    /// Ends the transaction that is kept open.
    func endBurst() {
        guard burst.isOpen else { return }
        burst.close()
        endReading()
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Whether the file cannot be written through this connection.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    // MARK: - Errors

    /// The error of a result code, with what the connection knows about it.
    func error(_ code: Int32, _ operation: String) -> StoreError {
        let extended = sqlite3_extended_errcode(handle)
        let message = sqlite3_errmsg(handle).map { String(cString: $0) } ?? "error \(code)"
        return StoreError(
            sqlite: extended & 0xFF == code & 0xFF ? extended : code, systemError: sqlite3_system_errno(handle), message: message,
            operation: operation, path: path)
    }
}
