import Dispatch
import StrataFiles
import StrataPlatform
public import StrataStore
import Synchronization

/// A fair semaphore: the permits of a pool's connections, for callers in the order of their requests, who wait for a time at most.
///
/// ```swift
/// connection.permit = try permits.acquire(.fetch, path: path)
/// defer { permits.release(connection.permit) }
/// ```
/// A thread with a permit gets more of them without waiting, beyond the maximum if need be, as it would wait for itself.
public final class ConnectionPermits: Sendable {
    /// The right to use one connection.
    public struct Permit: Sendable {
        fileprivate let owner: UInt
        /// The times of the request and of the permit, in nanoseconds; 0 where uses are not reported.
        fileprivate var requested: UInt64 = 0
        fileprivate var granted: UInt64 = 0
        fileprivate var creation: UInt64?
    }

    private struct Waiter {
        let turn: DispatchSemaphore
        let owner: UInt
    }

    private struct State {
        /// The number of permits that can be given; negative where threads got more than the maximum.
        var free: Int
        /// The threads with permits: once for each.
        var owners: [UInt] = []
        var waiting = WaitingQueue<Waiter>()
        var isClosed = false
        var timeouts = 0
        var report: (@Sendable (ConnectionUse) -> Void)?
    }

    private let state: Mutex<State>
    /// Read by every request; the closure only where there is one.
    private let isReported = Atomic(false)
    private let name: String
    private let maximum: Int
    private let timeout: Double

    /// Creates permits.
    ///
    /// - Parameters:
    ///   - name: The name of the pool, unique in its store.
    ///   - maximum: The number of permits; at least 1.
    ///   - timeout: The maximum wait, in seconds.
    public init(_ name: String, maximum: Int, timeout: Double) {
        self.name = name
        self.maximum = max(1, maximum)
        self.timeout = timeout
        state = Mutex(State(free: max(1, maximum)))
    }

    /// Whether a permit is to be had without waiting.
    public var hasFree: Bool { state.withLock { $0.free > 0 || $0.isClosed } }

    /// Returns a permit as soon as one is free; after ``close()``, at once.
    ///
    /// - Throws: `StoreError` with `busy` after the maximum wait, `cancelled` where the waiting task is cancelled.
    public func acquire(_ operation: StoreError.Operation, path: String? = nil) throws -> Permit {
        let owner = UInt(pthread_self())
        var permit = Permit(owner: owner)
        if isReported.load(ordering: .relaxed) { permit.requested = Uptime.nanoseconds }
        let waiter = state.withLock { state -> (number: Int, turn: DispatchSemaphore)? in
            if state.free > 0 || state.isClosed || state.owners.contains(owner) {
                state.free -= 1
                state.owners.append(owner)
                return nil
            }
            let turn = DispatchSemaphore(value: 0)
            return (state.waiting.append(Waiter(turn: turn, owner: owner)), turn)
        }
        if let waiter { try wait(waiter.number, waiter.turn, operation, path) }
        if permit.requested > 0 { permit.granted = Uptime.nanoseconds }
        return permit
    }

    private func wait(_ number: Int, _ turn: DispatchSemaphore, _ operation: StoreError.Operation, _ path: String?) throws {
        let end = Deadline(after: timeout).dispatchTime
        func wait() { _ = turn.wait(timeout: end) }
        let cancellation = StoreCancellation.current
        if let cancellation { cancellation.whileRunning({ turn.signal() }, wait) } else { wait() }
        let isCancelled = cancellation?.isCancelled == true
        let hasGivenUp = state.withLock { state in
            // The first to remove it decides: a permit that was given meanwhile is kept.
            guard state.waiting.remove(number) != nil else { return false }
            if !isCancelled { state.timeouts += 1 }
            return true
        }
        if !hasGivenUp { return }
        if isCancelled { throw StoreError(.cancelled, operation, "the task that waits for a connection was cancelled", path: path) }
        throw StoreError(.busy, operation, "all connections of the store are in use", path: path)
    }

    /// Returns a permit, which may be done on any thread, to the caller that has waited longest.
    public func release(_ permit: Permit) {
        let report = state.withLock { state in
            state.free += 1
            if let index = state.owners.lastIndex(of: permit.owner) { state.owners.remove(at: index) }
            while state.free > 0, let next = state.waiting.popFirst() {
                state.free -= 1
                state.owners.append(next.owner)
                next.turn.signal()
            }
            return state.report
        }
        guard let report, permit.requested > 0 else { return }
        let now = Uptime.nanoseconds
        report(
            ConnectionUse(
                pool: name, wait: permit.granted &- permit.requested, use: now &- permit.granted, creation: permit.creation))
    }

    /// Opens a connection, and notes the time in the permit that it is used with.
    ///
    /// - Throws: What `open` throws.
    public func measuring<T>(_ permit: inout Permit, _ open: () throws -> T) rethrows -> T {
        guard permit.requested > 0 else { return try open() }
        let start = Uptime.nanoseconds
        defer { permit.creation = Uptime.nanoseconds &- start }
        return try open()
    }

    /// Gives a permit to all callers that wait, and to all later ones.
    public func close() {
        state.withLock { state in
            state.isClosed = true
            while let next = state.waiting.popFirst() {
                state.free -= 1
                state.owners.append(next.owner)
                next.turn.signal()
            }
        }
    }

    /// Reports each use of a connection that begins from now on; `nil` ends that.
    public func report(to report: (@Sendable (ConnectionUse) -> Void)?) {
        state.withLock { $0.report = report }
        isReported.store(report != nil, ordering: .relaxed)
    }

    /// Returns the state of the pool.
    ///
    /// - Parameter idle: The number of its idle connections.
    public func status(idle: Int) -> ConnectionPoolStatus {
        state.withLock { state in
            ConnectionPoolStatus(
                name: name, used: maximum - state.free, idle: idle, maximum: maximum, pending: state.waiting.count,
                timeouts: state.timeouts)
        }
    }
}
