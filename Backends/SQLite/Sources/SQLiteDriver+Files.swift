import CStrataSQLite
import StrataEngine
import StrataSQL
public import StrataStore

extension SQLiteDriver {
    public func destroyFile(at path: String) throws {
        try StoreError.naming(.destroy, path: path) {
            let system = PosixFileSystem.shared
            let resolved = try system.resolvingLinks(path)
            // Without the database, only leftovers of a replacement can be attributed to a store.
            guard try system.statusIfPresent(of: resolved) != nil else {
                // The directory may be missing, too.
                try? SQLiteDriver.removeLeftovers(of: resolved)
                return
            }
            let holder = try SQLiteDriver.exclusive(DatabaseFile(path, .destroy), .destroy)
            let values = holder.flatMap { ExternalValuesOfStore($0, resolved, .destroy) }
            try system.removeIfPresent(resolved)
            _ = consume holder
            for suffix in ["-wal", "-shm", "-journal"] { try system.removeIfPresent(resolved + suffix) }
            try values?.remove()
            try SQLiteDriver.removeLeftovers(of: resolved)
            try system.synchronizeDirectory(PathName.parent(of: resolved))
        }
    }

    /// Removes the temporary files of interrupted replacements, with SQLite's journals beside them.
    static func removeLeftovers(of path: String) throws { try AtomicReplacement.removeLeftovers(of: path, companions: ["-journal"]) }

    /// Returns a connection with exclusive access to a store, or an empty file, with its log checkpointed; `nil` where the
    /// store is too damaged to be opened.
    ///
    /// - Parameter acceptsAll: Whether any damaged file is accepted, or only one that shows that it was a store.
    /// - Throws: `StoreError` with `locked` while another connection has it open, `foreign` where the database is not a
    ///   store, which is left unchanged.
    private static func exclusive(_ file: DatabaseFile, _ operation: StoreError.Operation, acceptsAll: Bool = false) throws -> Connection? {
        try unlessDamaged(file, acceptsAll) { try soundAndExclusive(file, operation) }
    }

    /// Runs `body`; `nil` where it fails as the file is damaged, which was a store, or may have been one.
    private static func unlessDamaged<T>(_ file: DatabaseFile, _ acceptsAll: Bool, _ body: () throws -> T) throws -> T? {
        do { return try body() } catch let error as StoreError {
            guard error.code == .corrupt || error.isAboutHead || acceptsAll && error.code == .foreign,
                try acceptsAll || mentionsStore(file.path)
            else { throw error }
            return nil
        }
    }

    private static func soundAndExclusive(_ file: DatabaseFile, _ operation: StoreError.Operation) throws -> Connection {
        if file.kind == .sqlite { try refuseForeign(file, operation) }
        let connection = try Connection(file.path, .readWrite(creating: false), timeout: 0)
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE", operation)
        // Leaving the WAL mode requires that no other connection is open; a leftover log would be taken for that of
        // the next store here.
        try connection.execute("PRAGMA journal_mode = DELETE", operation)
        try connection.execute("BEGIN EXCLUSIVE", operation)
        return connection
    }

    private static func refuseForeign(_ file: DatabaseFile, _ operation: StoreError.Operation) throws {
        let (connection, _) = try reading(file.path, timeout: 0)
        if try isStore(connection) || StoreCreation.isIncomplete(connection) { return }
        throw foreign(operation, file.path)
    }

    /// Whether a damaged database was a store: it still contains the statement that created the table of metadata.
    private static func mentionsStore(_ path: String) throws -> Bool {
        let (file, wanted) = (try PosixFileSystem.shared.open(path, .read), Array("CREATE TABLE Z_METADATA".utf8))
        defer { try? file.close() }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset = 0
        while true {
            let count = try unsafe buffer.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: offset) }
            if buffer[..<count].contains(wanted) { return true }
            if count < buffer.count { return false }
            offset += count - wanted.count
        }
    }

    public func replaceFile(at path: String, withFileAt source: String, _ replacement: StoreReplacement) throws {
        try StoreError.naming(.replace, path: path) {
            let acceptsAll = replacement.replacesUnrecognized
            let file = try DatabaseFile(path, .replace, acceptsForeign: acceptsAll)
            let original = try DatabaseFile(source, .replace)
            let system = PosixFileSystem.shared
            if original.kind == .nothing { throw StoreError.missingStore(.replace, at: source) }
            let status = try system.statusIfPresent(of: file.path)
            if try status?.identity == system.status(of: original.path).identity { return }
            if file.kind == .sqlite {
                _ = try SQLiteDriver.unlessDamaged(file, acceptsAll) { try SQLiteDriver.refuseForeign(file, .replace) }
            }
            try SQLiteDriver.removeLeftovers(of: file.path)
            let temporary = TemporaryFile(replacing: file.path)
            let from = try SQLiteDriver.readingStore(original.path, .replace)
            // During the snapshot, the files that it references are not removed.
            try from.beginReading()
            defer { from.endReading() }
            let values = try SQLiteDriver.copy(from, original.path, to: temporary.path)
            // If there is no file, an empty one keeps other processes from creating a store meanwhile.
            if status == nil { try system.open(file.path, .create(permissions: 0o644)).close() }
            let holder = try SQLiteDriver.exclusive(
                DatabaseFile(path, .replace, acceptsForeign: acceptsAll), .replace, acceptsAll: acceptsAll)
            let old = holder.flatMap { ExternalValuesOfStore($0, file.path, .replace) }
            do {
                try replacement.beforeCommit()
                // The log of a damaged database would be taken for that of the copy.
                if holder == nil { for suffix in ["-wal", "-shm", "-journal"] { try system.removeIfPresent(file.path + suffix) } }
                try replaceFile(temporary.path, file.path, values)
            } catch {
                if status == nil, (try? system.status(of: file.path))?.size == 0 { try? system.unlink(file.path) }
                throw error
            }
            _ = consume holder
            old?.remove(keeping: values)
        }
    }

    /// Copies a database as a connection that is reading sees it, and returns the external files that its rows reference.
    static func copy(
        _ from: Connection, _ path: String, to temporary: String, _ progress: (Int, Int) throws -> Void = { _, _ in }
    ) throws -> ExternalValuesOfStore {
        let to = try Connection(temporary, .readWrite(creating: true), timeout: 0)
        // An incomplete copy does not replace the file, so no journal is needed, nor any file beside the copy.
        try to.execute("PRAGMA journal_mode = OFF", .replace)
        guard let backup = unsafe sqlite3_backup_init(to.handle, "main", from.handle, "main") else {
            throw unsafe to.error(sqlite3_errcode(to.handle), .replace)
        }
        var code = SQLITE_OK
        do {
            // In steps that see one state, as the connection has begun to read.
            repeat {
                code = unsafe sqlite3_backup_step(backup, 2048)
                let (left, total) = unsafe (Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
                if code == SQLITE_OK { try progress(total - left, total) }
            } while code == SQLITE_OK
        } catch {
            unsafe sqlite3_backup_finish(backup)
            throw error
        }
        let end = unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else { throw to.error(code == SQLITE_DONE ? end : code, .replace) }
        return try ExternalValuesOfStore(of: nil, at: path) { try ExternalNames.forEach(from, .replace, $0) }
    }

    static func synchronize(_ path: String) throws {
        let file = try PosixFileSystem.shared.open(path, .readWrite)
        try file.synchronize()
        try file.close()
    }

    private func replaceFile(_ temporary: String, _ path: String, _ values: ExternalValuesOfStore) throws {
        try SQLiteDriver.synchronize(temporary)
        // Names are unique, so that the files of both stores can coexist until the copy has replaced the database.
        try values.copy(forStoreAt: path)
        try AtomicReplacement.resume(temporaryPath: temporary, path: path).commit()
    }

    /// Reads the model in the table `Z_MODELCACHE`, archived and compressed as by Core Data.
    ///
    /// - Returns: `nil` where there is no table, or its content cannot be read: the store does not depend on this copy.
    /// - Throws: As `metadata(at:)`.
    public func foreignModel(at location: StoreLocation) throws -> ManagedObjectModel? {
        guard let path = location.path else { return nil }
        return try StoreError.naming(.migrate, path: path) {
            try ModelCacheTable.model(try SQLiteDriver.readingStore(path, .migrate), .migrate)
        }
    }

    /// Returns the bytes of a store's file that deletions left unused, and that later saves fill.
    ///
    /// - Throws: As `metadata(at:)`.
    public func unusedByteCount(at path: String) throws -> Int64 {
        try StoreError.naming(.metadata, path: path) {
            let connection = try SQLiteDriver.readingStore(path, .metadata)
            let pages = try connection.integer("PRAGMA freelist_count", .metadata) ?? 0
            return try pages * (connection.integer("PRAGMA page_size", .metadata) ?? 0)
        }
    }

    /// Rewrites a store's file without unused space, in one transaction; objects keep their IDs.
    ///
    /// - Throws: `StoreError` with `locked` while another connection has the store open; as `metadata(at:)`.
    /// - Complexity: O(n) in the file; as much space as the file takes is needed meanwhile.
    public func compact(at path: String) throws {
        try StoreError.naming(.replace, path: path) {
            let mode = try ConnectionSettings.isLogged(try SQLiteDriver.readingStore(path, .replace)) ? "WAL" : "DELETE"
            let connection = try SQLiteDriver.soundAndExclusive(DatabaseFile(path, .replace), .replace)
            // The lock stays: the connection is in exclusive mode.
            try connection.execute("COMMIT", .replace)
            try connection.execute("VACUUM", .replace)
            try connection.prepare(["PRAGMA journal_mode =", mode].joined(separator: " ")).run(.replace)
        }
    }
}
