import CStrataSQLite
import StrataStore

/// A prepared statement of one connection.
// Safe: the object owns the handle.
@safe final class Statement {
    let handle: OpaquePointer
    private unowned let connection: Connection

    init(_ handle: OpaquePointer, _ connection: Connection) {
        unsafe self.handle = handle
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Whether SQLite sorts rows to run the statement instead of reading them in order.
    func sorts() throws -> Bool {
        if let known = isSorting { return known }
        let found = try connection.queryPlan(of: self).contains { $0.contains("USE TEMP B-TREE") }
        isSorting = found
        return found
    }

    private var isSorting: Bool?

    /// The statement's text, with placeholders for its parameters.
    var text: String { unsafe sqlite3_sql(handle).map { unsafe String(cString: $0) } ?? "" }

    /// Returns the statement's text with its parameters replaced by values; `nil` where it would be too long.
    func expanded(_ values: [SQLBinding]) throws -> String? {
        defer { clear() }
        try bind(values)
        return unsafe StatementTrace.expanded(handle)
    }

    // MARK: - Running

    /// Takes one step; false at the end.
    @inline(__always)
    func step(_ operation: StoreError.Operation) throws -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw connection.error(code, operation)
    }

    /// Takes one step and returns the extended result code.
    func attempt() -> Int32 { unsafe sqlite3_step(handle) }

    /// Makes the statement ready to run again.
    func reset() { unsafe sqlite3_reset(handle) }

    /// Releases the values of the parameters.
    func clear() {
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    /// Runs a statement without a result, and resets it.
    func run(_ operation: StoreError.Operation) throws {
        defer { reset() }
        while try step(operation) {}
    }

    /// Runs a statement that a constraint may refuse, and resets it.
    ///
    /// - Returns: The error of the constraint; `nil` where the statement succeeded.
    func runUnlessRefused(_ operation: StoreError.Operation) throws -> StoreError? {
        defer { reset() }
        let code = attempt()
        if code == SQLITE_DONE { return nil }
        let error = connection.error(code, operation)
        if SQLiteFailure.isConstraint(code) { return error }
        throw error
    }

    // MARK: - Parameters

    func bind(_ number: Int64, at index: Int) { unsafe sqlite3_bind_int64(handle, Int32(truncatingIfNeeded: index), number) }
    func bind(_ number: Double, at index: Int) { unsafe sqlite3_bind_double(handle, Int32(truncatingIfNeeded: index), number) }
    func bindNull(at index: Int) { unsafe sqlite3_bind_null(handle, Int32(truncatingIfNeeded: index)) }

    /// Binds text that keeps its address until the statement has run.
    func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int) throws {
        let start = unsafe bytes.baseAddress ?? Statement.nothing
        try unsafe check(
            sqlite3_bind_text(
                handle, Int32(truncatingIfNeeded: index), start.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), nil),
            bytes.count)
    }

    /// Binds bytes that keep their address until the statement has run.
    func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int) throws {
        try unsafe check(
            sqlite3_bind_blob(
                handle, Int32(truncatingIfNeeded: index), bytes.baseAddress ?? Statement.nothing, Int32(clamping: bytes.count), nil),
            bytes.count)
    }

    func bindBlobCopy(_ bytes: [UInt8], at index: Int) throws {
        try unsafe bytes.withUnsafeBytes { buffer in
            try unsafe check(
                strata_sqlite_bind_blob_copy(
                    handle, Int32(truncatingIfNeeded: index), buffer.baseAddress ?? Statement.nothing, Int32(clamping: buffer.count)),
                buffer.count)
        }
    }

    func bindTextCopy(_ bytes: UnsafeRawBufferPointer, at index: Int) throws {
        let start = unsafe bytes.baseAddress ?? Statement.nothing
        try unsafe check(
            strata_sqlite_bind_text_copy(
                handle, Int32(truncatingIfNeeded: index), start.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count)),
            bytes.count)
    }

    func bind(_ values: [SQLBinding], from first: Int = 1) throws {
        for (index, value) in zip(first..., values) { try bind(value, at: index) }
    }

    func bind(_ value: SQLBinding, at index: Int) throws {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let number): bind(number, at: index)
        case .double(let number): bind(number, at: index)
        case .text(var text): try text.withUTF8 { try unsafe bindTextCopy(UnsafeRawBufferPointer($0), at: index) }
        case .textBytes(let bytes): try unsafe bytes.withUnsafeBytes { try unsafe bindTextCopy($0, at: index) }
        case .blob(let bytes): try bindBlobCopy(bytes, at: index)
        case .set(let set): unsafe SQLFunctions.bind(set, to: handle, at: index)
        }
    }

    private func check(_ code: Int32, _ count: Int) throws {
        if count > Int(Int32.max) || code == SQLITE_TOOBIG {
            throw StoreError(.tooLarge, .save, "a value of \(count) bytes does not fit in a column", path: connection.path)
        }
        if code != SQLITE_OK { throw connection.error(code, .bind) }
    }

    /// An address for empty values: a null pointer means null.
    // Never written or read, as its length is given as 0.
    nonisolated(unsafe) private static let nothing = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8))

    // MARK: - Columns

    @inline(__always) func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }
    @inline(__always) func double(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }
    @inline(__always) func type(_ column: Int32) -> Int32 { unsafe sqlite3_column_type(handle, column) }
    @inline(__always) func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns the bytes of a text, valid until the next step; `nil` for null.
    @inline(__always)
    func textBytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        // One access to the column for both. The connection has no mutex, so that its values need no protection.
        let value = unsafe sqlite3_column_value(handle, column)
        guard let start = unsafe sqlite3_value_text(value) else { return nil }
        return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// Returns the bytes of a blob, valid until the next step; `nil` for null.
    @inline(__always)
    func blobBytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        if let start = unsafe sqlite3_column_blob(handle, column) {
            return unsafe UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        }
        return unsafe isNull(column) ? nil : UnsafeRawBufferPointer(start: Statement.nothing, count: 0)
    }

    func text(_ column: Int32) -> String? { unsafe textBytes(column).map { unsafe String(decoding: $0, as: UTF8.self) } }
}
