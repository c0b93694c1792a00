import StrataSQL

extension PostgreSQLTransaction {
    /// Copies the whole store into new tables in a temporary schema, which replace the old ones once they are filled.
    func writeAnew(_ migration: StoreMigration) throws {
        let temporary = "strata_migration_" + UUID().uuidString.lowercased()
        try connection.run(SQLText("CREATE SCHEMA \(identifier: temporary)"), .migrate)
        let filling = StoreFilling(
            schema: temporary, model: migration.model, configuration: migration.configuration, metadata: migration.metadata,
            generation: store.starter.identity.generation + 1, foreignKeys: store.layout.hasForeignKeys, operation: .migrate)
        let writer = try filling.makeTables(connection)
        try filling.makeIndexes(writer, connection)
        let transaction = try filling.transaction(writer, store.location, connection)
        let reader = PostgreSQLReader(store, connection)
        try migration.forEachBatch(of: reader) { try migration.requireNone(try transaction.apply($0), path: nil) }
        // References that a sequence generated and no row used count, too.
        let last = try store.schema.tables.values.map { try reader.lastReference($0) }.max() ?? 0
        for table in writer.schema.tables.values {
            let greatest = max(last, migration.lastReferences[table.root] ?? 0)
            if greatest > 0 { try transaction.references.note(greatest, table, connection) }
        }
        transaction.leave()
        try connection.run(SQLText("SET CONSTRAINTS ALL IMMEDIATE"), .migrate)
        try replaceTables(writer, from: temporary)
    }

    private func replaceTables(_ writer: SchemaWriter, from temporary: String) throws {
        // Readers have snapshots that do not show the content of the new tables.
        try connection.run(store.metadataTable.closing, .migrate)
        try store.metadataTable.dropTables(of: store.schema.catalog, connection, .migrate)
        // Decisions for other stores are queried later, too, and the history goes on; an older store may have no table for it.
        let kept = [StoreTables.prepared, StoreTables.history]
        let dropped = StoreTables.all.map { name -> SQLText in
            "DROP TABLE IF EXISTS \(QualifiedName(schema: kept.contains(name) ? temporary : schema.name, name: name)); "
        }
        let tables = writer.schema.tables.values.map(\.name.name) + writer.schema.joins.compactMap { $0?.name.name }
        let moved = (tables + StoreTables.all).filter { !kept.contains($0) }.sorted().map { name -> SQLText in
            "ALTER TABLE \(QualifiedName(schema: temporary, name: name)) SET SCHEMA \(identifier: schema.name); "
        }
        try connection.run("\(dropped + moved, separator: "")DROP SCHEMA \(identifier: temporary)", .migrate)
    }
}
