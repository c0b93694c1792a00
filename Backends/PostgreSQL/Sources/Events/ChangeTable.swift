import StrataSQL

/// The log of a store: the changes of each of the latest transactions.
///
/// Only snapshots of the server order its rows: transactions commit in another order than that of their IDs.
struct ChangeTable {
    let schema: String

    /// The approximate number of rows kept.
    static let mostRows = 50_000
    private static let pruned = "pruned"
    /// The kind of a transaction whose record was deleted from the history.
    static let purged = "purged"

    var name: QualifiedName { QualifiedName(schema: schema, name: StoreTables.changes) }

    /// The index is not unique: a server to which a dump was restored assigns transaction IDs from another start.
    var creation: SQLText {
        """
        CREATE TABLE \(name) (transaction xid8 NOT NULL DEFAULT pg_catalog.pg_current_xact_id(), \
        committed timestamptz NOT NULL DEFAULT pg_catalog.now(), writer text NOT NULL, save text NOT NULL, author text, \
        context text, kind text NOT NULL, relation text NOT NULL, refs bigint[]); \
        CREATE INDEX \(identifier: StoreTables.changes + "_pkey") ON \(name) (transaction); 
        """
    }

    // MARK: - Writing

    /// Returns the statement that adds a transaction's entries, which is sent with the commit and fails with it: the log costs no round
    /// trip.
    ///
    /// - Parameter save: Identifies the transaction, to query its outcome.
    func insertion(_ log: TransactionLog, writer: String, save: String, _ origin: TransactionOrigin) -> SQLText {
        let rows = log.entries.map { entry -> SQLText in
            let texts = [writer, save, origin.author, origin.contextName, entry.kind.rawValue, entry.table].map { text -> SQLText in
                text.map { "\(bind: .text(storable: $0))" } ?? "NULL"
            }
            return "(\(texts + [entry.references.map { "\(bind: ArrayValues($0).parameter)" } ?? "NULL"]))"
        }
        let columns: SQLText = "writer, save, author, context, kind, relation, refs"
        return "WITH done AS (INSERT INTO \(name) (\(columns)) VALUES \(rows)\(SQLText.requiring(log.entries.count))"
    }

    /// The statement that deletes all but the latest entries, and marks the gap.
    var pruning: SQLText {
        // Transaction IDs of a restored dump may be greater than all of this server.
        """
        WITH gone AS (DELETE FROM \(name) WHERE (transaction < (SELECT transaction FROM \(name) ORDER BY transaction DESC \
        OFFSET \(number: ChangeTable.mostRows) LIMIT 1) OR transaction >= pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot())) \
        AND NOT \(ExternalTrigger.isPending) RETURNING transaction) INSERT INTO \(name) (transaction, writer, save, kind, relation) \
        SELECT transaction, '', '', \(literal: ChangeTable.pruned), '' FROM gone \
        WHERE transaction < pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) ORDER BY transaction DESC LIMIT 1
        """
    }

    // MARK: - Reading

    /// Returns the server's snapshot, as the position; `nil` on a standby, which does not know the running transactions.
    func position(_ scope: some StatementRunner) throws -> LogPosition? {
        let sql = SQLText(
            "SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_current_snapshot()::text END")
        return try scope.execute(sql, .refresh).text(0, 0).map { LogPosition($0) }
    }

    /// Returns the changes that are visible now and were not in a snapshot; `nil` where some of them may have been pruned.
    func changes(since position: LogPosition, _ schema: StoreSchema, _ scope: some StatementRunner) throws -> LoggedChanges? {
        let sql: SQLText = "SELECT kind, relation, pg_catalog.unnest(COALESCE(refs, '{NULL}')) FROM \(name)\(ChangeTable.since(position))"
        let result = try scope.execute(sql, .refresh)
        let roots = Dictionary(schema.tables.values.map { ($0.name.name, $0.root) }) { first, _ in first }
        let links = Dictionary(schema.joins.enumerated().compactMap { index, join in join.map { ($0.name.name, index) } }) { $1 }
        var references: [EntityIndex: [Int64]] = [:]
        var changes = LoggedChanges()
        for row in 0..<result.count {
            guard let kind = result.text(row, 0), kind != ChangeTable.pruned, kind != ChangeTable.purged, let table = result.text(row, 1)
            else { return nil }
            if let link = links[table] { changes.add(linkTable: link) }
            guard let root = roots[table] else { continue }
            if let reference = result.integer(row, 2) {
                references[root, default: []].append(reference)
            } else {
                changes.add(nil, root: root)
            }
        }
        for (root, references) in references { changes.add(references, root: root) }
        return changes
    }

    /// Returns the query whether other writers committed since a snapshot, which also returns the next snapshot, and whether the store
    /// has a history.
    func news(since position: LogPosition, of writer: String) -> SQLText {
        """
        SELECT pg_catalog.pg_current_snapshot()::text, \
        EXISTS (SELECT FROM \(name)\(ChangeTable.since(position)) AND writer <> \(bind: .text(writer))), \
        \(HistoryTable(schema: schema).isReadable)
        """
    }

    /// Returns the query whether the log has a save.
    func isCommitted(_ save: String) -> SQLText { SQLText("SELECT count(*) FROM \(name) WHERE save = \(bind: .text(save))") }

    /// ` WHERE transaction >= … AND transaction < … AND (kind = 'pruned' OR NOT pg_visible_in_snapshot(transaction, $1))`.
    private static func since(_ position: LogPosition) -> SQLText {
        let snapshot: SQLText = "\(bind: .text(position.rawValue))::pg_catalog.pg_snapshot"
        return """
             WHERE transaction >= pg_catalog.pg_snapshot_xmin(\(snapshot)) \
            AND transaction < pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) \
            AND (kind = \(literal: pruned) OR NOT pg_catalog.pg_visible_in_snapshot(transaction, \(snapshot)))
            """
    }
}

/// The changes of a transaction, for the store's log.
struct TransactionLog {
    /// The kind of change: of objects, or of links.
    enum Kind: String, CaseIterable {
        case insert, update, delete, link, metadata
    }

    struct Entry {
        let kind: Kind
        /// The name of the changed table.
        let table: String
        /// The references of the objects; `nil` where there are too many to list, or none.
        var references: [Int64]?
    }

    private(set) var entries: [Entry] = []
    private static let mostReferences = 1_000

    /// Records changed objects of a table.
    mutating func note(_ kind: Kind, _ table: EntityTable, _ references: some Sequence<Int64>) {
        let references = Array(references)
        if !references.isEmpty { note(kind, table.name.name, references) }
    }

    mutating func note(linksOf table: JoinTable) { note(.link, table.name.name, nil) }

    /// The names of the changed tables of links.
    var linkTables: [String] { entries.filter { $0.kind == .link }.map(\.table) }

    mutating func noteMetadata() { note(.metadata, StoreTables.metadata, nil) }

    private mutating func note(_ kind: Kind, _ table: String, _ references: [Int64]?) {
        let index = entries.firstIndex { $0.kind == kind && $0.table == table } ?? entries.count
        if index == entries.count { entries.append(Entry(kind: kind, table: table, references: [])) }
        let known = entries[index].references
        entries[index].references = references.flatMap { new in known.map { $0 + new } }
        if let count = entries[index].references?.count, count > TransactionLog.mostReferences { entries[index].references = nil }
    }
}
