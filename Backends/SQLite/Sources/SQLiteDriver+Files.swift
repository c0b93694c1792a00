import CSQLite
import StrataFiles
import StrataStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension SQLiteDriver {
    public func destroy(at path: String) throws {
        let kind: FileKind
        do { kind = try FileKind.probe(path, "destroy") } catch let error as StoreError {
            // No directory, no store.
            if error.code == .missing { return }
            throw error
        }
        try kind.refuseOthers(path, "destroy")
        let system = PosixFileSystem.shared
        do {
            let holder = kind == .database ? try Self.exclusive(path, "destroy") : nil
            let values = holder.flatMap { ExternalValuesOfStore($0, path, "destroy") }
            try system.removeIfPresent(path)
            _ = consume holder
            for suffix in ["-wal", "-shm", "-journal"] { try system.removeIfPresent(path + suffix) }
            if let values { try values.directory.removeStore(naming: values.names) }
            try system.synchronizeDirectory(PathName.parent(of: path))
        } catch let error as FileError { throw StoreError(error, "destroy", path: path) }
    }

    /// A connection that holds a database alone, its log merged into it; `nil` where the database is too damaged to be used by anyone.
    ///
    /// - Throws: ``StoreError`` with `locked` while anyone else has it open.
    private static func exclusive(_ path: String, _ operation: String) throws -> Connection? {
        do {
            let connection = try Connection(path, .readWrite(creating: false), timeout: 0)
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE", operation)
            // Leaving the log mode takes everyone else's absence; a leftover log would be taken for that of the next store here.
            try connection.execute("PRAGMA journal_mode = DELETE", operation)
            try connection.execute("BEGIN EXCLUSIVE", operation)
            return connection
        } catch let error as StoreError {
            if error.code == .corrupt || error.code == .foreign { return nil }
            throw error
        }
    }

    public func replace(at path: String, withStoreAt source: String) throws {
        if path == source { return }
        let kind = try FileKind.probe(source, "replace")
        try kind.refuseOthers(source, "replace")
        if kind == .nothing { throw StoreError(.missing, "replace", "there is no store to copy", path: source) }
        let replaced = try FileKind.probe(path, "replace")
        try replaced.refuseOthers(path, "replace")
        let temporary = PathName.joining(
            PathName.parent(of: path),
            ".\(PathName.last(of: path)).\(getpid()).\(String(UInt64.random(in: .min ... .max), radix: 36)).tmp")
        do {
            let (from, _) = try Self.reading(source, timeout: StoreOptions().timeout)
            // As long as it is read the files stay that it names.
            try from.beginReading()
            defer { from.endReading() }
            let names = try copy(from, to: temporary)
            let holder = replaced == .database ? try Self.exclusive(path, "replace") : nil
            let old = holder.flatMap { ExternalValuesOfStore($0, path, "replace") }
            try putInPlace(temporary, path, source, names)
            _ = consume holder
            // Values that stay behind do no harm.
            if let old { try? old.directory.remove(old.names.union(old.directory.ownedNames()).subtracting(names)) }
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm"] { try? PosixFileSystem.shared.removeIfPresent(temporary + suffix) }
            throw (error as? FileError).map { StoreError($0, "replace", path: path) } ?? error
        }
    }

    /// Copies a database as of its last commit, and answers which files its rows name.
    private func copy(_ from: Connection, to temporary: String) throws -> Set<String> {
        try Self.refuseForeign(from, "replace")
        let to = try Connection(temporary, .readWrite(creating: true), timeout: 0)
        try to.execute("PRAGMA synchronous = FULL", "replace")
        guard let backup = sqlite3_backup_init(to.handle, "main", from.handle, "main") else {
            throw to.error(sqlite3_errcode(to.handle), "replace")
        }
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, end == SQLITE_OK else { throw to.error(code == SQLITE_DONE ? end : code, "replace") }
        return try ExternalNames.all(from, "replace")
    }

    private func putInPlace(_ temporary: String, _ path: String, _ source: String, _ names: Set<String>) throws {
        let system = PosixFileSystem.shared
        let file = try system.open(temporary, .readWrite)
        try file.synchronize()
        try file.close()
        let (values, newValues) = (ExternalDataDirectory(storePath: path), ExternalDataDirectory(storePath: source))
        try StoreError.refuseSharing(names, values, newValues, "replace", path: path)
        // Names are unique, so the files of both stores lie beside each other until the database is in its place.
        try newValues.copy(names, to: values)
        guard let replacement = try AtomicReplacement.resume(temporaryPath: temporary, path: path) else {
            throw StoreError(.io, "replace", "the copy is gone", path: path)
        }
        try replacement.commit()
    }
}
