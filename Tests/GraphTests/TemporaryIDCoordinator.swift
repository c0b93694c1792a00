import Strata
import StrataModel
import StrataStore

/// A coordinator that gives no object a permanent ID: one whose objects, as those of a parent context may be, are saved as far as a context
/// over it can tell, and yet have temporary IDs.
final class TemporaryIDCoordinator: Coordinator {
    let base: PersistentStoreCoordinator
    private let scopes: ObjectIDScopes
    private let store: StoreID

    init(_ base: PersistentStoreCoordinator) {
        self.base = base
        scopes = ObjectIDScopes(model: base.model, storeID: nil)
        store = base.stores[0].id
    }

    var model: ManagedObjectModel { base.model }

    /// The ID here of an object of the store.
    func id(of stored: ObjectID) -> ObjectID { ObjectID(scope: scopes[stored.entity.index], reference: stored.reference) }

    /// The ID in the store of an object here; `nil` for one that no context over this coordinator has saved.
    private func stored(_ id: ObjectID) throws -> ObjectID? {
        id.reference < 0 ? nil : ObjectID(scope: try base.scopes(ofStore: store)[id.entity.index], reference: id.reference)
    }

    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        switch try base.fetch(plan, affectedStores: nil) {
        case .rows(let rows): .rows(FetchedRows(rows: rows.rows, scopes: [scopes], storeOfRow: []))
        case .ids(let ids): .ids(ids.map(id(of:)))
        case let answer: answer
        }
    }

    func rows(for ids: [ObjectID]) throws -> [Row?] {
        try ids.map { try stored($0).flatMap { try base.row(for: $0) } }
    }

    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try stored(id).map { try base.destinations(of: relationship, from: $0).map(self.id(of:)) } ?? []
    }

    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { store }
    func sequenceNumber(for entity: EntityDescription) throws -> Int64 { try base.sequenceNumber(for: entity) }
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try base.obtainReferences(requests)
    }
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { scopes }
    func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        do { return try base.save(request) } catch let error as SaveConflictError {
            throw SaveConflictError(
                conflicts: error.conflicts.map { conflict in
                    SaveConflictError.Conflict(
                        objectID: id(of: conflict.objectID), reason: conflict.reason, otherID: conflict.otherID.map(id(of:)),
                        values: conflict.values, relatedIDs: conflict.relatedIDs.map(id(of:)))
                })
        }
    }
    func withSnapshot<T>(_ body: () throws -> T) throws -> T { try body() }
    func refreshStores(_ storeIDs: [StoreID]?) throws {}
    func objectID(forURI uri: String) -> ObjectID? { nil }
}
