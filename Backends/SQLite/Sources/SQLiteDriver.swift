public import Logging
public import StrataEngine
import StrataSQL

/// Opens SQLite stores: those of Strata and those that Apple's Core Data wrote.
public struct SQLiteDriver: FileStoreDriver {
    /// Pragmas that are set on each connection, over the store's own: Core Data's `NSSQLitePragmasOption`.
    ///
    /// Names are words, values words or whole numbers; opening a store throws `wrongValue` for others. `page_size`, `auto_vacuum` and
    /// `encoding` count for new stores only, `journal_mode` replaces the log.
    public var pragmas: [String: String] = [:]
    /// Whether each page of a store's file gets a checksum, which is compared whenever the page is read.
    ///
    /// A new store is made with them; one without them is written anew when it is opened for writing, which takes O(n) time and space. A
    /// store that has them keeps them, however it is opened. The checksums are those of SQLite's `cksumvfs` extension: what writes such a
    /// file without that extension, Apple's Core Data among it, leaves pages behind that count as damaged; so does what
    /// only reads it, like the `sqlite3` shell, where it is the last to close a database that has a log. Off by
    /// default.
    public var pageChecksums = false

    /// How many bytes of the file the connections that read map into memory; 0, the default, maps none.
    ///
    /// Without a map each connection copies the pages that it reads into a cache of its own. Mapped pages are the system's, shared by all
    /// connections and processes, and are read without a system call.
    ///
    /// The risk: where the file is truncated or its device fails, reading a mapped page ends the process with a bus error. Without a
    /// map that is an error of the fetch.
    public var mmapSize = 0

    /// Whether a history that a store begins is stored in Core Data's own tables, for programs with Core Data that read it; false by default.
    ///
    /// They have a row for each changed object. A store that has such tables keeps its history in them in any case; one that has a history
    /// of Strata's keeps that.
    public var keepsCoreDataHistory = false

    /// Receives each SQL statement that SQLite runs, with its time in microseconds.
    ///
    /// The level `debug` logs placeholders instead of values; `trace` logs the values, which may be confidential.
    /// `nil`, the default, logs no statements.
    public var logger: Logger?

    /// A driver.
    ///
    /// - Parameters:
    ///   - pragmas: What is set on each connection, over the store's own pragmas.
    ///   - pageChecksums: Whether each page of a store's file gets a checksum.
    ///   - mmapSize: How many bytes of the file are mapped into memory.
    ///   - keepsCoreDataHistory: Whether a history is stored in Core Data's own tables.
    ///   - logger: Where statements are written.
    public init(
        pragmas: [String: String] = [:], pageChecksums: Bool = false, mmapSize: Int = 0, keepsCoreDataHistory: Bool = false,
        logger: Logger? = nil
    ) {
        self.pragmas = pragmas
        self.keepsCoreDataHistory = keepsCoreDataHistory
        self.pageChecksums = pageChecksums
        self.mmapSize = mmapSize
        self.logger = logger
    }

    public var type: StoreType { .sqlite }

    public func openFile(at path: String, _ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        try description.requireEntities(of: model)
        let settings = try ConnectionSettings(self, description.options.durability, path: path)
        return try StoreError.naming(.open, path: path) {
            let file = try DatabaseFile(path, .open)
            if description.isReadOnly {
                if file.kind == .nothing { throw StoreError.missingStore(.open, at: path) }
                return try openForReading(file.path, description, model, settings)
            }
            return try withExtendedLifetime(file) { try openForWriting(file, description, model, settings) }
        }
    }

    private func openForReading(
        _ path: String, _ description: StoreDescription, _ model: ManagedObjectModel, _ settings: ConnectionSettings
    ) throws -> SQLiteStore {
        let timeout = description.options.timeout
        let (first, mode) = try SQLiteDriver.reading(path, timeout: timeout)
        try settings.apply(to: first)
        let loaded = try load(first, description, model)
        let pool = ConnectionPool(path, description.options) {
            let connection = try Connection(path, mode, timeout: timeout)
            try settings.apply(to: connection)
            return connection
        }
        return SQLiteStore(path: path, loaded, writer: nil, pool: pool)
    }

    /// Opens a connection for reading; an immutable one where SQLite cannot, or should not, create its companion files.
    static func reading(_ path: String, timeout: Double) throws -> (Connection, Connection.Mode) {
        func connect(_ mode: Connection.Mode) throws -> (Connection, Connection.Mode) {
            let connection = try Connection(path, mode, timeout: timeout)
            try connection.execute("SELECT count(*) FROM sqlite_master", .open)
            return (connection, mode)
        }
        let system = PosixFileSystem.shared
        // Without the log beside it, the file would show an older state.
        let hasLog = try (system.statusIfPresent(of: path + "-wal")?.size ?? 0) > 0
        if hasLog { return try connect(.read) }
        func isProtected(_ path: String) -> Bool { (try? system.status(of: path)).map { $0.permissions & 0o222 == 0 } ?? false }
        // A privileged process may write where permissions deny it.
        if isProtected(path) && isProtected(PathName.parent(of: path)) { return try connect(.immutable) }
        do { return try connect(.query) } catch let error as StoreError {
            guard let failure = error.underlying as? SQLiteFailure, failure.isAboutFilesBeside else { throw error }
            return try connect(.immutable)
        }
    }

    private func openForWriting(
        _ file: DatabaseFile, _ description: StoreDescription, _ model: ManagedObjectModel, _ settings: ConnectionSettings
    ) throws -> SQLiteStore {
        let path = file.path
        try SQLiteDriver.removeLeftovers(of: path)
        let creation = StoreCreation(path: path, description: description, model: model, settings: settings)
        if file.kind == .nothing { try creation.run() }
        let timeout = description.options.timeout
        // Created where there is only an empty file, or another process removed what was created.
        for _ in 0..<8 {
            do {
                let writer = try Connection(path, .readWrite(creating: false), timeout: timeout)
                try settings.apply(to: writer, isWriting: true)
                let loaded = try load(writer, description, model)
                if writer.isReadOnly { throw StoreError(.denied, .open, "the file may only be read", path: path) }
                if settings.pageChecksums { try PageChecksums.add(writer) }
                try settings.applyForWriting(to: writer)
                return loaded.store(over: writer, settings)
            } catch is IncompleteStore {
                try creation.run()
            }
        }
        throw StoreError(.locked, .open, "others keep making and removing the store", path: path)
    }

    /// Opens a store again over the connection of a closed one.
    func open(over writer: Connection, _ description: StoreDescription, model: ManagedObjectModel) throws -> SQLiteStore {
        try StoreError.naming(.open, path: writer.path) {
            let settings = try ConnectionSettings(self, description.options.durability, path: writer.path)
            // They may have been dropped with the tables of the other version.
            writer.triggers = nil
            return try load(writer, description, model).store(over: writer, settings)
        }
    }

    /// An empty database: a store whose creation was interrupted.
    struct IncompleteStore: Error {}

    private func load(
        _ connection: Connection, _ description: StoreDescription, _ model: ManagedObjectModel
    ) throws -> SQLiteStore.Content {
        try connection.beginReading()
        defer { connection.endReading() }
        try PageChecksums.check(connection)
        try DatabaseFile.requireWholePages(of: connection)
        let inspector = try SchemaInspector(connection)
        guard inspector.isStore else {
            if try !connection.isReadOnly && StoreCreation.isIncomplete(connection) { throw IncompleteStore() }
            throw SQLiteDriver.foreign(.open, connection.path)
        }
        let metadata = try MetadataTable.read(connection)
        let isTolerant = description.options.ignoresModelVersion
        var (model, description) = (model, description)
        if !isTolerant {
            do { try metadata.checkCompatibility(with: model, opening: description, path: connection.path) } catch {
                guard let source = description.sourceVersion?(metadata) else { throw error }
                (model, description.configuration) = (source.model, source.configuration)
            }
        }
        let schema = try inspector.schema(
            of: model, configuration: description.configuration, isTolerant: isTolerant, isForeign: metadata.isForeign)
        return SQLiteStore.Content(
            description: description, model: model, schema: schema, storeID: metadata.storeID,
            orphans: OrphanRows(isLikely: metadata.isForeign),
            prefersCoreDataHistory: keepsCoreDataHistory,
            hasCoreDataHistory: inspector.hasTable("ACHANGE") && inspector.hasTable("ATRANSACTION"))
    }

    public func metadataOfFile(at path: String) throws -> StoreMetadata {
        try StoreError.naming(.metadata, path: path) { try MetadataTable.read(try SQLiteDriver.readingStore(path, .metadata)) }
    }

    public func setMetadata(_ metadata: StoreMetadata, ofFileAt path: String) throws {
        try StoreError.naming(.metadata, path: path) {
            _ = try SQLiteDriver.readingStore(path, .metadata)
            let connection = try Connection(
                DatabaseFile(path, .metadata).path, .readWrite(creating: false), timeout: StoreOptions().timeout)
            try connection.execute("PRAGMA synchronous = FULL", .metadata)
            try connection.execute("BEGIN IMMEDIATE", .metadata)
            do {
                let new = try metadata.replacing(try MetadataTable.read(connection), .metadata, path: path)
                try MetadataTable.write(new, connection)
                try connection.execute("COMMIT", .metadata)
            } catch {
                try? connection.execute("ROLLBACK", .metadata)
                throw error
            }
        }
    }

    /// Opens a connection for reading an existing store.
    ///
    /// - Throws: `StoreError` with `missing` where there is none, `foreign` where the database is not a store.
    static func readingStore(_ path: String, _ operation: StoreError.Operation) throws -> Connection {
        let file = try DatabaseFile(path, operation)
        if file.kind == .nothing { throw StoreError.missingStore(operation, at: path) }
        let (connection, _) = try SQLiteDriver.reading(file.path, timeout: StoreOptions().timeout)
        if try !isStore(connection) {
            let isIncomplete = try StoreCreation.isIncomplete(connection)
            throw isIncomplete ? StoreError.missingStore(operation, at: path) : foreign(operation, path)
        }
        return connection
    }

    /// Whether a database is a store of Strata or of Core Data.
    static func isStore(_ connection: Connection) throws -> Bool {
        try connection.integer("SELECT count(*) FROM sqlite_master WHERE name = 'Z_METADATA'", .open) == 1
    }

    static func foreign(_ operation: StoreError.Operation, _ path: String) -> StoreError {
        StoreError(.foreign, operation, "the database is no store of Core Data's layout", path: path)
    }
}

extension StoreDriver where Self == SQLiteDriver {
    /// A store in a SQLite database with the tables of Core Data's, written as it goes.
    public static var sqlite: SQLiteDriver { SQLiteDriver() }

    /// Returns the driver of a store in a SQLite database with the tables of Core Data's, written as it goes.
    ///
    /// - Parameters:
    ///   - pragmas: See ``SQLiteDriver/pragmas``.
    ///   - pageChecksums: See ``SQLiteDriver/pageChecksums``.
    ///   - mmapSize: See ``SQLiteDriver/mmapSize``.
    ///   - keepsCoreDataHistory: See ``SQLiteDriver/keepsCoreDataHistory``.
    ///   - logger: See ``SQLiteDriver/logger``.
    public static func sqlite(
        pragmas: [String: String] = [:], pageChecksums: Bool = false, mmapSize: Int = 0, keepsCoreDataHistory: Bool = false,
        logger: Logger? = nil
    ) -> SQLiteDriver {
        SQLiteDriver(
            pragmas: pragmas, pageChecksums: pageChecksums, mmapSize: mmapSize, keepsCoreDataHistory: keepsCoreDataHistory, logger: logger)
    }
}

extension StoreType {
    /// "SQLite", as Core Data spells it, too.
    public static let sqlite = StoreType(rawValue: "SQLite")
}

extension SQLiteStore.Content {
    /// Returns the store over the writer's connection.
    fileprivate func store(over writer: Connection, _ settings: ConnectionSettings) -> SQLiteStore {
        let (path, identity, timeout) = (writer.path, writer.identity, description.options.timeout)
        let pool = ConnectionPool(path, description.options) {
            let connection = try Connection(path, .read, timeout: timeout)
            guard connection.identity == identity else { throw FileWatch.error(.replaced, path, .fetch) }
            try settings.apply(to: connection)
            return connection
        }
        let store = SQLiteStore(path: path, self, writer: writer, pool: pool)
        // A file that cannot be removed does no harm.
        try? store.collector.removeUnnamed(writer)
        return store
    }
}
