import StrataPlatform
import Synchronization

/// Tells a process from the one that it was forked from, without a call of the system each time.
enum ProcessGeneration {
    private static let counter = Atomic(0)
    private static let isWatching: Bool = pthread_atfork(nil, nil) { ProcessGeneration.counter.add(1, ordering: .relaxed) } == 0

    /// Differs between a process and those that are forked from it.
    static var current: Int { isWatching ? counter.load(ordering: .relaxed) : Int(getpid()) }
}
