import StrataStore
import Synchronization

/// Work took longer than its time limit.
public struct TimeLimitError: Error {
    /// Creates the error.
    public init() {}
}

/// Returns what some work returns, or throws when a time has passed.
///
/// The work is then cancelled: its task, and what the stores do for it where they can end that early. Work that cannot be cancelled runs to
/// its end, and its result is dropped.
///
/// - Parameters:
///   - limit: The time.
///   - ended: Called when the work has ended, in time or later, on any thread.
///   - work: The work.
/// - Throws: ``TimeLimitError``, what the work throws, and `CancellationError` where the task is cancelled.
public func withTimeLimit<T: Sendable>(
    _ limit: Duration, ended: @escaping @Sendable () -> Void = {}, _ work: @escaping @Sendable () async throws -> T
) async throws -> T {
    let (results, continuation) = AsyncStream.makeStream(of: Result<T, any Error>.self, bufferingPolicy: .bufferingOldest(1))
    let cancellation = StoreCancellation()
    let task = Task {
        defer { ended() }
        let result: Result<T, any Error>
        do { result = .success(try await StoreCancellation.$current.withValue(cancellation, operation: work)) } catch {
            result = .failure(error)
        }
        continuation.yield(result)
    }
    let clock = Task {
        try await Task.sleep(for: limit)
        continuation.yield(.failure(TimeLimitError()))
    }
    defer {
        clock.cancel()
        task.cancel()
        cancellation.cancel()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
}
