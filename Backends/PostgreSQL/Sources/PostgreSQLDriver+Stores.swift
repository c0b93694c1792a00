import StrataSQL
public import StrataStore

extension PostgreSQLDriver {
    public func metadata(at location: StoreLocation) throws -> StoreMetadata {
        let (server, connection) = try connect(location, .metadata)
        try server.requireStore(connection, .metadata)
        return try MetadataTable(schema: server.schema).read(connection, .metadata).metadata
    }

    public func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {
        let (server, connection) = try connect(location, .metadata)
        try server.requireStore(connection, .metadata)
        let table = MetadataTable(schema: server.schema)
        let beginning = table.beginning("SERIALIZABLE, READ WRITE", after: [table.writing])
        _ = try connection.execute(beginning, .metadata).result(beginning.count - 1, .metadata)
        let new = try metadata.replacing(try table.read(connection, .metadata).metadata, .metadata, path: nil)
        try table.update(new, connection, .metadata)
        try connection.run(SQLText("COMMIT"), .metadata)
    }

    /// Removes the tables of a store, and their schema where nothing else is in it.
    ///
    /// - Throws: `StoreError` with `foreign` where the schema holds no store, `locked` while a save is under way in it.
    public func destroy(at location: StoreLocation) throws {
        let (server, connection) = try connect(location, .destroy)
        try server.change(connection, .destroy) { kind in
            if !kind.isNothing { try MetadataTable(schema: server.schema).removeStore(connection, .destroy) }
        }
    }

    /// Copies a store to another schema of the same server, or of another one, in one transaction.
    ///
    /// - Throws: As `StoreDriver.replace(at:withStoreAt:)`.
    public func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {
        let (server, connection) = try connect(location, .replace)
        let original = try openOriginal(source)
        defer { try? original.close() }
        try server.change(connection, .replace) { kind in
            var generation: Int64 = 1
            if !kind.isNothing {
                // Processes that have the replaced store open must find another store, though its ID and its model may be the same.
                let table = MetadataTable(schema: server.schema)
                generation = (try table.generation(connection, .replace) ?? 0) &+ 1
                try table.removeStore(connection, .replace)
            }
            try original.copy(to: location, server.schema, generation: generation, foreignKeys: foreignKeys, connection)
        }
    }

    /// Rewrites the tables of a store without the space that old versions of rows take; saves wait meanwhile, table by table.
    ///
    /// - Throws: As `metadata(at:)`.
    public func compact(at location: StoreLocation) throws {
        let (server, connection) = try connect(location, .replace)
        try server.requireStore(connection, .replace)
        let sql: SQLText = """
            SELECT c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
            WHERE c.relkind = 'r' AND n.nspname = \(bind: .text(server.schema)) ORDER BY 1
            """
        let tables = try connection.execute(sql, .replace)
        for name in (0..<tables.count).compactMap({ tables.text($0, 0) }) {
            // It runs in no transaction.
            try connection.run("VACUUM (FULL, ANALYZE) \(QualifiedName(schema: server.schema, name: name))", .replace)
        }
    }

    /// Opens the store to copy, with the model in its metadata.
    private func openOriginal(_ source: StoreLocation) throws -> PostgreSQLStore {
        let metadata = try metadata(at: source)
        guard let model = try metadata.model() else {
            throw StoreError(.missingSourceModel, .replace, "the store does not keep the model that it was made with")
        }
        let configuration = model.configurations.first { metadata.isCompatible(with: model, configuration: $0) }
        let isWhole = metadata.isCompatible(with: model, configuration: nil)
        let description = StoreDescription(self, at: source, configuration: isWhole ? nil : configuration, isReadOnly: true)
        return try openStore(description, model: model)
    }

    func connect(
        _ location: StoreLocation, _ operation: StoreError.Operation, _ options: StoreOptions = StoreOptions()
    ) throws -> (ServerLocation, Connection) {
        let server = try ServerLocation(location, operation)
        return (server, try Connection(server.parameters, SessionSettings(options: options), operation))
    }
}

extension PostgreSQLDriver: DecidingStoreDriver {
    /// - Throws: As `DecidingStoreDriver.hasDecided(_:)`; `StoreError` with `locked` where a commit is under way for too long.
    public func hasDecided(_ save: PreparedSave) throws -> Bool {
        var options = StoreOptions()
        options.timeout = Deadline(after: options.timeout).remaining
        let (server, connection) = try connect(save.decidingStore, .resolve, options)
        try server.requireStore(connection, .resolve)
        let table = MetadataTable(schema: server.schema)
        let beginning = table.beginning("READ COMMITTED, READ WRITE", after: [table.writing])
        let decidingStore = try connection.execute(beginning, .resolve).result(beginning.count - 1, .resolve)
        guard decidingStore.text(0, 1) == save.decidingStoreID.rawValue else {
            throw StoreError(.replaced, .resolve, "the store that decides the save was replaced by another one", recovery: .reopen)
        }
        // The row that the query inserts is rolled back with the connection.
        return try PreparedTable(schema: server.schema, address: nil).hasDecided(save, connection)
    }
}

extension PostgreSQLDriver: StagedStoreDriver {
    /// Returns another schema of the same database.
    ///
    /// - Throws: As `StagedStoreDriver.locationBeforeStage(of:)`.
    public func locationBeforeStage(of location: StoreLocation) throws -> StoreLocation {
        let server = try ServerLocation(location, .migrate)
        guard case .server(var address) = location else { return location }
        let suffix = "_before"
        let longest = NameRegistry.greatestLength - suffix.utf8.count
        // The checksum has up to eight digits and a sign.
        address.name = PathName.shortened(server.schema, over: longest, keeping: longest - 9) + suffix
        return .server(address)
    }

    /// Acquires a session-level advisory lock, which the server releases when the process ends.
    ///
    /// - Throws: As `StagedStoreDriver.lockStages(at:timeout:)`.
    public func lockStages(at location: StoreLocation, timeout: Double) throws -> () -> Void {
        let server = try ServerLocation(location, .migrate)
        var options = StoreOptions()
        options.timeout = timeout
        let connection = try Connection(server.parameters, SessionSettings(options: options), .migrate)
        try connection.execute(AdvisoryLock(.stages, name: server.schema).statement("pg_advisory_lock"), .migrate)
        return { _ = try? connection.run(SQLText("SELECT pg_catalog.pg_advisory_unlock_all()"), .migrate) }
    }
}
