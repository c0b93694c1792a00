import StrataSQL

/// Migrates tables in place where only names, columns and tables change: rows stay where they are.
struct TableAltering {
    private let store: PostgreSQLStore
    private let migration: StoreMigration
    private let connection: Connection
    let writer: SchemaWriter
    let tables: SchemaDiff
    let indexes: IndexAltering

    /// - Returns: `nil` where rows have to be rewritten.
    init?(_ store: PostgreSQLStore, _ migration: StoreMigration, _ connection: Connection) throws {
        guard let routes = migration.routes else { return nil }
        writer = try SchemaWriter(
            migration.model, configuration: migration.configuration, in: store.schema.name,
            numbers: TableAltering.numbers(routes, store.schema.catalog))
        guard let tables = SchemaDiff(migration, from: store.schema, to: writer.schema) else { return nil }
        self.store = store
        self.migration = migration
        self.connection = connection
        self.tables = tables
        indexes = IndexAltering(tables, from: SchemaWriter(store.model, store.schema), to: writer)
    }

    /// Returns the numbers of the entities that stay: no row gets another one.
    private static func numbers(_ routes: MigrationRoutes, _ catalog: Catalog) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for entity in routes.source.entities {
            if let target = routes.target(of: entity.index) { numbers[target.name] = catalog.numbers[entity.name] }
        }
        return numbers
    }

    func run() throws {
        for (table, entities) in tables.refused { try refuseObjects(of: entities, in: table) }
        // Readers hold locks on the columns as they were when they began.
        try connection.run(store.metadataTable.closing, .migrate)
        let names = store.schema.tables.values.map(\.name.name) + store.schema.joins.compactMap { $0?.name.name }
        try connection.run([connection.removalOfForeignKeys(of: names, in: store.schema.name), changes], .migrate)
        for table in tables.tables {
            for fill in table.defaults { try run(fill, table) }
        }
        // A table cannot be altered while deferred constraints have pending checks of it.
        try connection.run(SQLText("SET CONSTRAINTS ALL IMMEDIATE"), .migrate)
        try connection.run(tables.newTables.map(writer.creation) + tables.newJoins.map(writer.creation), .migrate)
        for index in indexes.added {
            try requireUnique(index)
            try connection.run(index.creation(isForLongKeys: try index.hasLongKeys(connection, .migrate)), .migrate)
        }
        // Each in its own message: a statement timeout is meant for one key.
        if store.layout.hasForeignKeys { for key in writer.foreignKeys(overRows: true) { try connection.run(key, .migrate) } }
        for (root, greatest) in migration.lastReferences where greatest > 0 {
            if let table = writer.schema.tables[root] { try TransactionReferences(store).note(greatest, table, connection) }
        }
        try store.metadataTable.replace(
            with: migration.metadata, writer.schema.catalog, connection, generation: store.starter.identity.generation + 1, .migrate)
    }

    // MARK: - Rows

    private func run(_ fill: ColumnDefault, _ table: SchemaDiff.Table) throws {
        guard let column = table.new.columns.first(where: { $0.name == fill.column }) else { return }
        if let value = fill.value, fill.isForMissing || table.commonValue(of: column) == nil {
            try connection.run(fill.update(table.new.name, to: "\(literal: value, column.kind)"), .migrate)
        }
        guard fill.isRequired else { return }
        let found = try connection.execute(fill.missingRow(in: table.new.name), .migrate)
        if found.count > 0, let reference = found.integer(0, 0) { throw fill.refusal(reference) }
    }

    /// - Throws: `StoreError` with `constraint` where two rows have equal values that are to be unique.
    private func requireUnique(_ index: IndexDefinition) throws {
        guard let constraint = index.constraint else { return }
        let found = try connection.execute(index.duplicates, .migrate)
        guard found.count > 0, let reference = found.integer(0, 0), let other = found.integer(0, 1) else { return }
        let reason = StoreConflict.Reason.constraint(constraint.names, other: other)
        try migration.requireNone([StoreConflict(entity: constraint.entity, reference: reference, reason: reason)], path: nil)
    }

    private func refuseObjects(of entities: [Int: (target: EntityDescription, reason: String)], in table: EntityTable) throws {
        let found = try connection.execute(SchemaDiff.refusedRow(of: entities.keys, in: table), .migrate)
        guard found.count > 0, let reference = found.integer(0, 0), let number = found.number(0, 1, as: Int32.self),
            let refused = entities[Int(number)]
        else { return }
        throw StoreError(migrating: refused.reason, reference, refused.target.name)
    }
}
