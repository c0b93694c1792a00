import StrataSQL

/// Rebuilds the tables of a store within a transaction, filled with the objects of another model.
struct TableRebuilding {
    let transaction: SQLiteTransaction
    let migration: StoreMigration
    let writer: SchemaWriter

    private var store: SQLiteStore { transaction.store }
    private var connection: Connection { transaction.connection }

    /// - Returns: The transaction that wrote the new rows, and has to end with this one because of its external files.
    func run() throws -> SQLiteTransaction {
        for (root, table) in store.schema.tables.sortedByKey() {
            try store.orphans.look(in: table, connection)
            guard store.orphans.areIn(table) else { continue }
            // A row that would be left behind.
            let orphan = try connection.prepare(OrphanRows.list(table, limit: 1).text)
            let number = try orphan.step(.migrate) ? orphan.integer(1) : 0
            throw table.orphanError(number, path: store.path, entity: store.model.entities[root].name)
        }
        let companions = try TableCompanions(connection, store, migration, writer)
        try companions.setAside()
        // Views of other programs are not rewritten for the renamed tables. The setting belongs to the connection, which is used further.
        try connection.execute("PRAGMA legacy_alter_table = ON", .migrate)
        defer { try? connection.execute("PRAGMA legacy_alter_table = OFF", .migrate) }
        let old = try setAside()
        for table in writer.tables { try connection.execute(table.sql, .migrate) }
        try companions.restoreLocationIndexes()
        try writer.replaceKeys(of: store.schema, for: migration, connection)
        let new = SQLiteTransaction(store.with(writer.schema, migration.model), connection, isPart: true)
        do {
            try migration.forEachBatch(of: SQLiteReader(store.with(old, store.model), connection, isReading: true)) { changes in
                try migration.requireNone(try new.apply(changes), path: store.path)
            }
            for table in old.tables.values.map(\.name) + old.joins.compactMap({ $0?.name }) {
                try connection.execute(SQLText.drop(table: table), .migrate)
            }
            try writer.makeIndexes(keeping: companions.keptIndexes, insteadOf: companions.old, for: migration, connection)
            try companions.restoreOthers()
        } catch {
            new.rollback()
            throw error
        }
        return new
    }

    /// Renames the tables, to free their names.
    private func setAside() throws -> StoreSchema {
        var schema = store.schema
        var count = 0
        func rename(_ name: String) throws -> String {
            count += 1
            let aside = "ZSTRATA_OLD_" + String(count)
            try connection.execute(SQLText.rename(name, to: aside), .migrate)
            return aside
        }
        for root in schema.tables.keys.sorted() {
            if let name = schema.tables[root]?.name { schema.tables[root]?.name = try rename(name) }
        }
        for index in schema.joins.indices {
            if let name = schema.joins[index]?.name { schema.joins[index]?.name = try rename(name) }
        }
        return schema
    }
}

extension SQLiteStore {
    /// Returns the same store with other tables, for work within a transaction.
    func with(_ schema: StoreSchema, _ model: ManagedObjectModel) -> SQLiteStore {
        var description = StoreDescription(SQLiteDriver(), path: filePath)
        description.options = options
        let path = filePath
        return SQLiteStore(
            path: path, Content(description: description, model: model, schema: schema, storeID: id, orphans: orphans), writer: nil,
            pool: ConnectionPool(path, options) { throw StoreError(.closed, .migrate, "the store was closed", path: path) })
    }
}
