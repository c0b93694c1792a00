public import StrataGraph
import StrataStore
import Synchronization

extension PersistentContainer {
    /// Runs a block that reads, over one state of all stores, with a context of its own.
    ///
    /// ```swift
    /// let names = try await container.read { context in try context.fetch(ObjectFetchRequest<Person>()).map(\.name) }
    /// ```
    /// The block runs on a thread outside of Swift's cooperative pool, as part of the calling task: with its local values and its
    /// cancellation. At most ``/StrataStore/StoreOptions/maximumReaders`` blocks run at once, those of the store with the fewest; further tasks
    /// are suspended, and admitted in the order of their calls, whatever their priorities.
    ///
    /// The context is read-only: changes of its objects are discarded, and saving them throws. A block cannot call this method again, as it does
    /// not wait for tasks: functions that it calls take the context.
    ///
    /// - Throws: What the block throws; `StoreError` with `busy` where the task was not admitted within
    ///   ``/StrataStore/StoreOptions/connectionTimeout``, `closed` after ``shutDown(_:)``; `CancellationError` where the task is cancelled
    ///   before the block begins, or while a store that can cancel its work (SQLite, PostgreSQL) reads for it.
    public func read<T: Sendable>(_ block: @escaping @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try await run(access.reads, "read") { context, cancellation in
            context.isReadOnly = true
            return try StoreCancellation.$current.withValue(cancellation) { try context.withSnapshot { try block(context) } }
        }
    }

    /// Runs a block that changes objects with a context of its own, and saves the changes at the end.
    ///
    /// ```swift
    /// let id = try await container.write { context in
    ///     let person = Person(context: context)
    ///     person.name = "Ann"
    ///     try context.obtainPermanentIDs(for: [person])
    ///     return person.objectID
    /// }
    /// ```
    /// The block runs as that of ``read(_:)-(_)``. Blocks of one container run one after the other, in the order of their calls, so that none
    /// of them conflicts with another; where all stores allow concurrent writers, as PostgreSQL's do, as many run at once as blocks that read.
    /// A context that saves in another way can conflict, see ``/StrataGraph/ManagedObjectContext/mergePolicy``.
    ///
    /// Where the block throws, its changes are discarded. A block that saves by itself keeps what it saved.
    ///
    /// - Throws: What the block throws; what saving throws; as ``read(_:)-(_)``. `CancellationError` also where the task was cancelled when
    ///   the block ended: nothing is saved then. A save that has begun is not cancelled.
    public func write<T: Sendable>(_ block: @escaping @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
        try await run(access.writes, "write") { context, cancellation in
            let result = try StoreCancellation.$current.withValue(cancellation) { try block(context) }
            try Task.checkCancellation()
            try context.save()
            return result
        }
    }

    private func run<T: Sendable>(
        _ semaphore: TaskSemaphore, _ name: String,
        _ block: @escaping @Sendable (ManagedObjectContext, StoreCancellation) throws -> T
    ) async throws -> T {
        try await semaphore.acquire()
        defer { semaphore.release() }
        let context = background(named: "\(self.name) \(name)")
        let cancellation = StoreCancellation()
        return try await withTaskCancellationHandler {
            do { return try await context.perform { try block($0, cancellation) } } catch let error as StoreError
                where error.code == .cancelled && cancellation.isCancelled
            {
                throw CancellationError()
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}

/// What blocks of a container wait for.
final class ContainerAccess: Sendable {
    /// The shutting down, once it has begun: it happens once.
    let shutdown = Mutex<Task<ShutdownReport, Never>?>(nil)
    let reads: TaskSemaphore
    let writes: TaskSemaphore

    init(_ descriptions: [StoreDescription], allowsConcurrentWriters: Bool) {
        let options = descriptions.map(\.options)
        let readers = options.map(\.maximumReaders).min() ?? StoreOptions().maximumReaders
        let wait = options.map { $0.connectionTimeout ?? $0.timeout }.max() ?? StoreOptions().timeout
        reads = TaskSemaphore(.fetch, count: readers, maximumWait: wait)
        writes = TaskSemaphore(.save, count: allowsConcurrentWriters ? readers : 1, maximumWait: wait)
    }
}
