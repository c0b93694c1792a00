import StrataModel
import StrataSQL
import StrataStore

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
        var sql = SQLText()
        for index in writer.indexDefinitions {
            sql.add(index.creation(isForLongKeys: try overRows && index.hasLongKeys(connection, operation)))
        }
        if foreignKeys { for key in writer.foreignKeys { sql.add(key.creation(overRows: overRows)) } }
        try StoreCreation.run(sql, connection, operation)
    }

    /// What writes into the tables; it is part of the transaction that is open, and left to that.
    func transaction(_ writer: SchemaWriter, _ location: StoreLocation, _ connection: Connection) throws -> PostgreSQLTransaction {
        let operation = operation
        let pool = ConnectionPool(bound: 1, timeout: 0) { _ in throw StoreError(.closed, operation, "the store is being made") }
        var description = StoreDescription(.postgreSQL, at: location)
        description.configuration = configuration
        let content = MetadataTable.Content(format: MetadataTable.formatVersion, generation: generation, metadata: metadata)
        let layout = PostgreSQLStore.Layout(model: model, schema: writer.schema, hasForeignKeys: foreignKeys)
        let store = PostgreSQLStore(description, layout, content, pool)
        return PostgreSQLTransaction(store, connection)
    }
}
