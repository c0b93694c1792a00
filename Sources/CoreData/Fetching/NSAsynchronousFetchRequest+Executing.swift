import StrataGraph
import StrataModel

extension NSAsynchronousFetchRequest: ExecutableRequest {
    func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        let work = AsynchronousWork(self, try fetchRequest.compiled(in: context), context)
        work.start()
        return work.result
    }
}

/// An asynchronous fetch in progress.
// Unchecked: the request and the result are used on the context's queue, except for what any thread may use.
private final class AsynchronousWork<ResultType: NSFetchRequestResult>: @unchecked Sendable {
    let result: NSAsynchronousFetchResult<ResultType>
    private let context: NSManagedObjectContext
    /// A copy of the request: the program may change its own.
    private let request: NSFetchRequest<ResultType>
    private let compiled: ObjectFetchRequest<ManagedObject>
    private let progress: Progress

    init(
        _ asynchronous: NSAsynchronousFetchRequest<ResultType>, _ compiled: ObjectFetchRequest<ManagedObject>,
        _ context: NSManagedObjectContext
    ) {
        let estimate = asynchronous.estimatedResultCount
        progress = Progress(totalUnitCount: estimate > 0 ? Int64(estimate) : -1)
        result = NSAsynchronousFetchResult(asynchronous, context, progress)
        request = NSFetchRequest()
        asynchronous.fetchRequest.takeAll(request)
        (self.compiled, self.context) = (compiled, context)
    }

    func start() {
        let task =
            if let queue = context.executor as? any TaskExecutor {
                Task(executorPreference: queue) { await self.run() }
            } else {
                Task { @MainActor in await self.run() }
            }
        result.cancellation.take(task)
    }

    /// Fetches on the context's queue, except for the reads of the stores.
    private func run(isolation: isolated (any Actor)? = #isolation) async {
        do {
            try result.cancellation.check()
            let found = try await results()
            try result.cancellation.check()
            result.results = found
            end(found.count)
        } catch { result.failure = cocoaError(error, in: context.madeGraph) }
        context.run { result.fetchRequest.completionBlock?(result) }
        context.endEvent()
    }

    private func results(isolation: isolated (any Actor)? = #isolation) async throws -> [ResultType] {
        guard request.resultType == .managedObjectResultType else { return try context.fetch(request) }
        let estimate = result.fetchRequest.estimatedResultCount
        let objects = try await context.graph.fetchAsynchronously(
            compiled, estimatedResultCount: estimate > 0 ? estimate : nil, isolation: isolation
        ) { [progress] state in
            if let total = state.totalCount { progress.totalUnitCount = Int64(total) }
            progress.completedUnitCount = Int64(state.completedCount)
        }
        return context.objects(objects)
    }

    /// A progress without units would never finish.
    private func end(_ count: Int) {
        progress.totalUnitCount = Int64(max(count, 1))
        progress.completedUnitCount = progress.totalUnitCount
    }
}
