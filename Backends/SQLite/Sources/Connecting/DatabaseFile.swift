import StrataEngine
import StrataSQL

/// What a path leads to, before anything is opened as a database.
struct DatabaseFile {
    /// The path, symbolic links resolved: SQLite's files lie beside the database itself.
    let path: String
    /// The kind of file; `sqlite` or `nothing`.
    let kind: FileKind
    /// Has the descriptor that was looked through kept for the database that is opened next.
    private let hold: OpenDatabases.Hold?

    /// Looks at a file.
    ///
    /// - Throws: `StoreError` with `wrongType` or `foreign` for files of other kinds.
    init(_ path: String, _ operation: StoreError.Operation) throws {
        let system = PosixFileSystem.shared
        self.path = try system.resolvingLinks(path)
        hold = try? OpenDatabases.hold(self.path)
        let found = try FileKind(at: self.path, operation)
        kind = found == .foreign && DatabaseFile.isHalfWritten(self.path) ? .sqlite : found
        if kind != .nothing && kind != .sqlite { throw kind.refusal(operation, path: path) }
    }

    /// Checks that the file of a connection, which reads, ends with a page: SQLite reads what is missing of the last one as zeros.
    ///
    /// Pages that are missing whole are noticed by SQLite. What a log holds is not in the file yet, and the end may be in it.
    ///
    /// - Throws: `StoreError` with `corrupt` where the file was cut off.
    static func requireWholePages(of connection: Connection) throws {
        let system = PosixFileSystem.shared
        guard try system.statusIfPresent(of: connection.path + "-wal")?.size ?? 0 == 0,
            let file = try system.statusIfPresent(of: connection.path),
            let pageSize = try connection.integer("PRAGMA page_size", .open).map({ Int($0) }), pageSize > 0, file.size % pageSize != 0
        else { return }
        throw StoreError(
            .corrupt, .open, "the file was cut off: its last page has \(file.size % pageSize) of \(pageSize) bytes", path: connection.path)
    }

    /// Whether SQLite will empty the file again: a power loss ended the transaction that was to write its first page.
    private static func isHalfWritten(_ path: String) -> Bool {
        let system = PosixFileSystem.shared
        guard let beginning = try? system.beginning(of: path, count: 16), beginning.allSatisfy({ $0 == 0 }) else { return false }
        let journal = (try? system.beginning(of: path + "-journal", count: 8)) ?? []
        return journal == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    }
}
