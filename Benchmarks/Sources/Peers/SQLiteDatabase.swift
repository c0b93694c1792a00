import BenchSQLite

/// An error of a C library that a raw participant calls.
struct LibraryError: Error, CustomStringConvertible {
    var library: String
    var operation: String
    var message: String

    var description: String { "\(library), \(operation): \(message)" }
}

extension Optional {
    /// What a participant has open.
    ///
    /// - Throws: `LibraryError` where that is nothing.
    package func opened(by library: String) throws -> Wrapped {
        guard let self else { throw LibraryError(library: library, operation: "use", message: "not open") }
        return self
    }
}

/// A connection that runs transactions by statements.
protocol StatementConnection {
    func execute(_ sql: String) throws
}

extension StatementConnection {
    /// Runs `body` in a transaction, which a failure rolls back.
    func within<Result>(_ begin: String, _ body: () throws -> Result) throws -> Result {
        try execute(begin)
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }
}

/// What every SQLite participant sets, so that only the layers above SQLite differ.
package enum SQLiteSettings {
    static let pragmas = ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"]
    package static let note = "SQLite: WAL, synchronous=FULL, foreign keys on, otherwise the library's defaults"
}

/// One connection with its prepared statements, kept by their text.
final class SQLiteDatabase: StatementConnection {
    private var handle: OpaquePointer?
    private var statements: [String: SQLiteStatement] = [:]

    init(path: String) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let status = sqlite3_open_v2(path, &handle, flags, nil)
        guard status == SQLITE_OK else {
            let failure = error("open \(path)")
            sqlite3_close_v2(handle)
            throw failure
        }
        for pragma in SQLiteSettings.pragmas { try execute(pragma) }
    }

    var changes: Int { Int(sqlite3_changes(handle)) }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw error(sql) }
    }

    func statement(_ sql: String) throws -> SQLiteStatement {
        if let statement = statements[sql] { return statement }
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil) == SQLITE_OK, let prepared else {
            throw error(sql)
        }
        let statement = SQLiteStatement(prepared)
        statements[sql] = statement
        return statement
    }

    func transaction<Result>(_ body: () throws -> Result) throws -> Result { try within("BEGIN IMMEDIATE", body) }

    /// Holds one snapshot for a burst of reads.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        defer { try? execute("COMMIT") }
        return try body()
    }

    func close() throws {
        for statement in statements.values { statement.finalize() }
        statements = [:]
        guard sqlite3_close(handle) == SQLITE_OK else { throw error("close") }
        handle = nil
    }

    private func error(_ operation: String) -> LibraryError {
        LibraryError(library: "SQLite", operation: operation, message: String(cString: sqlite3_errmsg(handle)))
    }
}

/// A prepared statement.
///
/// Texts and blobs of a row are copied into one buffer and bound without a further copy.
final class SQLiteStatement {
    private var handle: OpaquePointer?
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 14, alignment: 8)
    private var used = 0

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { scratch.deallocate() }

    func finalize() {
        sqlite3_finalize(handle)
        handle = nil
    }

    func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

    func bind(_ index: Int32, _ value: Int64?) {
        if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
    }

    func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

    func bind(_ index: Int32, _ value: String?) {
        guard var value else {
            sqlite3_bind_null(handle, index)
            return
        }
        value.withUTF8 { bytes in
            let (pointer, isCopied) = place(UnsafeRawBufferPointer(bytes))
            sqlite3_bind_text(
                handle,
                index,
                pointer?.assumingMemoryBound(to: CChar.self),
                Int32(bytes.count),
                isCopied ? nil : Self.transient
            )
        }
    }

    func bind(_ index: Int32, _ value: [UInt8]) {
        value.withUnsafeBytes { bytes in
            let (pointer, isCopied) = place(bytes)
            sqlite3_bind_blob(handle, index, pointer, Int32(bytes.count), isCopied ? nil : Self.transient)
        }
    }

    /// Whether there is a row; resets at the end.
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        default:
            let message = String(cString: sqlite3_errmsg(sqlite3_db_handle(handle)))
            reset()
            throw LibraryError(library: "SQLite", operation: "step", message: message)
        }
    }

    func run() throws {
        while try step() {}
    }

    func reset() {
        sqlite3_reset(handle)
        used = 0
    }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
    }

    func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func optionalText(_ column: Int32) -> String? {
        guard let text = sqlite3_column_text(handle, column) else { return nil }
        return String(decoding: UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
    }

    func blob(_ column: Int32) -> [UInt8] {
        guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }

    // SQLite's documented sentinel: copy the bytes during the call.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    private func place(_ bytes: UnsafeRawBufferPointer) -> (UnsafeRawPointer?, isCopied: Bool) {
        guard used + bytes.count <= scratch.count, let base = scratch.baseAddress else { return (bytes.baseAddress, false) }
        let target = base + used
        if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
        used += bytes.count
        return (UnsafeRawPointer(target), true)
    }
}
