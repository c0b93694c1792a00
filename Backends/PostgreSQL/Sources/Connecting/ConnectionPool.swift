import Dispatch
import StrataSQL
import Synchronization

/// The connections of a store, no more than a bound: each is lent to one reader or writer at a time, and whoever comes first is first.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        /// How many more may be lent.
        var permits: Int
        /// The callers that wait for a permit; each is signalled when it has one.
        var waiting: [DispatchSemaphore] = []
        var isClosed = false
        /// Whether a connection was lost, and none made since: the server may be started anew just now.
        var wasLost = false
    }

    private let state: Mutex<State>
    private let losses = Atomic(0)
    /// How long to wait for a connection, and for a server that is being started anew, in seconds.
    let timeout: Double
    private let connect: @Sendable (StoreError.Operation) throws -> Connection

    init(bound: Int, timeout: Double, _ connect: @escaping @Sendable (StoreError.Operation) throws -> Connection) {
        state = Mutex(State(permits: max(1, bound)))
        self.timeout = timeout.isNaN ? 0 : min(max(timeout, 0), 31_536_000)
        self.connect = connect
    }

    /// How many connections were found to be lost.
    var lossCount: Int { losses.load(ordering: .relaxed) }

    /// Takes a connection on which `begin` succeeds; one that was lost while it was idle is replaced.
    ///
    /// - Throws: `StoreError` with `closed` after the pool was closed, `locked` where all connections are in use for too long; what connecting
    ///   and `begin` throw.
    func take(_ operation: StoreError.Operation, _ begin: (Connection) throws -> Void) throws -> Connection {
        try ask(operation, isRepeatable: false, begin).connection
    }

    /// Takes a connection, and what `begin` answers on it; one that was lost while it was idle is replaced.
    ///
    /// - Parameter isRepeatable: Whether `begin` may run once more where a new connection is lost meanwhile, too.
    /// - Throws: As ``take(_:_:)``.
    func ask<T>(
        _ operation: StoreError.Operation, isRepeatable: Bool, _ begin: (Connection) throws -> T
    ) throws -> (connection: Connection, answer: T) {
        try acquirePermit(operation)
        do {
            var repetitions = isRepeatable ? 1 : 0
            let end = DispatchTime.now() + timeout
            var pause = Pause()
            while true {
                let (idle, isClosed, wasLost) = state.withLock { ($0.idle.popLast(), $0.isClosed, $0.wasLost) }
                if isClosed { throw StoreError(.closed, operation, "the store was closed") }
                let connection: Connection
                do { connection = try idle ?? (wasLost ? reconnect(operation) : connect(operation)) } catch let error as StoreError
                    where error.code == .locked && error.recovery == .retryable && DispatchTime.now() < end
                    && StoreCancellation.current?.isCancelled != true
                {
                    // The server has no more: one that is lent now may be idle then.
                    pause.wait()
                    continue
                }
                do { return (connection, try begin(connection)) } catch {
                    keep(connection)
                    guard connection.isBroken, StoreCancellation.current?.isCancelled != true else { throw error }
                    // A new one on which the server was silent has taken all the time that there is.
                    if idle == nil {
                        guard repetitions > 0, !connection.isGivenUp else { throw error }
                        repetitions -= 1
                    }
                }
            }
        } catch {
            releasePermit()
            throw error
        }
    }

    private func acquirePermit(_ operation: StoreError.Operation) throws {
        let turn = DispatchSemaphore(value: 0)
        let isFree = state.withLock { state in
            if state.permits > 0 || state.isClosed {
                state.permits -= 1
                return true
            }
            state.waiting.append(turn)
            return false
        }
        if isFree || turn.wait(timeout: .now() + timeout) == .success { return }
        let isTooLate = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0 === turn }) else { return false }
            state.waiting.remove(at: index)
            return true
        }
        if isTooLate { throw StoreError(.locked, operation, "all connections of the store are in use") }
    }

    /// Hands a permit to the caller that waits longest.
    private func releasePermit() {
        state.withLock { state in
            if state.waiting.isEmpty { state.permits += 1 } else { state.waiting.removeFirst().signal() }
        }
    }

    /// Connects to a server that was there before: one that is being started anew is waited for.
    ///
    /// - Throws: What connecting throws at last, or where it would be the same again.
    func reconnect(_ operation: StoreError.Operation) throws -> Connection {
        // Where it was waited for in vain nobody else waits.
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

    /// Opens a connection that does not count among those of the pool.
    func openApart(_ operation: StoreError.Operation) throws -> Connection {
        if state.withLock({ $0.isClosed }) { throw StoreError(.closed, operation, "the store was closed") }
        return try connect(operation)
    }

    /// Takes a connection back; one in a transaction or without its server goes.
    func give(back connection: Connection) {
        keep(connection)
        releasePermit()
    }

    private func keep(_ connection: Connection) {
        connection.waiting = []
        if connection.isBroken { return forgetIdle() }
        if !connection.isReusable { return }
        if connection.isInTransaction {
            guard (try? connection.run(SQLText("ROLLBACK"), .save)) != nil, !connection.isInTransaction else { return }
        }
        connection.idleSince = .now()
        state.withLock { if !$0.isClosed { $0.idle.append(connection) } }
    }

    /// Where one connection was lost the idle ones mostly were, too: nobody has to find that out of each.
    private func forgetIdle() {
        losses.add(1, ordering: .relaxed)
        let idle = state.withLock { state in
            state.wasLost = true
            defer { state.idle = [] }
            return state.idle
        }
        _ = consume idle
    }

    /// Closes the idle connections, and sends those away who wait; the others close when they come back.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            for turn in state.waiting { turn.signal() }
            state.permits -= state.waiting.count
            state.waiting = []
            defer { state.idle = [] }
            return state.idle
        }
        _ = consume idle
    }
}
