import StrataFiles
import StrataModel
import StrataStore

extension StoreDriver where Self == SQLiteDriver {
    /// A store in a SQLite database with the tables of Core Data's, written as it goes.
    public static var sqlite: SQLiteDriver { SQLiteDriver() }

    /// A store in a SQLite database with the tables of Core Data's, whose pages have checksums where asked for.
    public static func sqlite(pageChecksums: Bool) -> SQLiteDriver { SQLiteDriver(pageChecksums: pageChecksums) }
}

/// Opens SQLite stores: those of Strata and those that Apple's Core Data wrote.
public struct SQLiteDriver: StoreDriver {
    /// Whether each page of a store's file gets a checksum, which is compared whenever the page is read.
    ///
    /// A new store is made with them; one without them is written anew when it is opened for writing, which takes O(n) time and space. A
    /// store that has them keeps them, however it is opened. The checksums are those of SQLite's `cksumvfs` extension: what writes such a
    /// file without that extension, Apple's Core Data among it, leaves pages behind that count as damaged. Off unless said otherwise.
    public var pageChecksums = false

    /// A driver.
    public init(pageChecksums: Bool = false) { self.pageChecksums = pageChecksums }

    public var type: StoreType { MetadataCoding.type }

    public func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
        guard let path = description.path else {
            throw StoreError(.missing, "open", "a SQLite store needs the path of a file")
        }
        guard model.entities(inConfiguration: description.configuration) != nil else {
            throw StoreError(
                .unknownEntity, "open", "the model has no configuration \(description.configuration ?? "")", path: path)
        }
        let settings = try ConnectionSettings(description.options, pageChecksums: pageChecksums, path: path)
        let kind = try FileKind.probe(path, "open")
        try kind.refuseOthers(path, "open")
        if description.isReadOnly {
            if kind == .nothing { throw StoreError(.missing, "open", "there is no store to read", path: path) }
            return try openForReading(path, description, model, settings)
        }
        if kind == .nothing { try StoreCreation(path, description, model, settings).run() }
        return try openForWriting(path, description, model, settings)
    }

    private func openForReading(
        _ path: String, _ description: StoreDescription, _ model: ManagedObjectModel, _ settings: ConnectionSettings
    ) throws -> SQLiteStore {
        let timeout = description.options.timeout
        let (first, mode) = try SQLiteDriver.reading(path, timeout: timeout)
        try settings.apply(to: first)
        let (schema, metadata) = try load(first, description, model)
        let pool = ConnectionPool {
            let connection = try Connection(path, mode, timeout: timeout)
            try settings.apply(to: connection)
            return connection
        }
        return SQLiteStore(
            path: path, description: description, model: model, schema: schema, uuid: metadata.uuid, writer: nil, pool: pool)
    }

    /// A connection that reads; one that takes the file for unchanging where SQLite cannot, or had better not, keep files beside it.
    static func reading(_ path: String, timeout: Double) throws -> (Connection, Connection.Mode) {
        func connect(_ mode: Connection.Mode) throws -> (Connection, Connection.Mode) {
            let connection = try Connection(path, mode, timeout: timeout)
            try connection.execute("SELECT count(*) FROM sqlite_master", "open")
            return (connection, mode)
        }
        let system = PosixFileSystem.shared
        // Without the log that lies beside it, the file would show an older state.
        let hasLog = ((try? system.statusIfPresent(of: path + "-wal"))??.size ?? 0) > 0
        if hasLog { return try connect(.read) }
        func isProtected(_ path: String) -> Bool { (try? system.status(of: path)).map { $0.permissions & 0o222 == 0 } ?? false }
        // A privileged process may write where nobody is meant to.
        if isProtected(path) && isProtected(PathName.parent(of: path)) { return try connect(.immutable) }
        do { return try connect(.query) } catch let error as StoreError {
            guard let failure = error.underlying as? SQLiteFailure, failure.isAboutFilesBeside else { throw error }
            return try connect(.immutable)
        }
    }

    private func openForWriting(
        _ path: String, _ description: StoreDescription, _ model: ManagedObjectModel, _ settings: ConnectionSettings
    ) throws -> SQLiteStore {
        let timeout = description.options.timeout
        let writer = try Connection(path, .readWrite(creating: false), timeout: timeout)
        try settings.apply(to: writer)
        let (schema, metadata) = try load(writer, description, model)
        if writer.isReadOnly { throw StoreError(.denied, "open", "the file may only be read", path: path) }
        if settings.pageChecksums { try PageChecksums.add(writer) }
        try settings.applyForWriting(to: writer)
        let pool = ConnectionPool {
            let connection = try Connection(path, .read, timeout: timeout)
            try settings.apply(to: connection)
            return connection
        }
        let store = SQLiteStore(
            path: path, description: description, model: model, schema: schema, uuid: metadata.uuid, writer: writer, pool: pool)
        // What cannot be removed does no harm.
        try? store.collector.removeUnnamed(writer)
        return store
    }

    private func load(
        _ connection: Connection, _ description: StoreDescription, _ model: ManagedObjectModel
    ) throws -> (StoreSchema, StoreMetadata) {
        try connection.beginReading()
        defer { connection.endReading() }
        try PageChecksums.check(connection)
        let inspector = try SchemaInspector(connection)
        guard inspector.hasTable("Z_METADATA") else {
            throw StoreError(.foreign, "open", "the database is no store of Core Data's layout", path: connection.path)
        }
        let metadata = try MetadataTable.read(connection)
        let isTolerant = description.options.ignoresModelVersion
        if !isTolerant {
            try metadata.checkCompatibility(with: model, configuration: description.configuration, path: connection.path)
        }
        return (
            try inspector.schema(of: model, configuration: description.configuration, isTolerant: isTolerant), metadata
        )
    }

    public func metadata(at path: String) throws -> StoreMetadata {
        let kind = try FileKind.probe(path, "metadata")
        try kind.refuseOthers(path, "metadata")
        if kind == .nothing { throw StoreError(.missing, "metadata", "there is no store", path: path) }
        let (connection, _) = try SQLiteDriver.reading(path, timeout: StoreOptions().timeout)
        try SQLiteDriver.refuseForeign(connection, "metadata")
        return try MetadataTable.read(connection)
    }

    public func setMetadata(_ metadata: StoreMetadata, at path: String) throws {
        let kind = try FileKind.probe(path, "metadata")
        try kind.refuseOthers(path, "metadata")
        if kind == .nothing { throw StoreError(.missing, "metadata", "there is no store", path: path) }
        let connection = try Connection(path, .readWrite(creating: false), timeout: StoreOptions().timeout)
        try SQLiteDriver.refuseForeign(connection, "metadata")
        try connection.execute("PRAGMA synchronous = FULL", "metadata")
        try connection.execute("BEGIN IMMEDIATE", "metadata")
        do {
            try MetadataTable.write(metadata, connection)
            try connection.execute("COMMIT", "metadata")
        } catch {
            try? connection.execute("ROLLBACK", "metadata")
            throw error
        }
    }

    static func refuseForeign(_ connection: Connection, _ operation: String) throws {
        let statement = try connection.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'Z_METADATA'")
        guard try statement.step(operation), statement.integer(0) == 1 else {
            throw StoreError(.foreign, operation, "the database is no store of Core Data's layout", path: connection.path)
        }
    }
}
