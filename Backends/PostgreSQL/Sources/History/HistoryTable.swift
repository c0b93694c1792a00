import StrataSQL

/// The table of the transactions of the store's history, which is the log of those transactions, too.
///
/// The number of a transaction is its ID on the server plus an offset, the default of the column: a counter would
/// make concurrent saves wait for each other. They commit in another order than they get their IDs in, so a reader
/// sees the transactions before the oldest one of the store that is under way.
struct HistoryTable {
    let schema: String

    var name: QualifiedName { QualifiedName(schema: schema, name: StoreTables.history) }

    var creation: SQLText {
        """
        CREATE TABLE IF NOT EXISTS \(name) (number bigint PRIMARY KEY DEFAULT \(HistoryTable.number(offset: 0)), \
        transaction xid8 DEFAULT pg_catalog.pg_current_xact_id(), writer uuid, save bigint, links text[], \
        time double precision NOT NULL, origin bytea NOT NULL, body bytea NOT NULL); 
        """
    }

    private static func number(offset: Int64) -> SQLText {
        "pg_catalog.pg_current_xact_id()::text::bigint + \(number: offset)"
    }

    // MARK: - Writing

    /// Returns the statement that adds the open transaction, which is sent with the commit.
    ///
    /// - Parameters:
    ///   - writer: The open store; `nil` for changes of other programs.
    ///   - save: The number of the transaction among those of its writer, to query its outcome.
    ///   - links: The names of the changed tables of links.
    func insertion(_ record: HistoryRecord, writer: String?, save: Int, links: [String]) -> SQLText {
        var names = ArrayValues(.text)
        for name in links { names.append { $0.put(field: Array(name.utf8)) } }
        let tables = links.isEmpty ? SQLParameter(oid: ColumnType.text.arrayOID, bytes: nil) : names.parameter
        let values: [SQLText] = [
            writer.map { "\(bind: .text($0))::uuid" } ?? "NULL", "\(bind: .bigint(Int64(save)))", "\(bind: tables)",
            "\(bind: .double(record.time))", "\(bind: .bytea(record.origin))", "\(bind: .bytea(record.body))",
        ]
        return """
            WITH done AS (INSERT INTO \(name) (writer, save, links, time, origin, body) VALUES (\(values))\(SQLText.requiring(1))
            """
    }

    /// Returns the statement that adds records of another history, with their numbers.
    func insertion(of records: [HistoryRecord]) -> SQLText {
        var (numbers, times, origins, bodies) = (ArrayValues(.bigint), ArrayValues(.double), ArrayValues(.bytea), ArrayValues(.bytea))
        for record in records {
            numbers.append { $0.put(field: record.number) }
            times.append { $0.put(field: record.time.bitPattern) }
            origins.append { $0.put(field: record.origin) }
            bodies.append { $0.put(field: record.body) }
        }
        let arrays = [numbers, times, origins, bodies].map { SQLText("\(bind: $0.parameter)") }
        return """
            INSERT INTO \(name) (number, transaction, time, origin, body) SELECT r.number, NULL, r.time, r.origin, r.body \
            FROM unnest(\(arrays)) r (number, time, origin, body)
            """
    }

    /// Numbers later transactions from a record on whose number is not of this server: they have IDs from that of the
    /// oldest one on that is under way.
    func continueNumbers(after last: Int64, _ connection: Connection, _ operation: StoreError.Operation) throws {
        let oldest = SQLText("SELECT pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint")
        let first = try connection.execute(oldest, operation).integer(0, 0) ?? 0
        let number = HistoryTable.number(offset: last &- first &+ 1)
        let statements: [SQLText] = [
            "LOCK TABLE \(name) IN ACCESS EXCLUSIVE MODE", "UPDATE \(name) SET transaction = NULL WHERE transaction IS NOT NULL",
            "ALTER TABLE \(name) ALTER COLUMN number SET DEFAULT \(number)",
        ]
        try connection.run("\(statements, separator: "; ")", operation)
    }

    /// Continues the numbers of a dump that was restored on this server, whose transactions have other IDs.
    func continueRestoredNumbers(in server: ServerLocation, _ connection: Connection) throws {
        let latest: SQLText = "SELECT number, transaction FROM \(name) ORDER BY number DESC LIMIT 1"
        let isOfOthers: SQLText = """
            SELECT number FROM (\(latest)) l WHERE transaction >= pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())
            """
        // A table that is missing, or another program's, is an error of requests for the history: the objects can be used.
        guard let found = try? connection.execute(isOfOthers, .open), found.count > 0 else { return }
        try server.change(connection, .open) { _ in
            guard let last = try connection.execute(isOfOthers, .open).integer(0, 0) else { return }
            try continueNumbers(after: last, connection, .open)
        }
    }

    /// Returns the statements that delete the records before a mark, and make the mark of its record.
    ///
    /// The log keeps what identifies the deleted ones.
    func deletion(through mark: HistoryRecord) -> [SQLText] {
        [
            """
            WITH gone AS (DELETE FROM \(name) WHERE number < \(bind: .bigint(mark.number)) RETURNING transaction, writer, save) \
            INSERT INTO \(ChangeTable(schema: schema).name) (transaction, writer, save, kind, relation) SELECT transaction, writer::text, \
            writer::text || '-' || save, \(literal: ChangeTable.purged), '' FROM gone WHERE transaction IS NOT NULL AND writer IS NOT NULL
            """,
            """
            UPDATE \(name) SET time = \(bind: .double(mark.time)), origin = '', body = '' WHERE number = \(bind: .bigint(mark.number))
            """,
        ]
    }

    /// Returns the statements that replace the table, whatever another program made of it, by an empty one.
    var replacement: [SQLText] { ["DROP TABLE IF EXISTS \(name)", creation] }

    // MARK: - Reading

    /// Returns the statements that read committed records; the third one returns them, and the fourth one whether changes of other programs are
    /// to be added first.
    func reading(_ query: HistoryQuery, isReadOnly: Bool) -> [SQLText] {
        let isFinal: SQLText = """
             AND (transaction IS NULL OR transaction::text::bigint < pg_catalog.current_setting('strata.horizon')::bigint \
            OR transaction >= pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()))
            """
        let records = query.includesUnordered ? selection(query) : selection(query, isFinal)
        return [SQLText("BEGIN ISOLATION LEVEL READ COMMITTED, READ ONLY"), horizon, records]
            + (isReadOnly ? [] : [ExternalTrigger(schema: schema).isPending]) + [SQLText("COMMIT")]
    }

    /// Returns the query for records that the transaction's snapshot shows, or those among them that meet a condition.
    func selection(_ query: HistoryQuery, _ condition: SQLText = "") -> SQLText {
        let (body, order): (SQLText, SQLText) = (
            query.includesBodies ? "body" : "pg_catalog.length(body)", query.isReversed ? " DESC" : ""
        )
        return """
            SELECT number, time, origin, \(body) FROM \(name) WHERE number > \(bind: .bigint(query.after)) \
            AND number <= \(bind: .bigint(query.through))\(condition) ORDER BY number\(order) LIMIT \(bind: .bigint(Int64(query.limit)))
            """
    }

    func records(_ result: ResultTable, _ query: HistoryQuery) throws -> [HistoryRecord] {
        try result.require(
            [.bigint, .double, .bytea, query.includesBodies ? .bytea : .integer], of: StoreTables.history, .fetch)
        func bytes(_ row: Int, _ column: Int) -> [UInt8] { unsafe result.bytes(row, column).map { unsafe Array($0) } ?? [] }
        return (0..<result.count).map { row in
            HistoryRecord(
                number: result.integer(row, 0) ?? 0, time: result.number(row, 1).map { Double(bitPattern: $0) } ?? 0,
                origin: bytes(row, 2), body: query.includesBodies ? bytes(row, 3) : [],
                byteCount: query.includesBodies ? nil : result.number(row, 3, as: Int32.self).map { Int($0) })
        }
    }

    /// Determines the ID below which all transactions of the store have ended, for the statements after this one.
    ///
    /// A transaction has a lock of the metadata before it has an ID, and keeps both until its changes are visible. So
    /// one that the locks do not show has ended, or gets an ID that the snapshot, which is older than the view of the
    /// locks, does not have yet. The locks are listed once, as a prepared transaction has them under another name. On a
    /// standby, which does not know the locks, it is the oldest transaction of the whole server.
    private var horizon: SQLText {
        let metadata = QualifiedName(schema: schema, name: StoreTables.metadata)
        let distance: SQLText = "((n.xmax - t.transactionid::text::bigint) & 4294967295)"
        return """
            WITH locks AS MATERIALIZED (SELECT locktype, database, relation, transactionid, virtualtransaction, mode \
            FROM pg_catalog.pg_locks WHERE granted) SELECT pg_catalog.set_config('strata.horizon', \
            (SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN n.xmin ELSE LEAST(n.xmax, (SELECT pg_catalog.min(n.xmax - \(distance)) \
            FROM locks r JOIN locks t ON t.virtualtransaction = r.virtualtransaction WHERE r.locktype = 'relation' \
            AND r.relation = \(relation: metadata)::pg_catalog.regclass AND r.database = (SELECT d.oid FROM pg_catalog.pg_database d \
            WHERE d.datname = pg_catalog.current_database()) AND t.locktype = 'transactionid' AND t.mode = 'ExclusiveLock' \
            AND \(distance) < 2147483648)) END FROM (SELECT pg_catalog.pg_snapshot_xmin(s)::text::bigint AS xmin, \
            pg_catalog.pg_snapshot_xmax(s)::text::bigint AS xmax FROM pg_catalog.pg_current_snapshot() s) n)::text, true)
            """
    }

    /// Maps a failure of a statement over the table.
    ///
    /// - Returns: `StoreError` with `corrupt` where another program gave the table other columns.
    static func explain(_ error: any Error) -> any Error {
        guard let failure = PostgreSQLFailure(of: error), failure.isOfType || failure.state == "42703" else { return error }
        return StoreError(
            .corrupt, .fetch, "the table of the history has other columns; PersistentHistory.beginAnew() replaces it", underlying: failure)
    }

    static func isMissing(_ error: any Error) -> Bool { PostgreSQLFailure(of: error)?.state == "42P01" }
}
