import StrataEngine
import StrataStore
import Synchronization

/// A fair semaphore for tasks: it admits a number of them at once, in the order of their requests whatever their priorities; the others are
/// suspended, and block no thread.
final class TaskSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting = WaitingQueue<CheckedContinuation<Void, any Error>>()
        var isClosed = false
        /// The tasks that wait for the end of all admitted ones.
        var drains = WaitingQueue<CheckedContinuation<Void, any Error>>()
    }

    /// The request of a task, which gives up where it is cancelled or has waited for too long.
    private final class Request: Sendable {
        let state = Mutex<(number: Int?, error: (any Error)?)>((nil, nil))
    }

    private let state: Mutex<State>
    private let count: Int
    private let maximumWait: Double
    private let operation: StoreError.Operation

    /// - Parameters:
    ///   - operation: The operation of the errors.
    ///   - count: The number of tasks that are admitted at once.
    ///   - maximumWait: The maximum wait, in seconds.
    init(_ operation: StoreError.Operation, count: Int, maximumWait: Double) {
        self.operation = operation
        self.count = max(1, count)
        self.maximumWait = maximumWait.isNaN ? 0 : min(max(maximumWait, 0), 31_536_000)
        state = Mutex(State(free: max(1, count)))
    }

    /// Waits until the task is admitted; the caller releases the semaphore.
    ///
    /// - Throws: `StoreError` with `busy` after the maximum wait, `closed` after ``close()``; `CancellationError`.
    func acquire() async throws {
        try Task.checkCancellation()
        let isFree = try state.withLock { state in
            if state.isClosed { throw closed }
            if state.free > 0 {
                state.free -= 1
                return true
            }
            return false
        }
        if isFree { return }
        let request = Request()
        let timer = Task {
            try await Task.sleep(for: .seconds(maximumWait))
            giveUp(request, StoreError(.busy, operation, "too many blocks of the container run"))
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wait(for: request, $0) }
        } onCancel: {
            giveUp(request, CancellationError())
        }
    }

    private func wait(for request: Request, _ continuation: CheckedContinuation<Void, any Error>) {
        let outcome = state.withLock { state -> Result<Void, any Error>? in
            request.state.withLock { request in
                if let error = request.error ?? (state.isClosed ? closed : nil) { return .failure(error) }
                if state.free > 0 {
                    state.free -= 1
                    return .success(())
                }
                request.number = state.waiting.append(continuation)
                return nil
            }
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func giveUp(_ request: Request, _ error: any Error) {
        let continuation = state.withLock { state in
            let number = request.state.withLock { request in
                request.error = error
                return request.number
            }
            return number.flatMap { state.waiting.remove($0) }
        }
        continuation?.resume(throwing: error)
    }

    /// Admits the task that has waited longest, as an admitted one has ended.
    func release() {
        let (next, drains) = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return (next, state.free == count ? TaskSemaphore.all(&state.drains) : [])
        }
        next?.resume()
        for drain in drains { drain.resume() }
    }

    /// Admits no task any more: those that wait throw `closed`.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            return TaskSemaphore.all(&state.waiting)
        }
        for continuation in waiting { continuation.resume(throwing: closed) }
    }

    /// Waits until no admitted task is left; returns early where the task is cancelled.
    func drain() async {
        let number = Mutex<(number: Int?, isCancelled: Bool)>((nil, false))
        try? await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    number.withLock { number in
                        if state.free == count || number.isCancelled { return true }
                        number.number = state.drains.append(continuation)
                        return false
                    }
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let number = number.withLock { number in
                    number.isCancelled = true
                    return number.number
                }
                return number.flatMap { state.drains.remove($0) }
            }
            continuation?.resume()
        }
    }

    private static func all<Waiter>(_ queue: inout WaitingQueue<Waiter>) -> [Waiter] {
        var all: [Waiter] = []
        while let next = queue.popFirst() { all.append(next) }
        return all
    }

    private var closed: StoreError { StoreError(.closed, operation, "the container was shut down") }
}
