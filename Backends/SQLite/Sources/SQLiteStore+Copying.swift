import StrataEngine
import StrataSQL
public import StrataStore

extension SQLiteStore {
    /// Begins a read transaction, of whose state the copy will be.
    ///
    /// - Throws: As `StoreBackend.beginCopy()`.
    public func beginCopy() throws -> (any PendingCopy)? {
        try check(.backUp)
        let connection = try pool.open()
        try SQLiteReader(self, connection).takeSnapshot()
        return SQLiteCopy(store: self, connection: snapshots.hold(connection))
    }
}

/// A copy of a database, page by page, as a held read transaction sees it.
///
/// Without a log, saves wait for its end.
private final class SQLiteCopy: PendingCopy {
    private let store: SQLiteStore
    private let connection: SnapshotHold<Connection>

    init(store: SQLiteStore, connection: SnapshotHold<Connection>) {
        self.store = store
        self.connection = connection
    }

    func write(to path: String, linkingValuesOf earlier: String?, _ progress: (_ done: Int, _ total: Int) throws -> Void) throws {
        try StoreError.naming(.backUp, path: path) {
            try connection.use(orThrow: store.closed(.backUp)) { from in
                // During the snapshot, the files that it references are not removed.
                try SQLiteDriver.copy(from, store.filePath, to: path, progress).copy(forStoreAt: path, linking: earlier)
            }
            try SQLiteDriver.synchronize(path)
        }
    }
}
