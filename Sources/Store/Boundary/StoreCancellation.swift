import Synchronization

/// The cancellation of a store's work whose answer is not needed any more, including its requests to a server.
package final class StoreCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The cancellation of the thread's work; `nil` where it cannot be cancelled.
    @TaskLocal package static var current: StoreCancellation?

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Cancels the work under way, and later work.
    package func cancel() {
        state.withLock { state in
            if state.isCancelled { return }
            state.isCancelled = true
            state.stop?()
        }
    }

    /// Runs `body`, which `stop` ends early from another thread; on return, `stop` is not running.
    package func whileRunning<T>(_ stop: @escaping @Sendable () -> Void, _ body: () throws -> T) rethrows -> T {
        let isCancelled = state.withLock { state in
            state.stop = stop
            return state.isCancelled
        }
        defer { state.withLock { $0.stop = nil } }
        if isCancelled { stop() }
        return try body()
    }
}
