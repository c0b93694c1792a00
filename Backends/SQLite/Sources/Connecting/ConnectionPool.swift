import StrataEngine
import Synchronization

/// The connections for reading: each is lent to one reader at a time, up to a limit, in the order of requests.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        var lent = 0
        var isClosed = false
        /// Whether closing connections leave the log in place.
        var leavesLog = false
        /// Whether connections may keep a transaction open while they are idle.
        var allowsBursts = true
        /// Whether the end of the kept transactions is scheduled.
        var isEndScheduled = false
        /// The size of the connections' page caches; `nil` before the store wrote.
        var cacheKibibytes: Int?
    }

    private let state = Mutex(State())
    /// Opens a new connection.
    let open: @Sendable () throws -> Connection
    /// The permits for connections.
    private let permits: ConnectionPermits
    private let path: String

    /// A pool that opens connections with `open` when none is idle.
    init(_ path: String, _ options: StoreOptions, _ open: @escaping @Sendable () throws -> Connection) {
        self.path = path
        self.open = open
        permits = ConnectionPermits("readers", maximum: options.maximumReaders, timeout: options.connectionTimeout ?? options.timeout)
    }

    /// Takes a connection, as soon as one may be lent.
    ///
    /// - Returns: `nil` after the pool was closed.
    /// - Throws: `StoreError` with `busy` after the maximum wait; what opening a connection throws.
    func take() throws -> Connection? {
        var permit = try permits.acquire(.fetch, path: path)
        do {
            let connection = try take(&permit)
            if connection == nil { permits.release(permit) }
            connection?.permit = permit
            return connection
        } catch {
            permits.release(permit)
            throw error
        }
    }

    private func take(_ permit: inout ConnectionPermits.Permit) throws -> Connection? {
        let (isClosed, idle, cache) = state.withLock { state in
            if state.isClosed { return (true, nil as Connection?, nil as Int?) }
            state.lent += 1
            let idle = state.idle.popLast()
            idle?.allowBurst(state.allowsBursts)
            return (false, idle, state.cacheKibibytes)
        }
        if isClosed { return nil }
        do {
            let connection = try idle ?? permits.measuring(&permit, open)
            // Failing to resize the cache does not affect reading.
            if let cache { _ = try? connection.setCache(kibibytes: cache) }
            return connection
        } catch {
            state.withLock { $0.lent -= 1 }
            throw error
        }
    }

    /// Sets the size of the page cache of each connection that is lent from now on.
    func setCache(kibibytes: Int) { state.withLock { $0.cacheKibibytes = kibibytes } }

    func give(back connection: Connection) {
        let permit = connection.permit
        connection.permit = nil
        defer { if let permit { permits.release(permit) } }
        state.withLock { state in
            state.lent -= 1
            if connection.isInBurst { keepBurst(of: connection, &state) }
            if state.leavesLog { connection.leaveLog() }
            if !state.isClosed { state.idle.append(connection) }
        }
    }

    // MARK: - Bursts

    /// Sets whether connections may keep a transaction open while they are idle; if not, ends those that do.
    func allowBursts(_ isAllowed: Bool) {
        state.withLock { state in
            state.allowsBursts = isAllowed
            if !isAllowed { for connection in state.idle { connection.endBurst() } }
        }
    }

    private func keepBurst(of connection: Connection, _ state: inout State) {
        guard state.allowsBursts, !state.isClosed else { return connection.endBurst() }
        // If nothing can schedule its end, it ends now.
        if !state.isEndScheduled && !scheduleEnd(&state) { connection.endBurst() }
    }

    private func scheduleEnd(_ state: inout State) -> Bool {
        state.isEndScheduled = OwnThread.run(after: ReadBurst.longest) { [weak self] in self?.endBursts() }
        return state.isEndScheduled
    }

    /// Ends the transactions that idle connections keep open; lent ones are checked when they come back.
    private func endBursts() {
        state.withLock { state in
            state.isEndScheduled = false
            for connection in state.idle { connection.endBurst() }
            if state.lent > 0 && !state.isClosed { _ = scheduleEnd(&state) }
        }
    }

    /// Closes the idle connections; lent ones are closed when they come back.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        _ = consume idle
        permits.close()
    }

    /// The state of the pool.
    var status: ConnectionPoolStatus { permits.status(idle: state.withLock { $0.idle.count }) }

    /// Reports the uses of connections.
    func report(to report: (@Sendable (ConnectionUse) -> Void)?) { permits.report(to: report) }

    /// Makes connections leave the log in place when they close.
    func leaveLog() {
        state.withLock { state in
            state.leavesLog = true
            for connection in state.idle { connection.leaveLog() }
        }
    }
}
