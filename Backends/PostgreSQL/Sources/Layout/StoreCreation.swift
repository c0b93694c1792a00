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
        try connection.run(SQLText("BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"), .open)
        try server.lock(connection, .open)
        if try server.kind(connection, .open) == .nothing {
            let filling = StoreFilling(
                schema: server.schema, model: model, configuration: configuration, metadata: metadata, generation: 1,
                foreignKeys: foreignKeys, operation: .open)
            try filling.makeIndexes(try filling.makeTables(connection), overRows: false, connection)
        }
        try connection.run(SQLText("COMMIT"), .open)
    }

    /// Makes the log of a store that an earlier version made, which kept none.
    func addLog(_ connection: Connection) throws {
        try connection.run(SQLText("BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"), .open)
        try server.lock(connection, .open)
        if try server.kind(connection, .open) == .storeWithoutLog {
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
        try connection.run(SQLText("COMMIT"), .open)
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
