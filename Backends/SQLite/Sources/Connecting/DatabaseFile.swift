import StrataEngine
import StrataSQL

/// The file at a path, examined before a database is opened.
struct DatabaseFile {
    /// The path with symbolic links resolved: SQLite's companion files are beside the database itself.
    let path: String
    /// The kind of file; `sqlite` or `nothing`, or `foreign` where that is accepted.
    let kind: FileKind
    /// Keeps the descriptor of the examination for the database that is opened next.
    private let hold: OpenDatabases.Hold?

    /// Examines a file.
    ///
    /// - Parameter acceptsForeign: Whether a file of no known kind is accepted, as a database with a damaged beginning is.
    /// - Throws: `StoreError` with `wrongType` or `foreign` for files of other kinds.
    init(_ path: String, _ operation: StoreError.Operation, acceptsForeign: Bool = false) throws {
        let system = PosixFileSystem.shared
        self.path = try system.resolvingLinks(path)
        hold = try? OpenDatabases.hold(self.path)
        let found = try FileKind(at: self.path, operation)
        kind = found == .foreign && DatabaseFile.isHalfWritten(self.path) ? .sqlite : found
        if kind == .foreign && acceptsForeign { return }
        if kind != .nothing && kind != .sqlite { throw kind.refusal(operation, path: path) }
    }

    /// Checks that the file of a connection ends at a page boundary: SQLite reads the missing rest of a page as zeros.
    ///
    /// SQLite detects missing whole pages. The end of the file may be in a log that is not checkpointed yet.
    ///
    /// - Throws: `StoreError` with `corrupt` where the file was truncated.
    static func requireWholePages(of connection: Connection) throws {
        let system = PosixFileSystem.shared
        guard try system.statusIfPresent(of: connection.path + "-wal")?.size ?? 0 == 0,
            let file = try system.statusIfPresent(of: connection.path),
            let pageSize = try connection.integer("PRAGMA page_size", .open).map({ Int($0) }), pageSize > 0, file.size % pageSize != 0
        else { return }
        throw StoreError(
            .corrupt, .open, "the file was cut off: its last page has \(file.size % pageSize) of \(pageSize) bytes", path: connection.path)
    }

    /// Whether SQLite will truncate the file to empty: a power loss ended the transaction that was writing its first page.
    private static func isHalfWritten(_ path: String) -> Bool {
        let system = PosixFileSystem.shared
        guard let beginning = try? system.beginning(of: path, count: 16), beginning.allSatisfy({ $0 == 0 }) else { return false }
        let journal = (try? system.beginning(of: path + "-journal", count: 8)) ?? []
        return journal == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    }
}
