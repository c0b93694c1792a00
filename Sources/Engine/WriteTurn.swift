import Dispatch
import StrataStore

/// Lets one writer after the other at a store.
final class WriteTurn: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    /// Waits for the turn; false after `seconds`.
    func take(seconds: Double) -> Bool {
        let nanoseconds = min(max(0, seconds), 1e9) * 1e9
        return semaphore.wait(timeout: .now() + .nanoseconds(Int(nanoseconds))) == .success
    }

    /// Passes the turn on.
    func pass() { semaphore.signal() }
}
