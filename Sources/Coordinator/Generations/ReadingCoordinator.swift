import StrataModel
import StrataStore

/// A coordinator with reads of its own; all else is the base coordinator's.
protocol ReadingCoordinator: Coordinator {
    var base: PersistentStoreCoordinator { get }

    func reading<T>(_ body: () throws -> T) throws -> T
}

extension ReadingCoordinator {
    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try reading { try base.fetch(plan, affectedStores: affectedStores) }
    }

    func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        try reading { try base.explain(plan, affectedStores: affectedStores) }
    }

    func rows(for ids: [ObjectID]) throws -> [Row?] { try reading { try base.rows(for: ids) } }

    func row(for id: ObjectID) throws -> Row? { try reading { try base.row(for: id) } }

    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try reading { try base.destinations(of: relationship, from: id) }
    }

    func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try reading { try base.destinations(of: relationship, from: ids) }
    }

    func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [ObjectID: Row]) {
        try reading { try base.destinationsWithRows(of: relationship, from: ids) }
    }

    func withSnapshot<T>(_ body: () throws -> T) throws -> T { try reading { try base.withSnapshot(body) } }

    var model: ManagedObjectModel { base.model }
    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { try base.storeForNewObjects(of: entity) }
    func storeID(of id: ObjectID) throws -> StoreID { try base.storeID(of: id) }
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try base.obtainReferences(requests)
    }
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { try base.scopes(ofStore: storeID) }
    func refreshStores(_ storeIDs: [StoreID]?) throws { try base.refreshStores(storeIDs) }
    func objectID(forURI uri: String) -> ObjectID? { base.objectID(forURI: uri) }

    func save(_ request: SaveChangesRequest) throws -> SaveOutcome { try base.save(request) }
}

/// The coordinator of a context that may read from replicas.
final class ReplicaCoordinator: ReadingCoordinator {
    let base: PersistentStoreCoordinator

    init(_ base: PersistentStoreCoordinator) { self.base = base }

    func reading<T>(_ body: () throws -> T) throws -> T {
        try StoreReading.$allowsReplicas.withValue(true, operation: body)
    }
}
