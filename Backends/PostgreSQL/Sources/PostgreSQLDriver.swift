import StrataSQL
public import StrataStore

/// Opens stores in schemas of PostgreSQL databases, see `FORMAT.md`.
///
/// A store is a schema: the name of its address, `strata` where it has none. The address is a connection URI of PostgreSQL's, or a list of
/// parameters as libpq takes it; what it leaves out comes from the environment, the password file and the service file. The server has to
/// be of version 13 or later.
public struct PostgreSQLDriver: OpeningStoreDriver {
    /// The maximum number of connections of a store, besides held snapshots; a request for one more waits as long as for a lock.
    public var connections = 16
    /// How long one statement may take, in seconds; `nil` for as long as it takes.
    ///
    /// The server ends one that takes longer, which is `locked`; a server that does not even do that counts as lost some seconds later.
    public var statementTimeout: Double?
    /// Whether the stores that the driver creates, migrates or replaces have foreign key constraints.
    ///
    /// The server then refuses changes by other programs that would break a reference. It checks each reference that is
    /// saved, and each reference to an object that is deleted, which makes writing slower: turn it off if no other
    /// program writes to the tables.
    public var foreignKeys = true
    /// The address of a server that follows the store's own one by streaming replication; `nil` where there is none.
    ///
    /// It answers the reads of contexts that take what it has, see `ManagedObjectContext.readsFromReplicas`, with the same credentials, as long
    /// as it shows what the store wrote; else, and where it cannot be reached, the store's own server answers.
    public var replica: String?

    /// A driver; the static member `.postgreSQL` is the same.
    ///
    /// - Parameters:
    ///   - connections: How many connections a store has open at most.
    ///   - statementTimeout: How long one statement may take, in seconds.
    ///   - foreignKeys: Whether references are foreign keys.
    ///   - replica: The address of a server that follows the store's own one.
    public init(connections: Int = 16, statementTimeout: Double? = nil, foreignKeys: Bool = true, replica: String? = nil) {
        self.connections = connections
        self.statementTimeout = statementTimeout
        self.foreignKeys = foreignKeys
        self.replica = replica
    }

    public var type: StoreType { .postgreSQL }

    public func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        try openStore(description, model: model)
    }

    func openStore(_ description: StoreDescription, model: ManagedObjectModel) throws -> PostgreSQLStore {
        let server = try ServerLocation(description.location, .open)
        try description.requireEntities(of: model)
        let settings = SessionSettings(options: description.options, statementTimeout: statementTimeout)
        let options = description.options
        let pool = ConnectionPool(bound: connections, timeout: options.timeout, wait: options.connectionTimeout) { operation in
            try Connection(server.parameters, settings, operation)
        }
        let replica = try replica(of: pool, description, settings)
        let connection = try pool.take(.open) { _ in }
        defer { pool.give(back: connection) }
        if connections > 1 { try connection.requireOwnSession(.open) { try Connection(server.parameters, settings, .open) } }
        switch try server.kind(connection, .open) {
        case .store(let hasLog, let hasHistory):
            if !description.isReadOnly, !hasLog || !hasHistory {
                try addTables(in: server, connection, needsHistory: description.options.history != nil)
            }
        case .nothing:
            if description.isReadOnly { throw StoreError(.missing, .open, "there is no store in \(server)") }
            try create(description, model, in: server, connection)
        }
        let (opened, layout, content) = try load(server, connection, description, model)
        if !description.isReadOnly, content.metadata.keepsHistory || description.options.history != nil {
            try HistoryTable(schema: server.schema).continueRestoredNumbers(in: server, connection)
            let tables = layout.schema.tables.values.map(\.name) + layout.schema.joins.compactMap { $0?.name }
            try ExternalTrigger(schema: server.schema).install(tables, in: server, connection)
        }
        return PostgreSQLStore(opened, layout, content, pool, replica)
    }

    private func replica(of pool: ConnectionPool, _ description: StoreDescription, _ settings: SessionSettings) throws -> Replica? {
        guard let replica, case .server(let address) = description.location else { return nil }
        let parameters = try ServerParameters(ServerAddress(replica, name: address.name, credentials: address.credentials), .open)
        return Replica(of: pool, bound: connections) { try Connection(parameters, settings, $0) }
    }

    /// Reads the schema of a store; its model may be the version that it was created with.
    private func load(
        _ server: ServerLocation, _ connection: Connection, _ description: StoreDescription, _ model: ManagedObjectModel
    ) throws -> (StoreDescription, StoreLayout, MetadataTable.Content) {
        let table = MetadataTable(schema: server.schema)
        let beginning = [SQLText("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"), table.reading]
        _ = try connection.execute(beginning, .open).result(1, .open)
        let content = try table.read(connection, .open)
        let catalog = try table.readCatalog(connection, .open)
        var (model, description) = (model, description)
        if !description.options.ignoresModelVersion {
            do { try content.metadata.checkCompatibility(with: model, opening: description, path: nil) } catch {
                guard let source = description.sourceVersion?(content.metadata) else { throw error }
                (model, description.configuration) = (source.model, source.configuration)
            }
        }
        let resolver = SchemaResolver(model: model, configuration: description.configuration, catalog: catalog, name: server.schema)
        let schema = try resolver.schema()
        try SchemaInspector(model: model, schema: schema).requireRelations(connection)
        try connection.run(SQLText("COMMIT"), .open)
        return (description, StoreLayout(model: model, schema: schema, hasForeignKeys: foreignKeys), content)
    }
}

extension StoreDriver where Self == PostgreSQLDriver {
    /// Stores in schemas of PostgreSQL databases.
    public static var postgreSQL: PostgreSQLDriver { PostgreSQLDriver() }

    /// Stores in schemas of PostgreSQL databases.
    ///
    /// - Parameters:
    ///   - connections: See ``PostgreSQLDriver/connections``.
    ///   - statementTimeout: See ``PostgreSQLDriver/statementTimeout``.
    ///   - foreignKeys: See ``PostgreSQLDriver/foreignKeys``.
    ///   - replica: See ``PostgreSQLDriver/replica``.
    public static func postgreSQL(
        connections: Int = 16, statementTimeout: Double? = nil, foreignKeys: Bool = true, replica: String? = nil
    ) -> PostgreSQLDriver {
        PostgreSQLDriver(connections: connections, statementTimeout: statementTimeout, foreignKeys: foreignKeys, replica: replica)
    }
}

extension StoreDescription {
    /// Returns the description of a store in a schema of a PostgreSQL database.
    ///
    /// - Parameters:
    ///   - url: The database, as `postgresql://host/database`.
    ///   - schema: The schema that holds the store, made where there is none.
    ///   - credentials: The role and its password; `nil` where the address or the environment has them.
    ///   - connections: See ``PostgreSQLDriver/connections``.
    ///   - statementTimeout: See ``PostgreSQLDriver/statementTimeout``.
    ///   - foreignKeys: See ``PostgreSQLDriver/foreignKeys``.
    ///   - replica: See ``PostgreSQLDriver/replica``.
    public static func postgreSQL(
        _ url: String, schema: String, credentials: ServerAddress.Credentials? = nil, connections: Int = 16,
        statementTimeout: Double? = nil, foreignKeys: Bool = true, replica: String? = nil
    ) -> StoreDescription {
        StoreDescription(
            PostgreSQLDriver(connections: connections, statementTimeout: statementTimeout, foreignKeys: foreignKeys, replica: replica),
            at: .server(ServerAddress(url, name: schema, credentials: credentials)))
    }
}

extension StoreType {
    /// "PostgreSQL", as the metadata of its stores spell it.
    public static let postgreSQL = StoreType(rawValue: "PostgreSQL")
}
