package import StrataModel
package import StrataStore

/// A coordinator with reads of its own; all else is the base coordinator's.
package protocol ReadingCoordinator: Coordinator {
    var base: PersistentStoreCoordinator { get }

    func reading<T>(_ body: () throws -> T) throws -> T
}

extension ReadingCoordinator {
    package func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try reading { try base.fetch(plan, affectedStores: affectedStores) }
    }

    package func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        try reading { try base.explain(plan, affectedStores: affectedStores) }
    }

    package func rows(for ids: [ObjectID]) throws -> [Row?] { try reading { try base.rows(for: ids) } }

    package func row(for id: ObjectID) throws -> Row? { try reading { try base.row(for: id) } }

    package func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try reading { try base.destinations(of: relationship, from: id) }
    }

    package func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try reading { try base.destinations(of: relationship, from: ids) }
    }

    package func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [ObjectID: Row]) {
        try reading { try base.destinationsWithRows(of: relationship, from: ids) }
    }

    package func withSnapshot<T>(_ body: () throws -> T) throws -> T { try reading { try base.withSnapshot(body) } }

    package var model: ManagedObjectModel { base.model }
    package func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { try base.storeForNewObjects(of: entity) }
    package func storeID(of id: ObjectID) throws -> StoreID { try base.storeID(of: id) }
    package func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try base.obtainReferences(requests)
    }
    package func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { try base.scopes(ofStore: storeID) }
    package func refreshStores(_ storeIDs: [StoreID]?) throws { try base.refreshStores(storeIDs) }
    package func objectID(forURI uri: String) -> ObjectID? { base.objectID(forURI: uri) }

    package func save(_ request: SaveChangesRequest) throws -> SaveOutcome { try base.save(request) }
    package func execute(_ request: BatchInsertRequest) throws -> BatchResult { try base.execute(request) }
    package func execute(_ request: BatchUpdateRequest) throws -> BatchResult { try base.execute(request) }
    package func execute(_ request: BatchDeleteRequest) throws -> BatchResult { try base.execute(request) }
}

/// The coordinator of a context that may read from replicas.
package final class ReplicaCoordinator: ReadingCoordinator {
    package let base: PersistentStoreCoordinator

    package init(_ base: PersistentStoreCoordinator) { self.base = base }

    package func reading<T>(_ body: () throws -> T) throws -> T {
        try StoreReading.$allowsReplicas.withValue(true, operation: body)
    }
}
