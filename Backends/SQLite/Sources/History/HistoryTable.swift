import CStrataSQLite
import StrataSQL
import StrataStore

/// The table of the transactions of Strata's own history.
///
/// ```sql
/// CREATE TABLE STRATA_HISTORY (number INTEGER PRIMARY KEY, time FLOAT, origin BLOB, body BLOB)
/// ```
enum HistoryTable {
    private static let creation =
        "CREATE TABLE IF NOT EXISTS STRATA_HISTORY (number INTEGER PRIMARY KEY, time FLOAT, origin BLOB, body BLOB)"

    static func create(_ connection: Connection) throws { try connection.prepare(creation).run(.save) }

    /// Replaces the table, whatever another program made of it, by one with a mark.
    static func replace(by mark: HistoryRecord, _ connection: Connection) throws {
        let types = try connection.texts("SELECT type FROM sqlite_master WHERE name = 'STRATA_HISTORY'", columns: 1, .save).joined()
        for type in ["view", "table"] where types.contains(type) {
            try connection.prepare("DROP \(type.uppercased()) STRATA_HISTORY").run(.save)
        }
        try create(connection)
        try insert(mark, as: mark.number, connection)
    }

    /// Adds a record, and returns its number.
    ///
    /// - Parameter last: The number of the last record; `nil` where it is unknown.
    static func append(_ record: HistoryRecord, after last: Int64?, _ connection: Connection) throws -> Int64 {
        let number = try record.number(after: last ?? lastNumber(connection), path: connection.path)
        try insert(record, as: number, connection)
        return number
    }

    private static func lastNumber(_ connection: Connection) throws -> Int64 {
        let last = try checkingColumns(connection) { try connection.statement(.lastHistoryNumber) }
        defer { last.reset() }
        return try last.step(.save) ? last.integer(0) : 0
    }

    private static func insert(_ record: HistoryRecord, as number: Int64, _ connection: Connection) throws {
        let statement = try checkingColumns(connection) { try connection.statement(.historyInsertion) }
        defer { statement.clear() }
        statement.bind(number, at: 1)
        statement.bind(record.time, at: 2)
        try unsafe record.origin.withUnsafeBytes { origin in
            try unsafe record.body.withUnsafeBytes { body in
                try unsafe statement.bindBlob(origin, at: 3)
                try unsafe statement.bindBlob(body, at: 4)
                try statement.run(.save)
            }
        }
    }

    /// Replaces the oldest records by a mark.
    static func delete(through mark: HistoryRecord, _ connection: Connection) throws {
        let statement = try checkingColumns(connection) { try connection.statement("DELETE FROM STRATA_HISTORY WHERE number <= ?1") }
        statement.bind(mark.number, at: 1)
        try statement.run(.save)
        try insert(mark, as: mark.number, connection)
    }

    static func records(_ query: HistoryQuery, _ connection: Connection) throws -> [HistoryRecord] {
        let body = query.includesBodies ? "body" : "length(body)"
        let text = "SELECT number, time, origin, \(body) FROM STRATA_HISTORY \(query.range(of: "number"))"
        return try query.records(checkingColumns(connection) { try connection.statement(text) }) { statement in
            func bytes(_ column: Int32) -> [UInt8] { unsafe statement.blobBytes(column).map { unsafe Array($0) } ?? [] }
            return HistoryRecord(
                number: statement.integer(0), time: statement.double(1), origin: bytes(2), body: query.includesBodies ? bytes(3) : [],
                byteCount: query.includesBodies ? nil : Int(statement.integer(3)))
        }
    }

    /// Prepares a statement over the tables, or does all work in them.
    ///
    /// - Throws: `StoreError` with `corrupt` where another program gave a table other columns.
    static func checkingColumns<T>(_ connection: Connection, _ prepare: () throws -> T) throws -> T {
        do { return try prepare() } catch let error as StoreError
            where (error.underlying as? SQLiteFailure).map({ $0.code & 0xFF == SQLITE_ERROR }) == true
        {
            throw StoreError(
                .corrupt, .fetch, "the table of the history has other columns; PersistentHistory.beginAnew() replaces it",
                path: connection.path, underlying: error)
        }
    }
}

extension HistoryQuery {
    /// The end of a statement that selects the rows of the query's range, by the column of their numbers.
    func range(of column: String) -> String {
        "WHERE \(column) > ?1 AND \(column) <= ?2 ORDER BY \(column)\(isReversed ? " DESC" : "") LIMIT ?3"
    }

    /// Returns the records of the rows of a statement with ``range(of:)``.
    func records(_ statement: Statement, _ record: (Statement) throws -> HistoryRecord) throws -> [HistoryRecord] {
        defer { statement.reset() }
        statement.bind(after, at: 1)
        statement.bind(through, at: 2)
        statement.bind(Int64(limit), at: 3)
        var records: [HistoryRecord] = []
        while try statement.step(.fetch) { records.append(try record(statement)) }
        return records
    }
}
