/// The queue of a context.
public enum NSManagedObjectContextConcurrencyType: UInt, Hashable, Sendable {
    /// On any thread that the creator of the context uses: deprecated by Apple.
    case confinementConcurrencyType = 0
    /// On a queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// On the main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// The queue of a context.
    public struct ConcurrencyType: Hashable, Sendable {
        let concurrencyType: NSManagedObjectContextConcurrencyType

        /// On the main queue.
        public static let mainQueue = ConcurrencyType(concurrencyType: .mainQueueConcurrencyType)
        /// On a queue of the context's own.
        public static let privateQueue = ConcurrencyType(concurrencyType: .privateQueueConcurrencyType)
    }

    /// When a block that is performed runs.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// Immediately, where the caller is on the context's queue already; else as ``enqueued``.
        case immediate
        /// After the blocks that wait in the context's queue.
        case enqueued
    }
}
