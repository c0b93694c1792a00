import Synchronization

/// Wakes the one who waits for it, from any thread.
final class LiveSignal: Sendable {
    private struct State {
        var isRaised = false
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether there is nothing more to wait for.
    var hasEnded: Bool { state.withLock(\.hasEnded) }

    func raise() { wake { $0.isRaised = true } }

    func end() { wake { $0.hasEnded = true } }

    private func wake(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            change(&state)
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Has the signal be down.
    ///
    /// - Returns: Whether it was up.
    @discardableResult
    func lower() -> Bool {
        state.withLock { state in
            defer { state.isRaised = false }
            return state.isRaised
        }
    }

    /// Waits until the signal is raised, and lowers it; returns at once where it has ended, and where the task is cancelled.
    func wait(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let isOver = state.withLock { state in
                    if state.isRaised || state.hasEnded || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            raise()
        }
        lower()
    }
}

/// Those who wait for what happens to a context; told from any thread.
final class LiveSignals: Sendable {
    private struct Waiting {
        var signals: [Int: LiveSignal] = [:]
        var last = 0
    }

    private let waiting = Mutex(Waiting())

    var isEmpty: Bool { waiting.withLock(\.signals.isEmpty) }

    func add(_ signal: LiveSignal) -> Int {
        waiting.withLock { waiting in
            waiting.last += 1
            waiting.signals[waiting.last] = signal
            return waiting.last
        }
    }

    func remove(_ number: Int) { waiting.withLock { $0.signals[number] = nil } }

    func raiseAll() { for signal in all { signal.raise() } }

    func endAll() { for signal in all { signal.end() } }

    private var all: [LiveSignal] { waiting.withLock { Array($0.signals.values) } }
}
