import BenchPQ

/// One connection with its prepared statements, kept by their text; values in binary form both ways.
///
/// `@unchecked Sendable`: a thread at a time uses it.
final class PostgreSQLDatabase: StatementConnection, @unchecked Sendable {
    private let handle: OpaquePointer?
    private var statements: [String: String] = [:]

    /// Connects, and finds tables without a schema in the one given.
    init(schema: String) throws {
        handle = PQconnectdb(try BenchServer.url())
        guard PQstatus(handle) == CONNECTION_OK else {
            let failure = error("connect")
            PQfinish(handle)
            throw failure
        }
        try execute("SET client_min_messages = warning; SET search_path = \"\(schema)\"")
    }

    deinit { PQfinish(handle) }

    /// Runs statements without parameters, separated by semicolons.
    func execute(_ sql: String) throws { _ = try rows(sql, PQexec(handle, sql)) }

    /// Runs a prepared statement; `?` stands for a parameter.
    func run(_ sql: String, _ parameters: BinaryRow = BinaryRow()) throws -> PostgreSQLRows {
        let name = try statement(sql)
        let count = parameters.count
        let lengths = (0..<count).map { Int32(parameters.length($0)) }
        let result = parameters.bytes.withUnsafeBytes { bytes in
            let values = (0..<count).map { bytes.baseAddress?.advanced(by: parameters.start($0)).assumingMemoryBound(to: CChar.self) }
            return PQexecPrepared(handle, name, Int32(count), values, lengths, Array(repeating: 1, count: count), 1)
        }
        return try rows(sql, result)
    }

    private func statement(_ sql: String) throws -> String {
        if let name = statements[sql] { return name }
        let name = "s\(statements.count)"
        var (numbered, place) = ("", 0)
        for character in sql {
            if character == "?" { place += 1 }
            numbered += character == "?" ? "$\(place)" : String(character)
        }
        _ = try rows(sql, PQprepare(handle, name, numbered, 0, nil))
        statements[sql] = name
        return name
    }

    func transaction<Result>(_ body: () throws -> Result) throws -> Result { try within("BEGIN", body) }

    /// Runs reads over one snapshot.
    func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try within("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", body)
    }

    /// Brings rows into a table by `COPY`, in binary form.
    func copy<Rows: Sequence>(into table: String, _ rows: Rows, _ fill: (Rows.Element, inout BinaryRow) -> Void) throws {
        let sql = "COPY \(table) FROM STDIN (FORMAT binary)"
        let started = PQexec(handle, sql)
        defer { PQclear(started) }
        guard PQresultStatus(started) == PGRES_COPY_IN else { throw error(sql) }
        var piece = BinaryRow()
        piece.beginCopy()
        for row in rows {
            piece.beginRow()
            fill(row, &piece)
            piece.endRow()
            if piece.bytes.count > 1 << 16 { try put(&piece, sql) }
        }
        piece.endCopy()
        try put(&piece, sql)
        guard PQputCopyEnd(handle, nil) == 1 else { throw error(sql) }
        while let result = PQgetResult(handle) { _ = try self.rows(sql, result) }
    }

    private func put(_ piece: inout BinaryRow, _ sql: String) throws {
        let status = piece.bytes.withUnsafeBytes { bytes in
            PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        guard status == 1 else { throw error(sql) }
        piece.clear()
    }

    private func rows(_ operation: String, _ result: OpaquePointer?) throws -> PostgreSQLRows {
        let rows = PostgreSQLRows(result)
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return rows
        default: throw error(operation)
        }
    }

    private func error(_ operation: String) -> LibraryError {
        LibraryError(library: "libpq", operation: operation, message: String(cString: PQerrorMessage(handle)))
    }
}
