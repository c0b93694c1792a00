import StrataSQL

/// Creates a new store where there is no file, or an empty one.
struct StoreCreation {
    let path: String
    let description: StoreDescription
    let model: ManagedObjectModel
    let settings: ConnectionSettings

    /// Creates all tables in one transaction; does nothing where another process was faster.
    ///
    /// The transaction uses a rollback journal, so that a crash leaves an empty file, which is a new store again; only
    /// then is the file switched to a log. SQLite removes logs and journals beside an empty file.
    func run() throws {
        let system = PosixFileSystem.shared
        let existed = try system.statusIfPresent(of: path) != nil
        let connection = try Connection(path, .readWrite(creating: true), timeout: description.options.timeout)
        do {
            try settings.applyForCreating(to: connection)
            try connection.execute("BEGIN", .open)
            try settings.applyVacuumMode(to: connection)
            if try StoreCreation.isIncomplete(connection) {
                try write(connection)
                try connection.execute("COMMIT", .open)
            } else {
                try connection.execute("ROLLBACK", .open)
            }
        } catch {
            // A process that waits for this connection's lock finds that the file was removed, and creates another.
            if !existed, connection.isInTransaction, let status = try? system.status(of: path), status.size == 0,
                status.identity == connection.identity
            {
                try? system.unlink(path)
            }
            try? connection.execute("ROLLBACK", .open)
            throw error
        }
        try system.synchronizeDirectory(PathName.parent(of: path))
    }

    /// Whether a database is empty and has neither an application ID nor a user version: a store whose creation was interrupted.
    static func isIncomplete(_ connection: Connection) throws -> Bool {
        let sql: SQLText = """
            SELECT (SELECT count(*) FROM sqlite_master) + (SELECT application_id FROM pragma_application_id) \
            + (SELECT user_version FROM pragma_user_version)
            """
        return try connection.integer(sql, .open) == 0
    }

    private func write(_ connection: Connection) throws {
        let writer = SchemaWriter(model, configuration: nil)
        try connection.requireRoom(for: writer.schema, of: model, .open)
        for statement in writer.all {
            try connection.execute(statement, .open)
        }
        let metadata = try StoreMetadata(
            newStoreOf: .sqlite, model: model, configuration: nil, storeID: description.newStoreID, holdsWholeModel: true)
        try MetadataTable.write(metadata, connection)
        try ModelCacheTable.write(model, metadata, connection, .open)
        if settings.pageChecksums { try PageChecksums.mark(connection) }
    }
}
