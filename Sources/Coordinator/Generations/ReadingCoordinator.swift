import StrataStore
import Synchronization

/// A coordinator with reads of its own; all else is the base coordinator's.
protocol ReadingCoordinator: Coordinator {
    var base: PersistentStoreCoordinator { get }

    /// Runs `body`, whose reads on this thread are the coordinator's own, with the generation that they are of, if any.
    func reading<T>(_ body: (HeldGeneration?) throws -> T) throws -> T
}

extension ReadingCoordinator {
    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try reading { try base.fetch(plan, affectedStores: base.affectedStores(of: $0, affectedStores)) }
    }

    func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        try reading { try base.explain(plan, affectedStores: base.affectedStores(of: $0, affectedStores)) }
    }

    func rows(for ids: [ObjectID]) throws -> [Row?] { try reading { _ in try base.rows(for: ids) } }

    func row(for id: ObjectID) throws -> Row? { try reading { _ in try base.row(for: id) } }

    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try reading { _ in try base.destinations(of: relationship, from: id) }
    }

    func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try reading { _ in try base.destinations(of: relationship, from: ids) }
    }

    func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [[Row]]) {
        try reading { _ in try base.destinationsWithRows(of: relationship, from: ids) }
    }

    func withSnapshot<T>(_ body: () throws -> T) throws -> T { try reading { _ in try base.withSnapshot(body) } }

    var model: ManagedObjectModel { base.model }
    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { try base.storeForNewObjects(of: entity) }
    func storeID(of id: ObjectID) throws -> StoreID { try base.storeID(of: id) }
    func sequenceNumber(for entity: EntityDescription) throws -> Int64 { try base.sequenceNumber(for: entity) }
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try base.obtainReferences(requests)
    }
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { try base.scopes(ofStore: storeID) }
    func hasRemoved(_ storeID: StoreID) -> Bool { base.hasRemoved(storeID) }
    func refreshStores(_ storeIDs: [StoreID]?) throws { try base.refreshStores(storeIDs) }
    func objectID(forURI uri: String) -> ObjectID? { base.objectID(forURI: uri) }

    func save(_ request: SaveChangesRequest) throws -> SaveOutcome { try base.save(request) }
}

/// The coordinator of a context that may read from replicas.
final class ReplicaCoordinator: ReadingCoordinator {
    let base: PersistentStoreCoordinator

    init(_ base: PersistentStoreCoordinator) { self.base = base }

    func reading<T>(_ body: (HeldGeneration?) throws -> T) throws -> T {
        try StoreReading.$allowsReplicas.withValue(true) { try body(nil) }
    }
}

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

    func reading<T>(_ body: (HeldGeneration?) throws -> T) throws -> T {
        let generation = try generation.withLock { generation in
            if let generation { return generation }
            let taken = try base.holdGeneration()
            generation = taken
            return taken
        }
        return try base.reading(generation) { try body(generation) }
    }
}
