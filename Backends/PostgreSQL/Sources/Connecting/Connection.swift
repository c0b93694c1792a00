import CStrataPostgreSQL
import StrataStore
import Synchronization

/// An open connection to a server, with its prepared statements.
// Unchecked: a connection is used by one thread at a time; the pool lends it to one reader or writer.
@safe final class Connection: @unchecked Sendable {
    let handle: OpaquePointer
    private let secrets: [String]
    /// The names of prepared statements, by their texts.
    private var statements: [String: String] = [:]
    private static let mostStatements = 256
    /// Whether a statement was sent whose answer nobody waited for.
    private var isUnawaited = false
    /// What ends the statement that is under way, from any thread.
    private var canceller: OpaquePointer?
    /// Whether a statement failed for what another transaction did.
    var hasMetOthers = false
    /// Whether a statement was cancelled: that may come late, and end the next one.
    private let wasCancelled = Atomic(false)
    /// What the server calls the connection; `nil` where it does not tell.
    private(set) var session: Session?
    /// How long a statement may take until the server counts as lost, in seconds; `nil` for as long as the system finds it there.
    let patience: Double?

    /// Connects, and sets the session up.
    ///
    /// - Throws: `StoreError` with `denied`, `missing`, `unsupportedVersion`, `io`.
    init(_ address: ServerParameters, _ settings: SessionSettings, _ operation: StoreError.Operation) throws {
        secrets = address.secrets
        patience = settings.patience
        let names = address.values.map(\.name), values = address.values.map(\.value)
        let connected = unsafe Connection.withCStrings(names) { names in
            unsafe Connection.withCStrings(values) { values in unsafe PQconnectdbParams(names, values, 0) }
        }
        guard let connected = unsafe connected else { throw StoreError(.io, operation, "there is no memory for a connection") }
        unsafe handle = connected
        guard unsafe PQstatus(connected) == CONNECTION_OK else {
            throw unsafe Connection.refusal(String(cString: PQerrorMessage(connected)), address, operation)
        }
        unsafe strata_postgresql_silence(connected)
        let version = unsafe PQserverVersion(connected)
        guard version >= 130_000 else {
            throw StoreError(
                .unsupportedVersion, operation, "the server is PostgreSQL \(version / 10_000), and versions before 13 are not supported")
        }
        unsafe canceller = PQgetCancel(connected)
        session = try Session(run(settings.statements, operation))
    }

    deinit {
        unsafe PQfreeCancel(canceller)
        unsafe PQfinish(handle)
    }

    /// Why a server could not be reached: it says so in words alone.
    private static func refusal(_ message: String, _ address: ServerParameters, _ operation: StoreError.Operation) -> StoreError {
        let failure = PostgreSQLFailure(state: "", message: message, hiding: address.secrets)
        let isUnknown = message.contains("database \"") && message.contains("does not exist")
        let isDenied = ["authentication", "password", "role \"", "pg_hba"].contains { message.contains($0) }
        let isFull = message.contains("too many clients") || message.contains("connection slots are reserved")
        return StoreError(
            isUnknown ? .missing : isFull ? .locked : isDenied ? .denied : .io, operation, failure.message, underlying: failure,
            recovery: isUnknown || isDenied ? nil : .retryable)
    }

    /// Calls `body` with C strings, and a null behind them.
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

    /// Whether nothing more comes through the connection.
    var isBroken: Bool { unsafe PQstatus(handle) != CONNECTION_OK }
    /// Whether it can be used for something else.
    var isReusable: Bool { !isBroken && !wasCancelled.load(ordering: .acquiring) }

    /// Ends a transaction that only read, without waiting for the answer: there is none that anybody needs.
    func endReading() { post(SQLText("COMMIT")) }

    /// Sends statements whose answer nobody waits for.
    func post(_ sql: SQLText) {
        settle()
        isUnawaited = unsafe PQsendQuery(handle, sql.rendered.text) == 1
    }

    /// Takes the answer that nobody waited for.
    private func settle() {
        guard isUnawaited else { return }
        isUnawaited = false
        while waitForAnswer(), let result = unsafe PQgetResult(handle) { unsafe PQclear(result) }
    }

    /// Whether a transaction is open, be it that it failed.
    var isInTransaction: Bool {
        if isUnawaited { return false }
        let status = unsafe PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR || status == PQTRANS_ACTIVE
    }

    /// Whether a statement of the transaction failed, so that it can only be rolled back.
    var hasFailed: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_INERROR }

    // MARK: - Statements

    /// Runs a statement with parameters, prepared once for each text; who asked for it may cancel it.
    @discardableResult
    func execute(_ sql: SQLText, _ operation: StoreError.Operation) throws -> ResultTable {
        settle()
        let (text, parameters) = sql.rendered
        let name = try statement(text, parameters, operation)
        guard let cancellation = StoreCancellation.current else { return try send(parameters, name, operation) }
        do { return try cancellation.whileRunning({ self.cancel() }, { try send(parameters, name, operation) }) } catch {
            guard cancellation.isCancelled else { throw error }
            throw StoreError(.cancelled, operation, "nobody waits for the answer any more", underlying: error)
        }
    }

    private func cancel() {
        wasCancelled.store(true, ordering: .releasing)
        // Why it could not be sent does not matter: the statement ends by itself then.
        var reason = [CChar](repeating: 0, count: 256)
        _ = unsafe PQcancel(canceller, &reason, Int32(truncatingIfNeeded: reason.count))
    }

    /// Runs statements without parameters, one after the other; answers what the last one does, as text.
    @discardableResult
    func run(_ sql: SQLText, _ operation: StoreError.Operation) throws -> ResultTable {
        settle()
        return try unsafe check(answer(PQsendQuery(handle, sql.rendered.text)), operation)
    }

    private func statement(_ text: String, _ parameters: [SQLParameter], _ operation: StoreError.Operation) throws -> String {
        if let known = statements[text] { return known }
        if statements.count >= Connection.mostStatements {
            try run(SQLText("DEALLOCATE ALL"), operation)
            statements = [:]
        }
        let name = "s\(statements.count)"
        let types = parameters.map(\.oid)
        _ = try unsafe check(answer(PQsendPrepare(handle, name, text, Int32(truncatingIfNeeded: types.count), types)), operation)
        statements[text] = name
        return name
    }

    private func send(_ parameters: [SQLParameter], _ name: String, _ operation: StoreError.Operation) throws -> ResultTable {
        var lengths: [Int32] = []
        var places: [Int?] = []
        var all: [UInt8] = []
        for parameter in parameters {
            let bytes = parameter.bytes ?? []
            if bytes.count > Int(Int32.max) - 64 {
                throw StoreError(.tooLarge, operation, "values of \(bytes.count) bytes do not fit into one statement")
            }
            places.append(parameter.bytes == nil ? nil : all.count)
            lengths.append(Int32(bytes.count))
            all += bytes
        }
        // Something to point at where values are empty: a null pointer would mean no value.
        all.append(0)
        let formats = [Int32](repeating: 1, count: parameters.count)
        let result = unsafe all.withUnsafeBytes { buffer in
            let values = unsafe places.map { place in
                unsafe place.flatMap { place in unsafe buffer.baseAddress.map { unsafe ($0 + place).assumingMemoryBound(to: CChar.self) } }
            }
            return unsafe answer(
                PQsendQueryPrepared(handle, name, Int32(truncatingIfNeeded: parameters.count), values, lengths, formats, 1))
        }
        return try unsafe check(result, operation)
    }

    private func check(_ result: OpaquePointer?, _ operation: StoreError.Operation) throws -> ResultTable {
        let status = unsafe PQresultStatus(result)
        if let result = unsafe result, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK { return unsafe ResultTable(result) }
        defer { unsafe PQclear(result) }
        let failure = unsafe PostgreSQLFailure(result, handle, hiding: secrets)
        if failure.isSerialization { hasMetOthers = true }
        throw StoreError(failure, operation)
    }

    // MARK: - Copying in

    /// Copies rows in, in the binary format, which `body` hands over piece by piece.
    func copy(_ sql: SQLText, _ operation: StoreError.Operation, _ body: ((BinaryBuffer) throws -> Void) throws -> Void) throws {
        settle()
        let begun = unsafe answer(PQsendQuery(handle, sql.rendered.text))
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
        _ = try unsafe check(answer(1), operation)
    }

    private func put(_ bytes: [UInt8], _ operation: StoreError.Operation) throws {
        let sent = unsafe bytes.withUnsafeBytes { buffer in
            unsafe PQputCopyData(handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(truncatingIfNeeded: buffer.count))
        }
        if sent != 1 { throw lost(operation) }
    }

    func lost(_ operation: StoreError.Operation) -> StoreError {
        unsafe StoreError(PostgreSQLFailure(nil, handle, hiding: secrets), operation)
    }
}
