import CStrataSQLite
import StrataSQL

/// Migrates tables in place where only names and columns change: rows stay where they are.
struct TableAltering {
    private let transaction: SQLiteTransaction
    private let migration: StoreMigration
    private let writer: SchemaWriter
    /// The schema of the store's own version.
    private let old: SchemaWriter
    private let tables: SchemaDiff

    private var connection: Connection { transaction.connection }

    /// - Returns: `nil` where rows have to be rewritten.
    init?(_ transaction: SQLiteTransaction, _ migration: StoreMigration, _ writer: SchemaWriter) {
        guard let tables = SchemaDiff(migration, from: transaction.store.schema, to: writer.schema),
            (try? TableAltering.clausesFit(tables, transaction.connection)) == true
        else { return nil }
        self.transaction = transaction
        self.migration = migration
        self.writer = writer
        let store = transaction.store
        old = SchemaWriter(store.model, configuration: store.configuration, namesPaths: store.schema.namesPaths)
        self.tables = tables
    }

    func run() throws {
        for (table, entities) in tables.refused { try refuseObjects(of: entities, in: table) }
        let kept = try dropIndexes()
        let dropped = tables.droppedTables.map(\.name) + tables.droppedJoins.map(\.name)
        try requireNoTriggers(of: Set(dropped.map { $0.uppercased() }))
        for name in dropped { try connection.execute(SQLText.drop(table: name), .migrate) }
        try rename(tables.tables.map { ($0.old.name, $0.new.name) } + tables.joins.map { ($0.old.name, $0.new.name) })
        for table in tables.tables {
            let filled = try changeColumns(of: table)
            try renumber(table)
            for fill in table.defaults where !filled.contains(fill.column) { try run(fill, table.new.name) }
        }
        for (old, new) in tables.joins {
            try rename(zip(old.columns, new.columns).map { ($0, $1) }, columnsOf: new.name)
        }
        for name in tables.newTables.map(\.name) + tables.newJoins.map(\.name) {
            if let statement = writer.table(name) { try connection.execute(statement, .migrate) }
        }
        try writer.replaceKeys(of: transaction.store.schema, for: migration, connection)
        try writer.makeIndexes(keeping: kept, insteadOf: old, for: migration, connection)
    }

    // MARK: - Indexes

    /// Drops the indexes that the new model does not have in the same form, and those over removed columns.
    ///
    /// - Returns: The names of those that stay and are the new model's, too.
    private func dropIndexes() throws -> Set<String> {
        let wanted = Dictionary(writer.indexes.map { ($0.name, $0.sql.text) }) { first, _ in first }
        let own = Set(
            old.indexes.map(\.name)
                // Either side may name a join table, and its index.
                + tables.joins.flatMap { join in [join.old.first, join.old.second].map { join.old.name + "_" + $0 + "_INDEX" } })
        let dropped = Set(tables.tables.flatMap { table in table.dropped.map { $0.name.uppercased() } })
        let indexes: SQLText = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        var kept: Set<String> = []
        for index in try connection.texts(indexes, columns: 2, .migrate) {
            let (name, sql) = (index[0], index[1])
            let words = SQLWords.of(sql)
            let losesColumn = words.contains { dropped.contains($0) }
            // Indexes of other programs stay where possible.
            if sql == wanted[name] || TableCompanions.isBeyond(old, sql) && !losesColumn {
                kept.insert(name)
            } else if wanted[name] != nil || own.contains(name) || losesColumn {
                try connection.execute("DROP INDEX \(identifier: name)", .migrate)
            }
        }
        return kept
    }

    /// Checks that no trigger of a table that stays writes to one that is dropped: every change would fail then.
    ///
    /// - Throws: An error as SQLite's for a table that a trigger names, after which the tables are rebuilt.
    private func requireNoTriggers(of dropped: Set<String>) throws {
        if dropped.isEmpty { return }
        let triggers: SQLText = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'"
        for trigger in try connection.texts(triggers, columns: 3, .migrate) where !dropped.contains(trigger[1].uppercased()) {
            guard SQLWords.of(trigger[2]).contains(where: { dropped.contains($0) }) else { continue }
            let failure = SQLiteFailure(code: SQLITE_ERROR, message: "the trigger \(trigger[0]) names a table that goes")
            throw StoreError(.migration, .migrate, failure.message, path: connection.path, underlying: failure)
        }
    }

    // MARK: - Tables and columns

    /// Renames tables, or columns of one; a new name may be that of another one that is renamed, too.
    private func rename(_ names: [(old: String, new: String)], columnsOf table: String? = nil) throws {
        for (old, new) in SchemaDiff.renaming(names, through: { "ZSTRATA_OLD_" + String($0) }) {
            let column = table.map { SQLText("ALTER TABLE \(table: $0) RENAME COLUMN \(identifier: old) TO \(identifier: new)") }
            try connection.execute(column ?? .rename(old, to: new), .migrate)
        }
    }

    /// - Returns: The names of the new columns whose values all rows have already.
    private func changeColumns(of table: SchemaDiff.Table) throws -> Set<String> {
        let name = table.new.name
        var filled: Set<String> = []
        for column in table.dropped {
            try connection.execute("ALTER TABLE \(identifier: name) DROP COLUMN \(identifier: column.name)", .migrate)
        }
        try rename(table.kept.map { ($0.old.name, $0.new.name) }, columnsOf: name)
        for column in table.added {
            var sql = SQLText("ALTER TABLE \(identifier: name) ADD COLUMN \(declaring: column)")
            let value = TableAltering.defaultClause(of: column, in: table)
            if let value { sql.add(" DEFAULT \(literal: value)") }
            try connection.execute(sql, .migrate)
            if let value, try holds(value, column, name) { filled.insert(column.name) }
        }
        return filled
    }

    // MARK: - Rows

    private func renumber(_ table: SchemaDiff.Table) throws {
        for (column, numbers) in [("Z_ENT", table.numbers)] + table.numberColumns.map({ ($0.name, $0.numbers) }) {
            let changed = numbers.filter { $0.key != $0.value }.sortedByKey()
            if changed.isEmpty { continue }
            // UPDATE ZPET SET Z_ENT = CASE Z_ENT WHEN 2 THEN 3 WHEN 3 THEN 4 END WHERE Z_ENT IN (2, 3)
            var sql = SQLText("UPDATE \(identifier: table.new.name) SET \(identifier: column) = CASE \(identifier: column)")
            for (old, new) in changed { sql.add(" WHEN \(number: old) THEN \(number: new)") }
            sql.add(" END WHERE \(identifier: column) IN (\(numbers: changed.map(\.key)))")
            try connection.execute(sql, .migrate)
        }
    }

    private func run(_ fill: ColumnDefault, _ table: String) throws {
        if let value = fill.value.flatMap(SQLBinding.init(filling:)) {
            try connection.execute(fill.update(table, to: "\(bind: value)"), .migrate)
        }
        guard fill.isRequired else { return }
        if let reference = try connection.integer(fill.missingRow(in: table), .migrate) {
            throw fill.refusal(reference, path: connection.path)
        }
    }

    private func refuseObjects(
        of entities: [Int: (target: EntityDescription, reason: String)], in table: EntityTable
    ) throws {
        let statement = try connection.prepare(SchemaDiff.refusedRow(of: entities.keys, in: table).text)
        guard try statement.step(.migrate), let found = entities[Int(statement.integer(1))] else { return }
        throw StoreError(migrating: found.reason, statement.integer(0), found.target.name, path: connection.path)
    }
}

extension SQLText {
    static func drop(table: String) -> SQLText { SQLText("DROP TABLE \(identifier: table)") }
    static func rename(_ table: String, to name: String) -> SQLText {
        SQLText("ALTER TABLE \(identifier: table) RENAME TO \(identifier: name)")
    }
}

/// `DEFAULT` clauses of new columns, which give all existing rows a value without a write to any.
///
/// Rows are inserted with the columns of their entity only, so that a clause requires that every entity of the table has the column.
extension TableAltering {
    /// Returns the value of a clause for all rows of a table; `nil` where the rows have to be updated.
    private static func defaultClause(of column: Column, in table: SchemaDiff.Table) -> SQLBinding? {
        guard let value = table.commonValue(of: column).flatMap(SQLBinding.init(filling:)), isLiteral(value) else { return nil }
        return isOfAll(column, table.new) ? value : nil
    }

    /// Whether the rows of a table read back the value of a new column: a number may lose its last digit in the clause's text.
    private func holds(_ value: SQLBinding, _ column: Column, _ table: String) throws -> Bool {
        try connection.integer("SELECT \(identifier: column.name) IS \(bind: value) FROM \(table: table) LIMIT 1", .migrate) != 0
    }

    /// Whether all columns with a clause still belong to every entity of their table.
    private static func clausesFit(_ tables: SchemaDiff, _ connection: Connection) throws -> Bool {
        for table in tables.tables {
            let partial = table.kept.filter { !isOfAll($0.new, table.new) }.map(\.old.name)
            if partial.isEmpty { continue }
            let sql: SQLText = "SELECT name FROM pragma_table_info(\(bind: .text(table.old.name))) WHERE dflt_value IS NOT NULL"
            if try connection.texts(sql, columns: 1, .migrate).contains(where: { partial.contains($0[0]) }) { return false }
        }
        return true
    }

    private static func isOfAll(_ column: Column, _ table: EntityTable) -> Bool {
        table.hierarchy.allSatisfy { index in table.columns(of: index).contains { table.columns[$0].name == column.name } }
    }

    private static func isLiteral(_ value: SQLBinding) -> Bool {
        switch value {
        case .integer, .double: true
        case .text(let text): !text.utf8.contains(0)
        default: false
        }
    }
}
