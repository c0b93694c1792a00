import FoundationEssentials
import StrataSQL
import StrataStore

/// The tables of a persistent history in Core Data's form: `ACHANGE`, `ATRANSACTION` and `ATRANSACTIONSTRING`.
struct CoreDataHistoryTables {
    /// The number of the entity of each table in `Z_PRIMARYKEY`.
    enum Number: Int {
        case change = 16001
        case transaction = 16002
        case string = 16003

        var table: String {
            switch self {
            case .change: "ACHANGE"
            case .transaction: "ATRANSACTION"
            case .string: "ATRANSACTIONSTRING"
            }
        }
    }

    let connection: Connection
    let operation: StoreError.Operation

    /// The columns of the texts of a transaction: author, bundle, context and process.
    static let texts = ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"]

    /// Creates the tables as Core Data does.
    ///
    /// - Parameter tombstones: The greatest number of attributes of an entity that are preserved on deletion.
    func create(tombstones: Int) throws {
        let preserved = (0..<tombstones).map { ", ZTOMBSTONE\($0) BLOB" }.joined()
        let statements =
            [
                "CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER, "
                    + "ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB\(preserved) )",
                "CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, "
                    + "ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, "
                    + "ZCONTEXTNAME VARCHAR, ZPROCESSID VARCHAR, ZQUERYGEN BLOB )",
                "CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR )",
                "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
            ] + CoreDataHistoryTables.texts.map { "CREATE INDEX ATRANSACTION_\($0)TS_INDEX ON ATRANSACTION (\($0)TS)" } + [
                "CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
                "CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
                "CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
            ]
        for statement in statements { try connection.prepare(statement).run(operation) }
        for number in [Number.change, .transaction, .string] { try note(0, of: number) }
    }

    /// Replaces the tables, whatever another program made of them; the next transaction has a number after a mark's.
    func replace(by mark: HistoryRecord, tombstones: Int) throws {
        for table in [Number.change, .transaction, .string].map(\.table) {
            try connection.prepare(SQLText("DROP TABLE IF EXISTS \(identifier: table)").text).run(operation)
        }
        try create(tombstones: tombstones)
        try note(mark.number, of: .transaction)
    }

    // MARK: - Keys

    /// Returns the greatest key of a table; no key is used twice.
    func lastKey(_ number: Number) throws -> Int64 {
        let noted = try connection.integer("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number: number.rawValue)", operation) ?? 0
        return max(noted, try connection.integer("SELECT max(Z_PK) FROM \(identifier: number.table)", operation) ?? 0)
    }

    /// Notes the greatest key of a table, so that it is not used again once its row is deleted.
    func note(_ key: Int64, of number: Number) throws {
        let name = number.table.dropFirst()
        let statement = try connection.statement(
            """
            INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(number.rawValue), '\(name)', 0, ?1) \
            ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = max(ifnull(Z_MAX, 0), ?1)
            """)
        statement.bind(key, at: 1)
        try statement.run(operation)
    }

    /// Returns the key of a text in the table of shared texts.
    private func key(of text: String) throws -> Int64 {
        if let known = try connection.integer("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = \(bind: .text(text))", operation) {
            return known
        }
        let key = try followingKey(.string)
        try connection.execute(
            "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (\(bind: .integer(key)), 16003, \(bind: .text(text)))", operation)
        try note(key, of: .string)
        return key
    }

    private func followingKey(_ number: Number) throws -> Int64 {
        let (next, overflow) = try lastKey(number).addingReportingOverflow(1)
        if overflow { throw StoreError(.tooLarge, operation, "the history has no number left for a transaction", path: connection.path) }
        return next
    }

    // MARK: - Transactions

    /// Adds a transaction without changes, and returns its number: the record's own, or the next one.
    func add(_ record: HistoryRecord, by origin: HistoryOrigin, _ columns: Set<String>) throws -> Int64 {
        let number = try record.number(after: lastKey(.transaction), path: connection.path)
        try note(number, of: .transaction)
        let process = origin.processName ?? ProcessInfo.processInfo.processName
        var values: [(String, SQLBinding)] = [
            ("Z_PK", .integer(number)), ("Z_ENT", .integer(Int64(Number.transaction.rawValue))), ("ZTIMESTAMP", .double(record.time)),
        ]
        for (name, text) in zip(CoreDataHistoryTables.texts, [origin.author, origin.bundleID ?? process, origin.contextName, process]) {
            guard let text else { continue }
            // The first versions stored the texts in the row itself.
            if columns.contains(name + "TS") {
                values.append((name + "TS", .integer(try key(of: text))))
            } else {
                values.append((name, .text(text)))
            }
        }
        let statement = try connection.statement(
            "INSERT INTO ATRANSACTION (\(identifiers: values.map(\.0))) VALUES (\(values.map { SQLText("\(bind: $1)") }))" as SQLText)
        defer { statement.clear() }
        try statement.run(operation)
        return number
    }

    /// Deletes the transactions up to a number.
    func delete(through number: Int64) throws {
        try note(number, of: .transaction)
        for (table, column) in [("ACHANGE", "ZTRANSACTIONID"), ("ATRANSACTION", "Z_PK")] {
            let statement = try connection.statement("DELETE FROM \(table) WHERE \(column) <= ?1")
            statement.bind(number, at: 1)
            try statement.run(operation)
        }
    }
}

/// The columns of the tables, which differ with the version of Core Data and with the model.
struct CoreDataHistoryColumns: Sendable {
    /// The names of those of `ATRANSACTION`.
    let transaction: Set<String>
    /// The number of those for preserved values.
    let tombstones: Int

    init(_ connection: Connection) throws {
        func names(_ table: String) throws -> Set<String> {
            Set(try connection.texts("SELECT name FROM pragma_table_info(\(bind: .text(table)))", columns: 1, .fetch).map { $0[0] })
        }
        transaction = try names("ATRANSACTION")
        let change = try names("ACHANGE")
        tombstones = (0...).first { !change.contains("ZTOMBSTONE\($0)") } ?? 0
    }
}
