import Synchronization

/// A signal that wakes its waiting task, raised from any thread.
final class LiveSignal: Sendable {
    private struct State {
        var isRaised = false
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

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

    /// Lowers the signal; returns whether it was raised.
    @discardableResult
    func lower() -> Bool {
        state.withLock { state in
            defer { state.isRaised = false }
            return state.isRaised
        }
    }

    /// Waits until the signal is raised, and then until it was not raised for the time of `debounce`; lowers it.
    ///
    /// Returns at once where the signal has ended, or the task is cancelled.
    func wait(debounce: Duration?, isolation: isolated (any Actor)?) async {
        await wait(isolation: isolation)
        guard let debounce, !hasEnded else { return }
        repeat { try? await Task.sleep(for: debounce) } while lower() && !Task.isCancelled
    }

    private func wait(isolation: isolated (any Actor)?) async {
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

/// The signals of a context's live queries, raised from any thread.
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
