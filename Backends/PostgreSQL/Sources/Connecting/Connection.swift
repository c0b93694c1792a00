import CStrataPostgreSQL
import Dispatch
import StrataEngine
import StrataSQL

/// An open connection to a server, with its prepared statements.
// Unchecked: a connection is used by one thread at a time; the pool lends it to one reader or writer.
@safe final class Connection: @unchecked Sendable {
    let handle: OpaquePointer
    private let secrets: [String]
    /// The names of prepared statements, by their texts.
    var statements: [String: String] = [:]
    /// The postponed statements, which are sent with the next ones, and the mapping of their failures to errors.
    var postponed: [(sql: SQLText, explain: (any Error) -> any Error)] = []
    var traffic = Traffic()
    var lending = Lending()
    /// The WAL position up to which a replica had replayed when it was last asked, in bytes.
    var replayed: Int64 = 0
    /// Whether a statement failed because of a concurrent transaction.
    var hasConflicted = false
    private let canceller: Canceller
    /// Whether the server was silent for too long.
    var isGivenUp = false
    /// The backend process of the connection; `nil` where the server does not report it.
    private(set) var session: Session?
    /// The time that a statement may take until the server counts as lost, in seconds; `nil` for no limit.
    let patience: Double?

    /// What the pool knows of the connection.
    struct Lending {
        /// The permit with which it is lent.
        var permit: ConnectionPermits.Permit?
        /// The time when it was last returned.
        var idleSince: DispatchTime?
    }

    /// What was sent, and which results are still unread.
    struct Traffic {
        /// Whether results of posted statements are unread.
        var hasPendingResults = false
        /// The number of pipelines whose results were not read to the end.
        var pipelines = 0
        /// The number of waits for a result, for tests of round trips.
        var roundTrips = 0
    }

    /// Connects, and configures the session.
    ///
    /// - Throws: `StoreError` with `denied`, `missing`, `unsupportedVersion`, `unsupported`, `io`.
    init(_ address: ServerParameters, _ settings: SessionSettings, _ operation: StoreError.Operation) throws {
        secrets = address.secrets
        patience = settings.patience
        let names = address.values.map(\.name), values = address.values.map(\.value)
        let connected = unsafe Connection.withCStrings(names) { names in
            unsafe Connection.withCStrings(values) { values in unsafe PQconnectdbParams(names, values, 0) }
        }
        // Out of memory, libpq returns null.
        guard let connected = unsafe connected, unsafe PQstatus(connected) == CONNECTION_OK else {
            defer { unsafe PQfinish(connected) }
            throw unsafe Connection.refusal(String(cString: PQerrorMessage(connected)), address, operation)
        }
        unsafe handle = connected
        canceller = unsafe Canceller(connected)
        unsafe strata_postgresql_silence(connected)
        // Nonblocking: a write to a server that accepts nothing would block without limit.
        unsafe PQsetnonblocking(connected, 1)
        let version = unsafe PQserverVersion(connected)
        guard version >= 130_000 else {
            throw StoreError(
                .unsupportedVersion, operation, "the server is PostgreSQL \(version / 10_000), and versions before 13 are not supported")
        }
        // Other encodings count and order characters differently, or cannot hold most of them.
        let encoding = unsafe PQparameterStatus(connected, "server_encoding").map { unsafe String(cString: $0) } ?? "UTF8"
        guard encoding == "UTF8" else {
            throw StoreError(.unsupported, operation, "the database's encoding is \(encoding), and has to be UTF8")
        }
        session = try Session(run(settings.statements, operation))
    }

    deinit { unsafe PQfinish(handle) }

    /// Requires that another connection gets another session, where a pooler is before the server.
    ///
    /// A pooler that gives sessions out by transaction gives the last one again first, as PgBouncer does by default.
    ///
    /// - Throws: `StoreError` with `unsupported`; what connecting throws.
    func requireOwnSession(_ operation: StoreError.Operation, _ connect: () throws -> Connection) throws {
        // A pooler has process IDs of its own.
        guard let session, unsafe Int(PQbackendPID(handle)) != session.process, try connect().session == session else { return }
        throw StoreError(.unsupported, operation, Session.isShared)
    }

    /// Returns the error of a failed connection, for which libpq returns a message without a code.
    private static func refusal(_ message: String, _ address: ServerParameters, _ operation: StoreError.Operation) -> StoreError {
        let failure = PostgreSQLFailure(state: "", message: message, hiding: address.secrets)
        let isUnknown = message.contains("database \"") && message.contains("does not exist")
        let isDenied = ["authentication", "password", "role \"", "pg_hba"].contains { message.contains($0) }
        let isFull = message.contains("too many clients") || message.contains("connection slots are reserved")
        return StoreError(
            isUnknown ? .missing : isFull ? .locked : isDenied ? .denied : .io, operation, failure.message, underlying: failure,
            recovery: isUnknown || isDenied ? nil : .retryable)
    }

    /// Calls `body` with an array of C strings that ends with null.
    private static func withCStrings<T>(_ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T) -> T {
        let bytes = texts.map { Array($0.utf8CString) }
        let all = bytes.flatMap(\.self)
        return unsafe all.withUnsafeBufferPointer { buffer in
            var offset = 0
            var pointers = unsafe [UnsafePointer<CChar>?]()
            for text in bytes {
                unsafe pointers.append(buffer.baseAddress.map { unsafe $0 + offset })
                offset += text.count
            }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress.unsafelyUnwrapped) }
        }
    }

    // MARK: - State

    /// Whether the connection is lost.
    var isBroken: Bool { unsafe PQstatus(handle) != CONNECTION_OK }
    /// Whether another caller can use the connection.
    var isReusable: Bool { !isBroken && !canceller.wasUsed }

    /// Whether a transaction is open, even if it failed.
    var isInTransaction: Bool {
        if traffic.hasPendingResults { return false }
        let status = unsafe PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
    }

    /// Whether a statement of the transaction failed, so that it can only be rolled back.
    var hasFailed: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Cancels the current statement.
    func cancel() { canceller.cancel() }

    // MARK: - Results

    /// Returns the result of a statement.
    ///
    /// - Throws: The failure that it has instead.
    func check(_ result: OpaquePointer?, _ operation: StoreError.Operation) throws -> ResultTable {
        let status = unsafe PQresultStatus(result)
        if let result = unsafe result, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK { return unsafe ResultTable(result) }
        defer { unsafe PQclear(result) }
        let failure = unsafe PostgreSQLFailure(result, handle, hiding: secrets)
        if failure.isSerialization { hasConflicted = true }
        throw StoreError(failure, operation)
    }

    // MARK: - COPY

    /// Copies rows in, in the binary format; `body` passes the data in parts.
    func copy(
        _ sql: SQLText, _ operation: StoreError.Operation, _ body: ((BinaryBuffer) throws -> Void) throws -> Void
    ) throws -> ResultTable {
        try sendPostponed(operation)
        readPending()
        traffic.roundTrips += 1
        let begun = unsafe answer(PQsendQuery(handle, sql.text))
        guard unsafe PQresultStatus(begun) == PGRES_COPY_IN else {
            _ = try unsafe check(begun, operation)
            throw StoreError(.io, operation, "the server does not take rows")
        }
        unsafe PQclear(begun)
        do { try body { try put($0.bytes, operation) } } catch {
            unsafe PQputCopyEnd(handle, "the rows could not be made")
            unsafe PQclear(answer(1))
            throw error
        }
        if unsafe PQputCopyEnd(handle, nil) != 1 { throw lost(operation) }
        return try unsafe check(answer(1), operation)
    }

    private func put(_ bytes: [UInt8], _ operation: StoreError.Operation) throws {
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe PQputCopyData(handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(truncatingIfNeeded: buffer.count))
        }
        if sent == 1 && flush() { return }
        // If the server refused earlier data, its error has the reason.
        _ = try unsafe check(answer(1), operation)
        throw lost(operation)
    }

    func lost(_ operation: StoreError.Operation) -> StoreError {
        unsafe StoreError(PostgreSQLFailure(nil, handle, hiding: secrets), operation)
    }
}
