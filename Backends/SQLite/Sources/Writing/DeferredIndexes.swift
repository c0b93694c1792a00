import CStrataSQLite
import StrataSQL

/// Drops the indexes of tables that a transaction fills, and creates them again after the rows.
///
/// One sort over all rows costs a fraction of an insertion into the index for each, and leaves full pages instead of
/// half-full ones. Both are parts of the transaction, so that no reader sees a table without its indexes. Unique
/// indexes stay.
struct DeferredIndexes {
    /// The minimum number of new rows.
    private static let fewestRows = 1_000

    private let connection: Connection
    /// The statements that create the dropped indexes again.
    private var dropped: [SQLText] = []
    /// Whether any index was dropped, which changes the schema.
    private(set) var haveChanged = false

    init(_ connection: Connection) { self.connection = connection }

    /// Drops the indexes of tables that get most of their rows from changes.
    mutating func drop(before changes: ChangeSet, _ store: SQLiteStore) throws {
        if changes.inserted.count >= DeferredIndexes.fewestRows {
            var counts: [EntityIndex: Int] = [:]
            for row in changes.inserted { counts[row.entityIndex, default: 0] += 1 }
            // By table: an entity hierarchy has one.
            let entities = counts.keys.filter { store.model.entities.typedIndices().contains($0) }
            for (root, entities) in Dictionary(grouping: entities, by: { store.model.entities[$0].root }) {
                guard let table = store.schema.tables[root] else { continue }
                try drop(of: table.name, before: entities.reduce(0) { $0 + counts[$1, default: 0] })
            }
        }
        if changes.links.count >= DeferredIndexes.fewestRows {
            var counts: [Int: Int] = [:]
            for change in changes.links where change.kind == .put { counts[change.table, default: 0] += 1 }
            for (table, count) in counts where store.schema.joins.indices.contains(table) {
                if let join = store.schema.joins[table] { try drop(of: join.name, before: count) }
            }
        }
    }

    /// Drops a table's indexes if most of its rows are still to be inserted.
    mutating func drop(of table: String, before count: Int) throws {
        guard count >= DeferredIndexes.fewestRows, try mayDrop(), try !has(moreThan: count, table) else { return }
        for (name, creation) in try indexes(of: table) {
            let statement = try connection.prepare(SQLText("DROP INDEX \(identifier: name)").text)
            let code = statement.attempt()
            // A statement still reads through the connection.
            if code & 0xFF == SQLITE_LOCKED { return }
            guard code == SQLITE_DONE else { throw connection.error(code, .save) }
            dropped.append(creation)
            haveChanged = true
        }
    }

    /// Creates the indexes again.
    mutating func restore() throws {
        while let creation = dropped.last {
            try connection.execute(creation, .save)
            dropped.removeLast()
        }
    }

    /// Whether nothing depends on an index during the insertions, or is lost with it: triggers, which may search the
    /// tables, and the statistics of ANALYZE.
    private func mayDrop() throws -> Bool {
        guard let triggers = connection.triggers, triggers.tables.isEmpty else { return false }
        return try connection.integer("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'", .save) == nil
    }

    /// Whether a table has more than a number of rows.
    private func has(moreThan count: Int, _ table: String) throws -> Bool {
        let limit = SQLBinding.integer(Int64(count) + 1)
        return try connection.integer("SELECT count(*) FROM (SELECT 1 FROM \(identifier: table) LIMIT \(bind: limit))", .save) ?? 0 > count
    }

    private func indexes(of table: String) throws -> [(name: String, creation: SQLText)] {
        let statement = try connection.statement(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1 COLLATE NOCASE AND sql LIKE 'CREATE INDEX %'")
        try statement.bind([.text(table)])
        defer { statement.clear() }
        var indexes: [(name: String, creation: SQLText)] = []
        while try statement.step(.save) {
            if let name = statement.text(0), let sql = statement.text(1) { indexes.append((name, SQLText(verbatim: sql))) }
        }
        return indexes
    }
}
