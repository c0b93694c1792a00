import StrataModel
import StrataSQL
import StrataStore

/// Makes a new store, whole or not at all, and once, whoever else makes it at the same time.
struct StoreCreation {
    let server: ServerLocation
    let model: ManagedObjectModel
    let configuration: String?
    /// The ID of the store; `nil` for a new one.
    let storeID: StoreID?
    /// Whether references are foreign keys.
    let foreignKeys: Bool

    func run(_ connection: Connection) throws {
        let metadata = try StoreMetadata(newStoreOf: .postgreSQL, model: model, configuration: configuration, storeID: storeID)
        try server.change(connection, .open) { kind in
            guard kind == .nothing else { return }
            let filling = StoreFilling(
                schema: server.schema, model: model, configuration: configuration, metadata: metadata, generation: 1,
                foreignKeys: foreignKeys, operation: .open)
            try filling.makeIndexes(try filling.makeTables(connection), overRows: false, connection)
        }
    }

    /// Makes the log of a store that an earlier version made, which kept none.
    func addLog(_ connection: Connection) throws {
        try server.change(connection, .open) { kind in
            guard kind == .storeWithoutLog else { return }
            // It may be another program's table that has the name.
            _ = try MetadataTable(schema: server.schema).read(connection, .open)
            do { try connection.run(ChangeTable(schema: server.schema).creation, .open) } catch let error as StoreError
                where error.code == .denied
            {
                throw StoreError(
                    .denied, .open, "the store lacks the table \(StoreTables.changes), and the role may not make it",
                    underlying: error.underlying)
            }
        }
    }

    /// Makes a schema where there is none: whoever may not make one may use one.
    static func make(_ schema: String, _ connection: Connection, _ operation: StoreError.Operation) throws {
        let sql: SQLText = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = \(bind: .text(schema))"
        if try connection.execute(sql, operation).integer(0, 0) != 0 { return }
        try connection.run("CREATE SCHEMA \(identifier: schema)", operation)
    }

    /// Runs statements, of which there may be none.
    static func run(_ sql: SQLText, _ connection: Connection, _ operation: StoreError.Operation) throws {
        if !sql.text.isEmpty { try connection.run(sql, operation) }
    }
}

extension MetadataTable {
    /// Removes all that belongs to a store from its schema, and the schema where nothing is left in it.
    func removeStore(_ connection: Connection, _ operation: StoreError.Operation) throws {
        try connection.run(closing, operation)
        try dropTables(of: try readCatalog(connection, operation), connection, operation)
        try drop(StoreTables.all, connection, operation)
        let sql: SQLText = """
            SELECT (SELECT count(*) FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid) \
            + (SELECT count(*) FROM pg_catalog.pg_proc p WHERE p.pronamespace = n.oid) \
            + (SELECT count(*) FROM pg_catalog.pg_type t WHERE t.typnamespace = n.oid), \
            pg_catalog.pg_has_role(n.nspowner, 'USAGE') FROM pg_catalog.pg_namespace n \
            WHERE n.nspname = \(bind: .text(schema))
            """
        let left = try connection.execute(sql, operation)
        guard left.count == 1, left.integer(0, 0) == 0, left.number(0, 1, as: UInt8.self) == 1, schema != "public" else { return }
        try connection.run("DROP SCHEMA \(identifier: schema)", operation)
    }

    /// Removes the tables of a model, and the sequences and indexes with them.
    func dropTables(of catalog: Catalog, _ connection: Connection, _ operation: StoreError.Operation) throws {
        let tables = catalog.names.filter { [.table, .linkTable].contains($0.key.role) }.map(\.value)
        if !tables.isEmpty { try drop(tables.sorted(), connection, operation) }
    }

    /// All at once, as they may lead to each other.
    private func drop(_ tables: [String], _ connection: Connection, _ operation: StoreError.Operation) throws {
        try connection.run("DROP TABLE IF EXISTS \(tables.map { QualifiedName(schema: schema, name: $0) })", operation)
    }
}

/// Makes the tables of a store in a schema, to be filled at once, within a transaction that is open.
struct StoreFilling {
    let schema: String
    let model: ManagedObjectModel
    let configuration: String?
    let metadata: StoreMetadata
    let generation: Int64
    /// Whether references are foreign keys.
    let foreignKeys: Bool
    let operation: StoreError.Operation

    /// Makes the schema and the tables, which say what the store is.
    func makeTables(_ connection: Connection) throws -> SchemaWriter {
        let writer = try SchemaWriter(model, configuration: configuration, in: schema)
        try StoreCreation.make(schema, connection, operation)
        let table = MetadataTable(schema: schema)
        try connection.run(table.creation, operation)
        try table.insert(metadata, connection, generation: generation, operation)
        try table.writeCatalog(writer.schema.catalog, connection, operation)
        try StoreCreation.run(writer.tables, connection, operation)
        return writer
    }

    /// Makes the indexes and the constraints, once the rows are there.
    func makeIndexes(_ writer: SchemaWriter, overRows: Bool = true, _ connection: Connection) throws {
        let indexes = try writer.indexDefinitions.map {
            $0.creation(isForLongKeys: try overRows && $0.hasLongKeys(connection, operation))
        }
        let keys = foreignKeys ? writer.foreignKeys.map { $0.creation(overRows: overRows) } : []
        try StoreCreation.run("\(indexes + keys, separator: "")", connection, operation)
    }

    /// What writes into the tables; it is part of the transaction that is open, and left to that.
    func transaction(_ writer: SchemaWriter, _ location: StoreLocation, _ connection: Connection) throws -> PostgreSQLTransaction {
        let operation = operation
        let pool = ConnectionPool(bound: 1, timeout: 0) { _ in throw StoreError(.closed, operation, "the store is being made") }
        var description = StoreDescription(.postgreSQL, at: location)
        description.configuration = configuration
        let content = MetadataTable.Content(generation: generation, metadata: metadata)
        let layout = PostgreSQLStore.Layout(model: model, schema: writer.schema, hasForeignKeys: foreignKeys)
        let store = PostgreSQLStore(description, layout, content, pool)
        return PostgreSQLTransaction(store, connection)
    }
}
