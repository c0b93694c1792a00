/// Called when an asynchronous fetch of results of any class has ended.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void

/// A fetch that a context executes asynchronously.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: people) { result in list.show(result.finalResult ?? []) }
/// let result = try context.execute(request) as? NSAsynchronousFetchResult<Person>
/// ```
/// The stores are read off the context's queue; the objects are those of the context, with the unsaved changes at the
/// end of the fetch. IDs, dictionaries and numbers are fetched on the queue.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
    private final var request: NSFetchRequest<ResultType>
    private final var block: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

    /// The expected number of results, for the progress until the stores report it; 0 if unknown.
    open var estimatedResultCount = 0

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - request: The request, read when it is executed.
    ///   - blk: Called on the context's queue with the result when the fetch has ended, has failed or was cancelled.
    public init(
        fetchRequest request: NSFetchRequest<ResultType>, completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
    ) {
        self.request = request
        block = blk
        super.init()
    }

    /// The fetch request.
    open var fetchRequest: NSFetchRequest<ResultType> { request }
    /// Called with the result.
    open var completionBlock: ((NSAsynchronousFetchResult<ResultType>) -> Void)? { block }

    open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

    override class func makeCopy() -> NSPersistentStoreRequest { NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<ResultType>()) }

    override func take(_ copy: NSPersistentStoreRequest) {
        super.take(copy)
        guard let copy = copy as? NSAsynchronousFetchRequest<ResultType> else { return }
        copy.request = request
        copy.block = block
        copy.estimatedResultCount = estimatedResultCount
    }
}
