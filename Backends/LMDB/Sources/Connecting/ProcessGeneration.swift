import StrataPlatform
import Synchronization

/// Distinguishes a process from its parent after a fork, without a system call each time.
enum ProcessGeneration {
    private static let counter = Atomic(0)
    private static let isWatching: Bool = pthread_atfork(nil, nil) { ProcessGeneration.counter.add(1, ordering: .relaxed) } == 0

    /// A number that changes with a fork.
    static var current: Int { isWatching ? counter.load(ordering: .relaxed) : Int(getpid()) }
}
