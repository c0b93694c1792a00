import Dispatch
import StrataPlatform
import Synchronization

/// The serial queue of a context: blocks run on it at once, later, or as parts of a task.
final class ContextQueue: TaskExecutor, ExternalExecutor {
    let queue: DispatchQueue
    /// The thread that runs a block of the queue; only that thread compares equal to itself.
    private let owner = Atomic<UInt>(0)

    init(label: String) { queue = DispatchQueue(label: label) }

    /// Whether this thread runs a block of the queue, also one within blocks of other queues.
    var isCurrent: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs a block and waits for it; within another block of the queue, right away.
    func sync<T>(_ block: () throws -> T) rethrows -> T {
        if isCurrent { return try block() }
        return try MainQueue.remembering { try queue.sync { try run(block) } }
    }

    func async(_ block: @escaping @Sendable () -> Void) { queue.async { self.run(block) } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    private func run<T>(_ block: () throws -> T) rethrows -> T {
        let before = owner.exchange(UInt(pthread_self()), ordering: .relaxed)
        defer { owner.store(before, ordering: .relaxed) }
        return try block()
    }
}
