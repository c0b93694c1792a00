import Dispatch
import StrataCoordinator
import StrataStore
import Synchronization

/// The progress of an asynchronous fetch.
public struct FetchProgress: Sendable, Hashable {
    /// The number of objects that have arrived.
    public let completedCount: Int
    /// The number of objects: the caller's estimate until the stores report it; `nil` without an estimate.
    public let totalCount: Int?

    /// Creates a state of progress.
    public init(completedCount: Int, totalCount: Int?) {
        self.completedCount = completedCount
        self.totalCount = totalCount
    }
}

/// The stores' part of a fetch; unlike the overlay of pending changes, it may leave the context's thread.
struct FetchQuestion: Sendable {
    let plan: FetchPlan
    let stores: [StoreID]?
    /// The shape of the pending changes' overlay; `nil` where none affect the answer.
    let shape: PendingOverlay.Shape?
    let generation: Int
}

/// A fetch that runs beside its context: IDs first, then rows in batches of some hundreds, all of one snapshot.
final class AsynchronousFetch: Sendable {
    private static let batchSize = 500

    private let question: FetchQuestion
    private let coordinator: any Coordinator
    private let estimate: Int?
    private let progress: (@Sendable (FetchProgress) -> Void)?
    private let state = Mutex(State())
    private let cancellation = StoreCancellation()

    private struct State {
        var isCancelled = false
        var continuation: CheckedContinuation<CoordinatorAnswer, any Error>?
    }

    init(_ question: FetchQuestion, _ coordinator: any Coordinator, estimate: Int?, progress: (@Sendable (FetchProgress) -> Void)?) {
        self.question = question
        self.coordinator = coordinator
        self.estimate = estimate
        self.progress = progress
    }

    /// Fetches on another thread; throws `CancellationError` as soon as the task is cancelled, though a store may still
    /// finish its work; what a store throws.
    func fetch() async throws -> CoordinatorAnswer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.continuation = continuation }
                    return state.isCancelled
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                DispatchQueue.global().async {
                    self.end(Result { try StoreCancellation.$current.withValue(self.cancellation) { try self.fetchFromStores() } })
                }
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
            end(.failure(CancellationError()))
            cancellation.cancel()
        }
    }

    private func end(_ result: Result<CoordinatorAnswer, any Error>) {
        let continuation = state.withLock { state in
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    private func check() throws {
        if state.withLock({ $0.isCancelled }) { throw CancellationError() }
    }

    private func report(_ count: Int, of total: Int?) { progress?(FetchProgress(completedCount: count, totalCount: total)) }

    private func fetchFromStores() throws -> CoordinatorAnswer {
        try check()
        report(0, of: estimate)
        return try coordinator.withSnapshot {
            guard case .rows = question.plan.result else { return try coordinator.fetch(question.plan, affectedStores: question.stores) }
            var plan = question.plan
            plan.result = .references
            return .rows(try rows(of: coordinator.fetch(plan, affectedStores: question.stores).requireIDs()))
        }
    }

    private func rows(of ids: [ObjectID]) throws -> FetchedRows {
        var fetched = FetchedRows(rows: [], scopes: [], storeOfRow: [])
        fetched.rows.reserveCapacity(ids.count)
        var scopeIndices: [StoreID: Int32] = [:]
        report(0, of: ids.count)
        for start in stride(from: 0, to: ids.count, by: AsynchronousFetch.batchSize) {
            try check()
            let batch = Array(ids[start..<min(start + AsynchronousFetch.batchSize, ids.count)])
            for (id, row) in zip(batch, try coordinator.rows(for: batch)) {
                guard let row else { continue }
                let storeID = id.scope.storeID
                if scopeIndices[storeID] == nil {
                    scopeIndices[storeID] = Int32(fetched.scopes.count)
                    fetched.scopes.append(try coordinator.scopes(ofStore: storeID))
                }
                fetched.rows.append(row)
                fetched.storeOfRow.append(scopeIndices[storeID] ?? 0)
            }
            report(start + batch.count, of: ids.count)
        }
        return fetched
    }
}

extension ManagedObjectContext {
    /// Returns the objects that a request describes, without blocking the context's actor while the stores work.
    ///
    /// The objects are those of one snapshot of the stores, with the changes that are pending in the context when the
    /// fetch ends. Where the pending changes affect the answer differently than at the start, or the context saved,
    /// merged, refreshed or forgot objects meanwhile, the stores are asked again, on the actor.
    ///
    /// - Parameters:
    ///   - request: What to fetch.
    ///   - estimatedResultCount: The total that progress shows until the stores report theirs.
    ///   - isolation: The context's actor: the caller's, by default.
    ///   - progress: Receives the progress, on any thread.
    /// - Throws: As ``fetch(_:)``; `CancellationError`, Core Data's 3072, when the task is cancelled.
    public func fetchAsynchronously<Result: ManagedObject>(
        _ request: ObjectFetchRequest<Result>, estimatedResultCount: Int? = nil, isolation: isolated (any Actor)? = #isolation,
        progress: (@Sendable (FetchProgress) -> Void)? = nil
    ) async throws -> [Result] {
        guard let question = try question(request.untyped) else { return try fetch(request) }
        let fetch = AsynchronousFetch(question, source, estimate: estimatedResultCount, progress: progress)
        return try typed(try deliver(try await fetch.fetch(), to: question, request.untyped))
    }

    /// Returns `nil` for a child, which alone asks its parent.
    fileprivate func question(_ request: ObjectFetchRequest<ManagedObject>) throws -> FetchQuestion? {
        if parent != nil { return nil }
        let plan = try plan(request, request.includesPropertyValues ? .rows : .references)
        let overlay = overlay(of: plan, request)
        return FetchQuestion(plan: overlay?.saved ?? plan, stores: stores(request), shape: overlay?.shape, generation: loader.generation)
    }

    fileprivate func deliver(
        _ answer: CoordinatorAnswer, to question: FetchQuestion, _ request: ObjectFetchRequest<ManagedObject>
    ) throws -> [ManagedObject] {
        let overlay = overlay(of: try plan(request, question.plan.result), request)
        guard overlay?.shape == question.shape, loader.generation == question.generation else { return try objects(of: request) }
        return try objects(answer, overlay, request)
    }
}

extension BackgroundContext {
    /// Hands the objects that a request describes to a block on the context's queue, which is free for other work while
    /// the stores work.
    ///
    /// ```swift
    /// let names = try await background.fetch(ObjectFetchRequest<Person>(), progress: { print($0.completedCount) }) { people in
    ///     people.compactMap(\.name)
    /// }
    /// ```
    /// The objects are as ``ManagedObjectContext/fetchAsynchronously(_:estimatedResultCount:isolation:progress:)``
    /// says.
    ///
    /// - Throws: As ``ManagedObjectContext/fetch(_:)``; `CancellationError`, Core Data's 3072, when the task is
    ///   cancelled; what the block throws.
    public func fetch<Result: ManagedObject, T: Sendable>(
        _ request: ObjectFetchRequest<Result>, estimatedResultCount: Int? = nil, progress: (@Sendable (FetchProgress) -> Void)? = nil,
        _ block: @escaping @Sendable ([Result]) throws -> T
    ) async throws -> T {
        let (question, coordinator) = try await perform { (try $0.question(request.untyped), $0.source) }
        guard let question else { return try await perform { try block(try $0.fetch(request)) } }
        let fetch = AsynchronousFetch(question, coordinator, estimate: estimatedResultCount, progress: progress)
        let answer = try await fetch.fetch()
        return try await perform { try block(try $0.typed(try $0.deliver(answer, to: question, request.untyped))) }
    }
}
