import CSQLite
import StrataFiles
import StrataModel
import StrataStore

/// Makes a new store where there is none, or an empty file.
struct StoreCreation {
    private let path: String
    private let description: StoreDescription
    private let model: ManagedObjectModel
    private let settings: ConnectionSettings

    init(_ path: String, _ description: StoreDescription, _ model: ManagedObjectModel, _ settings: ConnectionSettings) {
        self.path = path
        self.description = description
        self.model = model
        self.settings = settings
    }

    /// Makes all tables in one transaction; does nothing where another process was faster.
    ///
    /// The transaction is kept by a rollback journal, so that a crash leaves an empty file, which is a new store again; only then is the
    /// file switched to a log.
    func run() throws {
        let system = PosixFileSystem.shared
        let existed = system.exists(path)
        let connection = try Connection(path, .readWrite(creating: true), timeout: description.options.timeout)
        do {
            try settings.applyForCreating(to: connection)
            try connection.execute("BEGIN EXCLUSIVE", "open")
            if try isEmpty(connection) { try write(connection) }
            try connection.execute("COMMIT", "open")
        } catch {
            try? connection.execute("ROLLBACK", "open")
            if !existed, (try? system.status(of: path))?.size == 0 { try? system.unlink(path) }
            throw error
        }
        do { try system.synchronizeDirectory(PathName.parent(of: path)) } catch {
            throw StoreError(error, "open", path: path)
        }
    }

    private func isEmpty(_ connection: Connection) throws -> Bool {
        let statement = try connection.prepare("SELECT count(*) FROM sqlite_master")
        return try statement.step("open") && statement.integer(0) == 0
    }

    private func write(_ connection: Connection) throws {
        for statement in SchemaWriter.statements(for: model, configuration: description.configuration).statements {
            try connection.execute(statement, "open")
        }
        var metadata = StoreMetadata(type: MetadataCoding.type, model: model, configuration: description.configuration)
        metadata.userInfo[StoreMetadata.writerKey] = .string("1")
        try MetadataTable.write(metadata, connection)
        if settings.pageChecksums { try PageChecksums.mark(connection) }
    }
}
