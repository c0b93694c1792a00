import StrataSQL
import StrataStore

/// Removes all that belongs to a store from a schema, and the schema where nothing is left in it.
struct StoreRemoval {
    let schema: String

    func run(_ connection: Connection, _ operation: StoreError.Operation) throws {
        let table = MetadataTable(schema: schema)
        try connection.run(table.closing, operation)
        let catalog = try table.readCatalog(connection, operation)
        try dropTables(of: catalog, connection, operation)
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
