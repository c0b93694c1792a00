import Dispatch
import StrataPlatform
import Synchronization

/// The queue of the main actor, whose thread changes where the main thread gave itself up.
package enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// The thread that runs a block of the main queue, and blocks of other queues within it.
    private static let owner = Atomic<UInt>(0)

    /// Whether this thread runs a block of the queue, also one within blocks of background contexts.
    package static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: key) == true || owner.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Runs a block on the queue and waits for it; within another block of the queue, right away.
    static func sync<T: Sendable>(_ block: @Sendable () throws -> T) rethrows -> T {
        if isCurrent { return try block() }
        return try DispatchQueue.main.sync(execute: block)
    }

    /// Runs a block that waits for other queues, whose blocks count as on the main queue where the caller is on it.
    static func remembering<T>(_ block: () throws -> T) rethrows -> T {
        guard DispatchQueue.getSpecific(key: key) == true else { return try block() }
        let before = owner.exchange(UInt(pthread_self()), ordering: .relaxed)
        defer { owner.store(before, ordering: .relaxed) }
        return try block()
    }
}
