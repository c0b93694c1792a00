import Dispatch
import StrataEngine
import StrataStore
import Synchronization

/// The connections of a store, no more than a bound: each is lent to one reader or writer at a time, and whoever comes first is first.
final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let places: DispatchSemaphore
    private let timeout: Double
    private let connect: @Sendable (StoreError.Operation) throws -> Connection

    init(bound: Int, timeout: Double, _ connect: @escaping @Sendable (StoreError.Operation) throws -> Connection) {
        // A semaphore must not go with a lesser value than it began with, and places may still be taken when the pool goes.
        places = DispatchSemaphore(value: 0)
        for _ in 0..<max(1, bound) { places.signal() }
        self.timeout = timeout.isNaN ? 0 : min(max(timeout, 0), 31_536_000)
        self.connect = connect
    }

    /// Takes a connection on which `begin` succeeds; one that was lost while it was idle is replaced.
    ///
    /// - Throws: `StoreError` with `closed` after the pool was closed, `locked` where all connections are in use for too long; what connecting
    ///   and `begin` throw.
    func take(_ operation: StoreError.Operation, _ begin: (Connection) throws -> Void) throws -> Connection {
        guard places.wait(timeout: .now() + timeout) == .success else {
            throw StoreError(.locked, operation, "all connections of the store are in use")
        }
        do {
            while true {
                let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
                if isClosed { throw StoreError(.closed, operation, "the store was closed") }
                let connection = try idle ?? connect(operation)
                do {
                    try begin(connection)
                    return connection
                } catch {
                    // The server may have been started anew meanwhile.
                    if idle != nil && connection.isBroken { continue }
                    keep(connection)
                    throw error
                }
            }
        } catch {
            places.signal()
            throw error
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
        places.signal()
    }

    private func keep(_ connection: Connection) {
        if connection.isBroken { return }
        if connection.isInTransaction {
            guard (try? connection.run(SQLText("ROLLBACK"), .save)) != nil, !connection.isInTransaction else { return }
        }
        state.withLock { if !$0.isClosed { $0.idle.append(connection) } }
    }

    /// Closes the idle connections; the others close when they come back.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        _ = consume idle
    }
}
