import Dispatch

/// Runs the blocking parts of tasks on a thread of its own, one after the other: a thread of Swift's cooperative pool, of which there are as
/// many as processors, must not wait for a disk or a server.
final class BlockingExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs `body` as part of the calling task.
    ///
    /// - Throws: What `body` throws.
    func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withTaskExecutorPreference(self, isolation: nil) { try body() }
    }
}
