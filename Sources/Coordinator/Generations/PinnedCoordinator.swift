import StrataModel
import StrataStore
import Synchronization

/// The coordinator of a context that is pinned to a query generation: all reads are of that, all else is the
/// coordinator's.
final class PinnedCoordinator: ReadingCoordinator {
    let base: PersistentStoreCoordinator
    /// The generation; `nil` before the first read takes it.
    private let generation: Mutex<HeldGeneration?>

    /// - Parameter token: What to read; the state at the first read for ``QueryGenerationToken/current``.
    init(_ base: PersistentStoreCoordinator, _ token: QueryGenerationToken) {
        self.base = base
        generation = Mutex(token.generation)
    }

    var pinnedGeneration: QueryGenerationToken? { QueryGenerationToken(generation.withLock { $0 }) }

    func reading<T>(_ body: () throws -> T) throws -> T { try reading { _ in try body() } }

    private func reading<T>(_ body: (HeldGeneration) throws -> T) throws -> T {
        let generation = try generation.withLock { generation in
            if let generation { return generation }
            let taken = try base.holdGeneration()
            generation = taken
            return taken
        }
        return try base.reading(generation) { try body(generation) }
    }

    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try reading { try base.fetch(plan, affectedStores: base.affectedStores(of: $0, affectedStores)) }
    }

    func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        try reading { try base.explain(plan, affectedStores: base.affectedStores(of: $0, affectedStores)) }
    }
}
