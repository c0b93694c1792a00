import Hummingbird
import StrataStoreTool
import Synchronization

/// Counts what runs, and refuses more than there may be.
final class WorkCount: Sendable {
    private let most: Int
    private let count = Mutex(0)

    init(most: Int) { self.most = most }

    /// Counts one more; ``end()`` is called when it has ended.
    ///
    /// - Throws: `PageError` where there are too many.
    func begin() throws {
        try count.withLock { count in
            guard count < most else { throw PageError(.serviceUnavailable, "too many requests run: try again in a moment") }
            count += 1
        }
    }

    func end() { count.withLock { $0 -= 1 } }
}

/// Runs work in limits of time and number.
struct WorkLimit: Sendable {
    private let count: WorkCount
    private let time: Duration

    init(most: Int, time: Duration) {
        count = WorkCount(most: most)
        self.time = time
    }

    /// Returns what the work returns, or throws after the time limit.
    ///
    /// Work that cannot be cancelled goes on and counts until it ends.
    ///
    /// - Throws: What the work throws, `CancellationError`; `PageError` where there is too much of it or it takes too long.
    func run<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        try count.begin()
        do {
            return try await withTimeLimit(time, ended: { count.end() }, work)
        } catch is TimeLimitError {
            throw PageError(
                .serviceUnavailable, "reading took longer than \(time), and was given up: a condition that an index answers takes less")
        }
    }
}
