import StrataEngine
import StrataSQL
public import StrataStore

extension SQLiteStore: SharedStore {
    /// Returns a number that changes when the writer's connection sees commits of other connections.
    ///
    /// SQLite counts them for each connection, without the connection's own commits. All writes of this store use one
    /// connection; a read-only store keeps one for this.
    ///
    /// - Throws: As `SharedStore.revisionOfOthers()`.
    public func revisionOfOthers() throws -> Int64? {
        if isReadOnly { return try withWatchingConnection { try $0.integer(SQLiteStore.dataVersion, .refresh) } }
        try check(.refresh)
        // With a timeout: while saves follow each other, the write lock is never free at a given moment.
        guard writeLock.acquire(until: Deadline(after: SQLiteStore.patience)) else { return nil }
        defer { writeLock.release() }
        try check(.refresh)
        return try writer?.integer(SQLiteStore.dataVersion, .refresh)
    }

    /// The pragma for a number that changes with the commits of all other connections, of this process or another.
    private static let dataVersion: SQLText = "PRAGMA data_version"
    private static let patience = 0.005

    /// The database file, its log, and the journal of a database without a log.
    public var writtenPaths: [String] { [filePath, filePath + "-wal", filePath + "-journal"] }
}
