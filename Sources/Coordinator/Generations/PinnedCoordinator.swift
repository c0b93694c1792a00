package import StrataModel
package import StrataStore
import Synchronization

/// A coordinator as a context sees it that is pinned to a state of the stores: all reads are of that state, everything else is the
/// coordinator's.
package final class PinnedCoordinator: Coordinator {
    /// The coordinator, whose reads are of what the stores hold.
    package let base: PersistentStoreCoordinator
    /// The state; `nil` before the first read takes it.
    private let generation: Mutex<HeldGeneration?>

    /// - Parameter token: What to read; the state at the first read for ``QueryGenerationToken/current``.
    package init(_ base: PersistentStoreCoordinator, _ token: QueryGenerationToken) {
        self.base = base
        generation = Mutex(token.generation)
    }

    /// The state that is read.
    package var token: QueryGenerationToken { QueryGenerationToken(generation.withLock { $0 }) }

    /// Whether the state was taken.
    package var isHeld: Bool { generation.withLock { $0 != nil } }

    private func reading<T>(_ body: (HeldGeneration) throws -> T) throws -> T {
        let generation = try generation.withLock { generation in
            if let generation { return generation }
            let taken = try base.holdGeneration()
            generation = taken
            return taken
        }
        return try base.reading(generation) { try body(generation) }
    }

    // MARK: - Reading

    package func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try reading { try base.fetch(plan, affectedStores: base.affectedStores(of: $0, affectedStores)) }
    }

    package func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        try reading { try base.explain(plan, affectedStores: base.affectedStores(of: $0, affectedStores)) }
    }

    package func rows(for ids: [ObjectID]) throws -> [Row?] { try reading { _ in try base.rows(for: ids) } }

    package func row(for id: ObjectID) throws -> Row? { try reading { _ in try base.row(for: id) } }

    package func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try reading { _ in try base.destinations(of: relationship, from: id) }
    }

    package func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try reading { _ in try base.destinations(of: relationship, from: ids) }
    }

    package func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [ObjectID: Row]) {
        try reading { _ in try base.destinationsWithRows(of: relationship, from: ids) }
    }

    package func withSnapshot<T>(_ body: () throws -> T) throws -> T { try reading { _ in try base.withSnapshot(body) } }

    // MARK: - What is the same in every state

    package var model: ManagedObjectModel { base.model }
    package func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { try base.storeForNewObjects(of: entity) }
    package func storeID(of id: ObjectID) throws -> StoreID { try base.storeID(of: id) }
    package func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try base.obtainReferences(requests)
    }
    package func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { try base.scopes(ofStore: storeID) }
    package func refreshStores(_ storeIDs: [StoreID]?) throws { try base.refreshStores(storeIDs) }
    package func objectID(forURI uri: String) -> ObjectID? { base.objectID(forURI: uri) }

    // MARK: - Changing

    package func save(_ request: SaveChangesRequest) throws -> SaveOutcome { try base.save(request) }
    package func execute(_ request: BatchInsertRequest) throws -> BatchResult { try base.execute(request) }
    package func execute(_ request: BatchUpdateRequest) throws -> BatchResult { try base.execute(request) }
    package func execute(_ request: BatchDeleteRequest) throws -> BatchResult { try base.execute(request) }
}
