import Dispatch
public import StrataFiles

/// Lets one writer after the other at a store.
///
/// A turn is no lock of a thread: it may be passed on by another one than took it.
public final class WriteTurn: Sendable {
    private let semaphore: DispatchSemaphore

    /// Creates a turn that is free.
    public init() {
        // A semaphore must not go with a lesser value than it began with, and the turn may still be taken when its store goes.
        semaphore = DispatchSemaphore(value: 0)
        semaphore.signal()
    }

    /// Waits for the turn; false where the deadline passed before.
    public func take(until deadline: Deadline) -> Bool { semaphore.wait(timeout: deadline.dispatchTime) == .success }

    /// Passes the turn on.
    public func pass() { semaphore.signal() }
}
