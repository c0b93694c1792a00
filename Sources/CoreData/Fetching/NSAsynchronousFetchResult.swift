import Synchronization

/// The result of an asynchronous request: available once it has ended.
///
/// All but ``cancel()`` and ``progress`` belongs to the context's queue.
open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
    /// Cancels the fetch, from any thread.
    final let cancellation = Cancellation()
    private final let context: NSManagedObjectContext
    /// The error in place of a result.
    final var failure: NSError?

    /// The progress of the request; a child of the progress that was current when it was executed.
    public final let progress: Progress?

    init(_ context: NSManagedObjectContext, _ progress: Progress) {
        self.context = context
        self.progress = progress
        super.init()
        progress.isPausable = false
        progress.isCancellable = true
        progress.cancellationHandler = { [cancellation] in cancellation.cancel() }
    }

    /// The context that carries the request out.
    open var managedObjectContext: NSManagedObjectContext { context }

    /// The error of the request, an `NSError`; the code is `NSUserCancelledError` if it was cancelled.
    open var operationError: (any Error)? { failure }

    /// Has the request end early, with an error; has no effect once it has ended.
    open func cancel() { cancellation.cancel() }
}

/// The result of an asynchronous fetch.
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult {
    private final let request: NSAsynchronousFetchRequest<ResultType>
    final var results: [ResultType]?

    init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext, _ progress: Progress) {
        self.request = request
        super.init(context, progress)
    }

    /// The request that was executed.
    open var fetchRequest: NSAsynchronousFetchRequest<ResultType> { request }

    /// The results; `nil` until the fetch has ended, and where it failed.
    open var finalResult: [ResultType]? { results }
}

/// The cancellable task of a fetch.
final class Cancellation: Sendable {
    private let state = Mutex(State())

    private struct State {
        var isCancelled = false
        var task: Task<Void, Never>?
    }

    /// Stores the task that executes the fetch.
    func take(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// - Throws: `CancellationError` if the fetch was cancelled.
    func check() throws { if state.withLock({ $0.isCancelled }) { throw CancellationError() } }
}
