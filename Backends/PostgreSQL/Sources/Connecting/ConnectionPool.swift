import Dispatch
import StrataEngine
import StrataSQL
import Synchronization

/// The connections of a store, up to a limit: each is lent to one reader or writer at a time, in the order of requests.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        var isClosed = false
        /// Whether a connection was lost and none was opened since: the server may be restarting.
        var wasLost = false
    }

    private let state = Mutex(State())
    /// The permits for connections.
    private let permits: ConnectionPermits
    private let losses = Atomic(0)
    /// The maximum wait for a server that restarts, in seconds.
    let timeout: Double
    private let connect: @Sendable (StoreError.Operation) throws -> Connection

    /// - Parameters:
    ///   - bound: The maximum number of lent connections.
    ///   - timeout: The maximum wait for a server that restarts, in seconds.
    ///   - wait: The maximum wait for a connection, in seconds; `timeout` by default.
    init(
        _ name: String = "connections", bound: Int, timeout: Double, wait: Double? = nil,
        _ connect: @escaping @Sendable (StoreError.Operation) throws -> Connection
    ) {
        permits = ConnectionPermits(name, maximum: bound, timeout: wait ?? timeout)
        self.timeout = timeout.isNaN ? 0 : min(max(timeout, 0), 31_536_000)
        self.connect = connect
    }

    /// Whether a connection may be taken without waiting for another caller.
    var hasFree: Bool { permits.hasFree }

    /// The state of the pool.
    var status: ConnectionPoolStatus { permits.status(idle: state.withLock { $0.idle.count }) }

    /// Reports the uses of connections.
    func report(to report: (@Sendable (ConnectionUse) -> Void)?) { permits.report(to: report) }

    /// The number of connections that were found to be lost.
    var lossCount: Int { losses.load(ordering: .relaxed) }

    /// Takes a connection on which `begin` succeeds; replaces idle connections that were lost.
    ///
    /// - Throws: `StoreError` with `closed` after the pool was closed, `busy` where all connections are in use for too long; what connecting
    ///   and `begin` throw.
    func take(_ operation: StoreError.Operation, _ begin: (Connection) throws -> Void) throws -> Connection {
        try ask(operation, isRepeatable: false, begin).connection
    }

    /// Takes a connection and returns it with the result of `begin` on it; replaces idle connections that were lost.
    ///
    /// - Parameter isRepeatable: Whether `begin` may run once more where a new connection is lost during it, too.
    /// - Throws: As ``take(_:_:)``.
    func ask<T>(
        _ operation: StoreError.Operation, isRepeatable: Bool, _ begin: (Connection) throws -> T
    ) throws -> (connection: Connection, answer: T) {
        var permit = try permits.acquire(operation)
        do {
            var repetitions = isRepeatable ? 1 : 0
            let end = DispatchTime.now() + timeout
            var pause = Pause()
            while true {
                let (idle, isClosed, wasLost) = state.withLock { ($0.idle.popLast(), $0.isClosed, $0.wasLost) }
                if isClosed { throw StoreError(.closed, operation, "the store was closed") }
                let connection: Connection
                do {
                    connection = try idle ?? permits.measuring(&permit) { try wasLost ? reconnect(operation) : connect(operation) }
                } catch let error as StoreError
                    where error.code == .locked && error.recovery == .retryable && DispatchTime.now() < end
                    && StoreCancellation.current?.isCancelled != true
                {
                    // The server has no free connection slot: one that is lent now may be idle then.
                    pause.wait()
                    continue
                }
                do {
                    let answer = try begin(connection)
                    connection.lending.permit = permit
                    return (connection, answer)
                } catch {
                    keep(connection)
                    guard connection.isBroken, StoreCancellation.current?.isCancelled != true else { throw error }
                    // If the server was silent on a new connection, the whole timeout has passed.
                    if idle == nil {
                        guard repetitions > 0, !connection.isGivenUp else { throw error }
                        repetitions -= 1
                    }
                }
            }
        } catch {
            permits.release(permit)
            throw error
        }
    }

    /// Connects to a server that was reachable before, and waits while it restarts.
    ///
    /// - Throws: The last error of connecting; at once if another attempt would fail the same way.
    func reconnect(_ operation: StoreError.Operation) throws -> Connection {
        // After one wait that failed, other callers do not wait.
        defer { state.withLock { $0.wasLost = false } }
        let end = DispatchTime.now() + timeout
        var pause = Pause()
        while true {
            do { return try openApart(operation) } catch let error as StoreError
                where error.recovery == .retryable && DispatchTime.now() < end && StoreCancellation.current?.isCancelled != true
            {
                pause.wait()
            }
        }
    }

    /// Opens a connection that does not count towards the limit of the pool.
    func openApart(_ operation: StoreError.Operation) throws -> Connection {
        if isClosed { throw StoreError(.closed, operation, "the store was closed") }
        return try connect(operation)
    }

    /// Takes a connection back; closes it if it is in a transaction, or lost.
    func give(back connection: Connection) {
        let permit = connection.lending.permit
        connection.lending.permit = nil
        keep(connection)
        if let permit { permits.release(permit) }
    }

    private func keep(_ connection: Connection) {
        connection.postponed = []
        if connection.isBroken { return forgetIdle() }
        if !connection.isReusable { return }
        if connection.isInTransaction {
            guard (try? connection.run(SQLText("ROLLBACK"), .save)) != nil, !connection.isInTransaction else { return }
        }
        connection.lending.idleSince = .now()
        state.withLock { if !$0.isClosed { $0.idle.append(connection) } }
    }

    /// Closes the idle connections after one was lost: mostly they are lost, too.
    private func forgetIdle() {
        losses.add(1, ordering: .relaxed)
        let idle = state.withLock { state in
            state.wasLost = true
            defer { state.idle = [] }
            return state.idle
        }
        _ = consume idle
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Closes the idle connections, and fails the waiting callers; lent connections are closed when they come back.
    ///
    /// - Returns: False where the pool was closed before.
    @discardableResult func close() -> Bool {
        let (isFirst, idle) = state.withLock { state in
            let isFirst = !state.isClosed
            state.isClosed = true
            defer { state.idle = [] }
            return (isFirst, state.idle)
        }
        _ = consume idle
        permits.close()
        return isFirst
    }
}
