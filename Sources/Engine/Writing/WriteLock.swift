import Dispatch

/// The write lock of a store, which one writer holds at a time.
///
/// No thread owns it: another one than acquired it may release it.
public final class WriteLock: Sendable {
    private let semaphore: DispatchSemaphore

    /// Creates a lock that is free.
    public init() {
        // A semaphore must not be released with a lesser value than its first, and a lock may be held when its store is
        // released.
        semaphore = DispatchSemaphore(value: 0)
        semaphore.signal()
    }

    /// Waits for the lock; false if the deadline passed before.
    public func acquire(until deadline: Deadline) -> Bool { semaphore.wait(timeout: deadline.dispatchTime) == .success }

    /// Releases the lock.
    public func release() { semaphore.signal() }
}
