/// Where a context's work is done.
public enum NSManagedObjectContextConcurrencyType: UInt, Hashable, Sendable {
    /// Wherever the context's maker uses it: the way of old, which Apple deprecated.
    case confinementConcurrencyType = 0
    /// On a queue of the context's own.
    case privateQueueConcurrencyType = 1
    /// On the main queue.
    case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContext {
    /// Where a context's work is done.
    public struct ConcurrencyType: Hashable, Sendable {
        let concurrencyType: NSManagedObjectContextConcurrencyType

        /// On the main queue.
        public static let mainQueue = ConcurrencyType(concurrencyType: .mainQueueConcurrencyType)
        /// On a queue of the context's own.
        public static let privateQueue = ConcurrencyType(concurrencyType: .privateQueueConcurrencyType)
    }

    /// When a block that is performed runs.
    public enum ScheduledTaskType: Hashable, Sendable {
        /// Now, where the caller is on the context's queue already; else as ``enqueued``.
        case immediate
        /// After what waits in the context's queue.
        case enqueued
    }
}
