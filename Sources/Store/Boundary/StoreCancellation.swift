import Synchronization

/// Ends what a store is at where nobody wants the answer any more: a store that asks somebody else can have that stop, too.
package final class StoreCancellation: Sendable {
    private struct State {
        var isCancelled = false
        var stop: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// What may cancel the work of the thread that asks; `nil` where nothing does.
    @TaskLocal package static var current: StoreCancellation?

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Has the work stop that is under way, and what begins later.
    package func cancel() {
        state.withLock { state in
            if state.isCancelled { return }
            state.isCancelled = true
            state.stop?()
        }
    }

    /// Runs `body`, which `stop` ends early from another thread.
    ///
    /// When it returns, `stop` does not run any more.
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
