import StrataSQL

extension PostgreSQLDriver {
    /// Creates a store, completely or not at all, and once, even if other processes create it at the same time.
    func create(
        _ description: StoreDescription, _ model: ManagedObjectModel, in server: ServerLocation, _ connection: Connection
    ) throws {
        let metadata = try StoreMetadata(
            newStoreOf: .postgreSQL, model: model, configuration: description.configuration, storeID: description.newStoreID)
        try server.change(connection, .open) { kind in
            guard kind.isNothing else { return }
            let filling = StoreFilling(
                schema: server.schema, model: model, configuration: description.configuration, metadata: metadata, generation: 1,
                foreignKeys: foreignKeys, operation: .open)
            try filling.makeIndexes(try filling.makeTables(connection), overRows: false, connection)
        }
    }

    /// Creates the tables that a store of an earlier version had not: the log, and that of the history.
    ///
    /// A role that may not create tables opens a store without a history all the same.
    func addTables(in server: ServerLocation, _ connection: Connection, needsHistory: Bool) throws {
        try addLog(in: server, connection)
        do {
            try server.change(connection, .open) { kind in
                guard case .store(_, hasHistory: false) = kind else { return }
                try connection.run(HistoryTable(schema: server.schema).creation, .open)
            }
        } catch let error as StoreError where error.code == .denied && !needsHistory {
            try connection.run(SQLText("ROLLBACK"), .open)
        }
    }

    private func addLog(in server: ServerLocation, _ connection: Connection) throws {
        try server.change(connection, .open) { kind in
            guard case .store(hasLog: false, _) = kind else { return }
            // Another program may own a table of that name.
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
}

extension Connection {
    /// Creates a schema if it is missing: a role without that privilege may use an existing one.
    func makeSchema(_ schema: String, _ operation: StoreError.Operation) throws {
        let sql: SQLText = "SELECT count(*) FROM pg_catalog.pg_namespace WHERE nspname = \(bind: .text(schema))"
        if try execute(sql, operation).integer(0, 0) == 0 { try run("CREATE SCHEMA \(identifier: schema)", operation) }
    }

    /// Runs statements; the list may be empty.
    func run(_ statements: [SQLText], _ operation: StoreError.Operation) throws {
        let sql: SQLText = "\(statements, separator: "")"
        if !sql.text.isEmpty { try run(sql, operation) }
    }
}

extension MetadataTable {
    /// Drops all tables of a store, and its schema where nothing else is in it.
    func removeStore(_ connection: Connection, _ operation: StoreError.Operation) throws {
        try connection.run(closing, operation)
        try dropTables(of: try readCatalog(connection, operation), connection, operation)
        try drop(StoreTables.all, connection, operation)
        try connection.run(ExternalTrigger(schema: schema).removal, operation)
        let sql: SQLText = """
            SELECT \(SQLText.hasDependents("d.deptype = 'n'")), \
            pg_catalog.pg_has_role(n.nspowner, 'USAGE') FROM pg_catalog.pg_namespace n \
            WHERE n.nspname = \(bind: .text(schema))
            """
        let left = try connection.execute(sql, operation)
        guard left.count == 1, left.number(0, 0, as: UInt8.self) == 0, left.number(0, 1, as: UInt8.self) == 1, schema != "public" else {
            return
        }
        try connection.run("DROP SCHEMA \(identifier: schema)", operation)
    }

    /// Drops the tables of a model, with their sequences and indexes.
    func dropTables(of catalog: Catalog, _ connection: Connection, _ operation: StoreError.Operation) throws {
        let tables = catalog.names.filter { [.table, .linkTable].contains($0.key.role) }.map(\.value)
        if !tables.isEmpty { try drop(tables.sorted(), connection, operation) }
    }

    /// All in one statement, as foreign keys may reference each other.
    private func drop(_ tables: [String], _ connection: Connection, _ operation: StoreError.Operation) throws {
        try connection.run("DROP TABLE IF EXISTS \(tables.map { QualifiedName(schema: schema, name: $0) })", operation)
    }
}

/// Creates the tables of a store in a schema, to be filled, within the open transaction.
struct StoreFilling {
    let schema: String
    let model: ManagedObjectModel
    let configuration: String?
    let metadata: StoreMetadata
    let generation: Int64
    let foreignKeys: Bool
    let operation: StoreError.Operation

    /// Creates the schema and the tables, with the metadata.
    func makeTables(_ connection: Connection) throws -> SchemaWriter {
        let writer = try SchemaWriter(model, configuration: configuration, in: schema)
        try connection.makeSchema(schema, operation)
        let table = MetadataTable(schema: schema)
        try connection.run(table.creation, operation)
        try table.insert(metadata, connection, generation: generation, operation)
        try table.writeCatalog(writer.schema.catalog, connection, operation)
        try connection.run([writer.tables], operation)
        return writer
    }

    /// Creates the indexes and the constraints, after the rows.
    func makeIndexes(_ writer: SchemaWriter, overRows: Bool = true, _ connection: Connection) throws {
        let indexes = try writer.indexDefinitions.map {
            $0.creation(isForLongKeys: try overRows && $0.hasLongKeys(connection, operation))
        }
        try connection.run(indexes + (foreignKeys ? writer.foreignKeys(overRows: overRows) : []), operation)
    }

    /// Returns a transaction that writes into the tables, as part of the open one, which the caller ends.
    func transaction(_ writer: SchemaWriter, _ location: StoreLocation, _ connection: Connection) throws -> PostgreSQLTransaction {
        let operation = operation
        let pool = ConnectionPool(bound: 1, timeout: 0) { _ in throw StoreError(.closed, operation, "the store was closed") }
        var description = StoreDescription(.postgreSQL, at: location)
        description.configuration = configuration
        let content = MetadataTable.Content(generation: generation, metadata: metadata)
        let layout = StoreLayout(model: model, schema: writer.schema, hasForeignKeys: foreignKeys)
        let store = PostgreSQLStore(description, layout, content, pool)
        return PostgreSQLTransaction(store, connection)
    }
}
