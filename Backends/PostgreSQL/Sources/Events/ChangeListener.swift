import Dispatch
import StrataSQL
import Synchronization

/// Detects commits of other writers to a store, on a connection of its own, which the first query opens.
///
/// A notification only triggers a query of the store's log, which has the changes even where a notification, or the connection, was lost.
final class ChangeListener: Sendable {
    private struct State {
        var connection: Connection?
        /// The log's position when it was last queried.
        var position: LogPosition?
        var revision: Int64 = 0
        /// The time when the log was last queried, in nanoseconds.
        var lastLook: UInt64 = 0
    }

    private let state = Mutex(State())
    private let isClosed = Atomic(false)
    private let table: ChangeTable
    private let channel: String
    private let lock: AdvisoryLock
    private let writer: String
    /// The statement that notifies the listeners of a commit, if there are any.
    ///
    /// It follows the commit: within the transaction it would serialize all commits of the database, as the server orders notifications by
    /// commits.
    let notification: SQLText
    private let connect: @Sendable (StoreError.Operation) throws -> Connection
    /// The longest time without a query of the log, in nanoseconds.
    private static let longestRest: UInt64 = 900_000_000

    init(
        _ schema: String, storeID: StoreID, writer: String, _ connect: @escaping @Sendable (StoreError.Operation) throws -> Connection
    ) {
        table = ChangeTable(schema: schema)
        channel = "strata_" + storeID.rawValue.prefix(40)
        // Posted statements have no parameters.
        lock = AdvisoryLock(.listening, hashOf: "\(literal: channel)")
        notification = "SELECT pg_catalog.pg_notify(\(literal: channel), '') WHERE NOT \(lock.call("pg_try_advisory_xact_lock"))"
        self.writer = writer
        self.connect = connect
    }

    /// The socket of the connection, to wait for.
    var signal: Int32? { state.withLock { $0.connection?.socket } }

    /// The backend process of the connection.
    var session: Session? { state.withLock { $0.connection?.session } }

    /// Returns a number that grows with the commits of other writers.
    ///
    /// - Throws: `StoreError` where the server cannot be reached; the next call connects again.
    func revision() throws -> Int64 {
        try state.withLock { state in
            if isClosed.load(ordering: .acquiring) { throw StoreError(.closed, .refresh, "the store was closed") }
            do {
                let connection = try state.connection ?? listen()
                let isNotified = connection.takeNotifications()
                let now = DispatchTime.now().uptimeNanoseconds
                let isDue = state.connection == nil || isNotified || now - state.lastLook > ChangeListener.longestRest
                state.connection = connection
                if isDue {
                    try look(connection, &state)
                    state.lastLook = now
                }
                return state.revision
            } catch {
                state.connection = nil
                throw error
            }
        }
    }

    private func look(_ connection: Connection, _ state: inout State) throws {
        guard let position = state.position else {
            state.position = try table.position(connection) ?? standbyPosition(connection)
            return
        }
        let isStandby = try table.position(connection) == nil
        if isStandby || position.rawValue.contains("/") {
            // A standby, or a promoted one, shows its position, but not the writers of the changes.
            let next = try isStandby ? standbyPosition(connection) : table.position(connection)
            if next != position { state.revision += 1 }
            state.position = next
            return
        }
        let result = try connection.execute(table.news(since: position, of: writer), .refresh)
        var isNew = result.number(0, 1, as: UInt8.self) == 1
        if !isNew, result.number(0, 2, as: UInt8.self) == 1 {
            let news = HistoryTable(schema: table.schema).news(since: position, of: writer)
            isNew = try connection.execute(news, .refresh).number(0, 0, as: UInt8.self) == 1
        }
        if isNew { state.revision += 1 }
        state.position = result.text(0, 0).map { LogPosition($0) }
    }

    private func standbyPosition(_ connection: Connection) throws -> LogPosition? {
        let sql = SQLText("SELECT pg_catalog.pg_last_wal_replay_lsn()::text")
        return try connection.execute(sql, .refresh).text(0, 0).map { LogPosition($0) }
    }

    /// Connects and listens for notifications; a standby does not support LISTEN.
    private func listen() throws -> Connection {
        let connection = try connect(.refresh)
        if try table.position(connection) == nil { return connection }
        try connection.run(SQLText("LISTEN \(identifier: channel)"), .refresh)
        // While the session holds the lock, writers notify.
        try connection.run(lock.statement("pg_advisory_lock_shared"), .refresh)
        return connection
    }

    func close() {
        isClosed.store(true, ordering: .releasing)
        // A query that is under way may wait for the server for long; the connection is closed with the listener then.
        let connection = state.withLockIfAvailable { state in
            defer { state.connection = nil }
            return state.connection
        }
        _ = consume connection
    }
}

extension PostgreSQLStore: SharedStore {
    func revisionOfOthers() throws -> Int64? {
        try checkOpen(.refresh)
        let revision = try feed.listener.revision()
        // A notified listener finds the change on the replica, too.
        replica?.noteRevision(revision)
        return revision
    }

    var writtenPaths: [String] { [] }
    var signal: Int32? { feed.listener.signal }
}

extension PostgreSQLReader: LoggedReader {
    func logPosition() throws -> LogPosition? { try changeTable.position(scope) }

    func changes(since position: LogPosition) throws -> LoggedChanges? {
        guard var changes = try changeTable.changes(since: position, schema, scope),
            try HistoryTable(schema: schema.name).addChanges(since: position, to: &changes, schema, scope, model)
        else { return nil }
        return changes
    }

    private var changeTable: ChangeTable { ChangeTable(schema: schema.name) }
}
