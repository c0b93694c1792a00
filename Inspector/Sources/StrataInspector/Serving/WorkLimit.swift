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
final class WorkLimit: Sendable {
    /// The greatest number of requests that wait or run.
    private static let greatestQueue = 256

    private let requests = WorkCount(most: greatestQueue)
    private let time: Duration
    private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(most: Int, time: Duration) {
        self.time = time
        state = Mutex((most, []))
    }

    /// Returns what the work returns, or throws after the time limit, in which it also waits for other work to end.
    ///
    /// Work that cannot be cancelled counts until it ends.
    ///
    /// - Throws: What the work throws, `CancellationError`; `PageError` where there is too much of it or it takes too long.
    func run<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        try requests.begin()
        do {
            return try await withTimeLimit(time, ended: { self.requests.end() }) {
                await self.begin()
                defer { self.end() }
                try Task.checkCancellation()
                return try await work()
            }
        } catch is TimeLimitError {
            throw PageError(
                .serviceUnavailable, "reading took longer than \(time), and was given up: a condition that an index answers takes less")
        }
    }

    private func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 { state.free -= 1 } else { state.waiting.append(continuation); return false }
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func end() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if state.waiting.isEmpty {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
