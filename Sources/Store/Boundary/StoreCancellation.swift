import Synchronization

/// A cancellation of the work that a store does for a task.
///
/// A store checks ``isCancelled`` between steps, and where it waits for a server it cancels the request there, see
/// ``whileRunning(_:_:)``.
public final class StoreCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The cancellation of the work of the current task; `nil` where it cannot be cancelled.
    @TaskLocal public static var current: StoreCancellation?

    /// Creates a cancellation for work that has not begun.
    public init() {}

    /// Whether the work was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the work under way, and all that begins later.
    public func cancel() {
        state.withLock { state in
            if state.isCancelled { return }
            state.isCancelled = true
            state.stop?()
        }
    }

    /// Runs `body`, which `stop` ends early from another thread.
    ///
    /// `stop` does not run any more when this method returns. Within another call, it replaces that one's action until then.
    ///
    /// - Throws: What `body` throws.
    public func whileRunning<T>(_ stop: @escaping @Sendable () -> Void, _ body: () throws -> T) rethrows -> T {
        let (isCancelled, outer) = state.withLock { state in
            defer { state.stop = stop }
            return (state.isCancelled, state.stop)
        }
        defer {
            let isCancelledWithin = state.withLock { state in
                defer { state.stop = outer }
                return state.isCancelled && !isCancelled
            }
            // What follows in the outer work was not stopped with this.
            if isCancelledWithin { outer?() }
        }
        if isCancelled { stop() }
        return try body()
    }
}
