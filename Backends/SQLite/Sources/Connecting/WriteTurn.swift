import Dispatch

/// Lets one transaction at a time write through a store.
final class WriteTurn: Sendable {
    private let semaphore = DispatchSemaphore(value: 1)

    /// Waits for the turn; false after `seconds`.
    func take(within seconds: Double) -> Bool { semaphore.wait(timeout: .now() + max(0, min(seconds, 1e9))) == .success }

    /// Ends the turn.
    func end() { semaphore.signal() }
}
