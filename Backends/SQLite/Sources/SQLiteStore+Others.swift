import StrataEngine
import StrataSQL
public import StrataStore

extension SQLiteStore: SharedStore {
    /// How often the connection that writes saw that others had committed.
    ///
    /// SQLite counts that for each connection, and leaves out what the connection committed itself. All that this store writes goes through
    /// one connection; a store for reading only keeps one for this.
    ///
    /// - Throws: As `SharedStore.revisionOfOthers()`.
    public func revisionOfOthers() throws -> Int64? {
        if isReadOnly { return try withWatchingConnection { try $0.integer(SQLiteStore.dataVersion, .refresh) } }
        try check(.refresh)
        // With a timeout: while one save follows the other, the write lock is never free at a given moment.
        guard writeLock.acquire(until: Deadline(after: SQLiteStore.patience)) else { return nil }
        defer { writeLock.release() }
        try check(.refresh)
        return try writer?.integer(SQLiteStore.dataVersion, .refresh)
    }

    /// Asks for a number that changes with the commits of all other connections, of this process or another.
    private static let dataVersion: SQLText = "PRAGMA data_version"
    private static let patience = 0.005

    /// The database's own file, its log, and the journal of a database that has none.
    public var writtenPaths: [String] { [filePath, filePath + "-wal", filePath + "-journal"] }
}
