import StrataEngine
public import StrataStore

/// A read transaction that is held, on a connection of its own.
///
/// As long as it is there the log is not started over: what is saved makes it longer.
final class SQLiteSnapshot: StoreSnapshot {
    private let store: SQLiteStore
    private let connection: SnapshotHold<Connection>

    init(_ store: SQLiteStore, _ connection: SnapshotHold<Connection>) {
        self.store = store
        self.connection = connection
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try store.check(.fetch)
        return try connection.use(orThrow: store.closed(.fetch)) {
            try body(SQLiteReader(store, $0, isReading: true))
        }
    }
}

extension SQLiteStore {
    /// Holds a read transaction.
    ///
    /// - Returns: `nil` where the database has no log: a reader blocks writers.
    /// - Throws: As `PersistentStore.holdSnapshot()`.
    public func holdSnapshot() throws -> (any StoreSnapshot)? {
        try check(.fetch)
        let connection = try pool.openApart()
        guard connection.isLogged else { return nil }
        try SQLiteReader(self, connection).takeSnapshot()
        return SQLiteSnapshot(self, snapshots.hold(connection))
    }
}
