import StrataSQL

/// The location of a store: a schema of a database.
struct ServerLocation: Sendable, CustomStringConvertible {
    let parameters: ServerParameters
    let schema: String
    private let address: ServerAddress

    var description: String { "the schema \(schema) of \(ServerAddress(address.url))" }

    /// - Throws: `StoreError` with `unsupported` for a location that is not on a server, `wrongValue` for a name that no schema can have.
    init(_ location: StoreLocation, _ operation: StoreError.Operation) throws(StoreError) {
        guard case .server(let address) = location else {
            throw StoreError(.unsupported, operation, "a PostgreSQL store is on a server", path: location.path)
        }
        let schema = address.name ?? "strata"
        guard !schema.isEmpty, schema.utf8.count <= NameRegistry.greatestLength, !schema.utf8.contains(0), !schema.hasPrefix("pg_") else {
            throw StoreError(.wrongValue, operation, "no schema can have the name of the store")
        }
        self.address = address
        self.schema = schema
        parameters = try ServerParameters(address, operation)
    }

    /// The content of the schema.
    enum Kind {
        case nothing
        /// A store; one of an earlier version has no log, or no table for a history.
        case store(hasLog: Bool, hasHistory: Bool)

        var isNothing: Bool { if case .nothing = self { true } else { false } }
    }

    /// - Throws: `StoreError` with `foreign` where it has other content.
    func kind(_ connection: Connection, _ operation: StoreError.Operation) throws -> Kind {
        // The catalogue finds a relation by its name, and whether there is any in a schema by what depends on that.
        func exists(_ table: String) -> SQLText {
            "EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid AND c.relname = \(bind: .text(table)))"
        }
        let sql: SQLText = """
            SELECT CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relkind = 'r' \
            AND c.relname = \(bind: .text(StoreTables.metadata)) AND c.relnamespace = n.oid) THEN true \
            WHEN \(SQLText.hasDependents("d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass")) THEN false END, \
            \(exists(StoreTables.changes)), \(exists(StoreTables.history)) \
            FROM pg_catalog.pg_namespace n WHERE n.nspname = \(bind: .text(schema))
            """
        let result = try connection.execute(sql, operation)
        guard let isStore: UInt8 = result.number(0, 0) else { return .nothing }
        guard isStore == 1 else {
            throw StoreError(.foreign, operation, "\(self) has tables that are not a store's")
        }
        func flag(_ column: Int) -> Bool { result.number(0, column, as: UInt8.self) == 1 }
        return .store(hasLog: flag(1), hasHistory: flag(2))
    }

    /// Refuses a schema that holds no store.
    ///
    /// - Throws: `StoreError` with `missing`, or `foreign`.
    func requireStore(_ connection: Connection, _ operation: StoreError.Operation) throws {
        if try kind(connection, operation).isNothing { throw StoreError(.missing, operation, "there is no store in \(self)") }
    }

    /// Runs `body` in a transaction that waits for all others that create or remove the store.
    ///
    /// - Parameter body: Creates or removes a store, depending on the content of the schema.
    func change(_ connection: Connection, _ operation: StoreError.Operation, _ body: (Kind) throws -> Void) throws {
        try connection.run(SQLText("BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE"), operation)
        try connection.execute(AdvisoryLock(.creation, name: schema).statement("pg_advisory_xact_lock"), operation)
        try body(kind(connection, operation))
        try connection.run(SQLText("COMMIT"), operation)
    }
}

extension SQLText {
    /// Whether something that a condition selects is in the schema `n`: `EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE …)`.
    static func hasDependents(_ condition: SQLText) -> SQLText {
        """
        EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass \
        AND d.refobjid = n.oid AND \(condition))
        """
    }
}
