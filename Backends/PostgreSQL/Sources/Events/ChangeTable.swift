import StrataSQL

/// The log of a store: what each of the latest transactions changed.
///
/// Rows are ordered by nothing but snapshots of the server: transactions commit in another order than they get their numbers in.
struct ChangeTable {
    let schema: String

    /// How many of the latest rows are kept, about.
    static let mostRows = 50_000
    private static let pruned = "pruned"

    var name: QualifiedName { QualifiedName(schema: schema, name: StoreTables.changes) }

    /// The index is not unique: a server that a dump was restored to counts transactions from another number.
    var creation: SQLText {
        """
        CREATE TABLE \(name) (transaction xid8 NOT NULL DEFAULT pg_catalog.pg_current_xact_id(), \
        committed timestamptz NOT NULL DEFAULT pg_catalog.now(), writer text NOT NULL, save text NOT NULL, author text, \
        context text, kind text NOT NULL, relation text NOT NULL, refs bigint[]); \
        CREATE INDEX \(identifier: StoreTables.changes + "_pkey") ON \(name) (transaction); 
        """
    }

    // MARK: - Writing

    /// What adds the entries of a transaction, sent together with its end, and fails where it does not: the log costs no round trip.
    ///
    /// - Parameter save: Names the transaction, should its outcome have to be asked for.
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

    /// What removes all but the latest entries, and leaves a mark where they were.
    var pruning: SQLText {
        // What a dump brought along from another server's count would seem to be to come.
        """
        WITH gone AS (DELETE FROM \(name) WHERE transaction < (SELECT transaction FROM \(name) ORDER BY transaction DESC \
        OFFSET \(number: ChangeTable.mostRows) LIMIT 1) OR transaction >= pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) \
        RETURNING transaction) INSERT INTO \(name) (transaction, writer, save, kind, relation) \
        SELECT transaction, '', '', \(literal: ChangeTable.pruned), '' FROM gone \
        WHERE transaction < pg_catalog.pg_snapshot_xmax(pg_catalog.pg_current_snapshot()) ORDER BY transaction DESC LIMIT 1
        """
    }

    // MARK: - Reading

    /// The server's snapshot, which is the position; a standby cannot tell which transactions are under way.
    func position(_ scope: some StatementRunner) throws -> LogPosition? {
        let sql = SQLText(
            "SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_current_snapshot()::text END")
        return try scope.execute(sql, .refresh).text(0, 0).map { LogPosition($0) }
    }

    /// What is visible now and was not in a snapshot; `nil` where some of it may have been pruned.
    func changes(since position: LogPosition, _ schema: StoreSchema, _ scope: some StatementRunner) throws -> LoggedChanges? {
        let sql: SQLText = "SELECT kind, relation, pg_catalog.unnest(COALESCE(refs, '{NULL}')) FROM \(name)\(ChangeTable.since(position))"
        let result = try scope.execute(sql, .refresh)
        let roots = Dictionary(schema.tables.values.map { ($0.name.name, $0.root) }) { first, _ in first }
        let links = Dictionary(schema.joins.enumerated().compactMap { index, join in join.map { ($0.name.name, index) } }) { $1 }
        var references: [EntityIndex: [Int64]] = [:]
        var changes = LoggedChanges()
        for row in 0..<result.count {
            guard let kind = result.text(row, 0), kind != ChangeTable.pruned, let table = result.text(row, 1) else { return nil }
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

    /// What asks whether another than a writer committed something since a snapshot, and takes the next snapshot.
    func news(since position: LogPosition, of writer: String) -> SQLText {
        """
        SELECT pg_catalog.pg_current_snapshot()::text, \
        EXISTS (SELECT FROM \(name)\(ChangeTable.since(position)) AND writer <> \(bind: .text(writer)))
        """
    }

    /// What asks whether a save is in the log.
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

/// What a transaction changed, as the store's log keeps it.
struct TransactionLog {
    /// The changes of objects, or of links.
    enum Kind: String, CaseIterable {
        case insert, update, delete, link, metadata
    }

    struct Entry {
        let kind: Kind
        /// The name of the table that was written.
        let table: String
        /// The objects; `nil` where there are too many to name, or none.
        var references: [Int64]?
    }

    private(set) var entries: [Entry] = []
    private static let mostReferences = 1_000

    /// Takes note of objects of a table.
    mutating func note(_ kind: Kind, _ table: EntityTable, _ references: some Sequence<Int64>) {
        let references = Array(references)
        if !references.isEmpty { note(kind, table.name.name, references) }
    }

    mutating func note(linksOf table: JoinTable) { note(.link, table.name.name, nil) }

    mutating func noteMetadata() { note(.metadata, StoreTables.metadata, nil) }

    private mutating func note(_ kind: Kind, _ table: String, _ references: [Int64]?) {
        let index = entries.firstIndex { $0.kind == kind && $0.table == table } ?? entries.count
        if index == entries.count { entries.append(Entry(kind: kind, table: table, references: [])) }
        let known = entries[index].references
        entries[index].references = references.flatMap { new in known.map { $0 + new } }
        if let count = entries[index].references?.count, count > TransactionLog.mostReferences { entries[index].references = nil }
    }
}
