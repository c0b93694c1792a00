import Strata
import StrataModel
import StrataStore
import Synchronization

/// A coordinator that passes everything on, and fails to read on demand.
final class FailingCoordinator: Coordinator {
    struct Failure: Error, Equatable {}

    let base: PersistentStoreCoordinator
    /// How many reads are still let through; `nil` for all.
    private let left = Mutex<Int?>(nil)

    init(_ base: PersistentStoreCoordinator) { self.base = base }

    /// Has reads fail in `body`, after some that do not.
    func failing<T>(after count: Int, _ body: () throws -> T) rethrows -> T {
        left.withLock { $0 = count }
        defer { left.withLock { $0 = nil } }
        return try body()
    }

    private func read() throws {
        try left.withLock { left in
            guard let count = left else { return }
            if count == 0 { throw Failure() }
            left = count - 1
        }
    }

    var model: ManagedObjectModel { base.model }

    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try read()
        return try base.fetch(plan, affectedStores: affectedStores)
    }

    func rows(for ids: [ObjectID]) throws -> [Row?] {
        try read()
        return try base.rows(for: ids)
    }

    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try read()
        return try base.destinations(of: relationship, from: id)
    }

    func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try read()
        return try base.destinations(of: relationship, from: ids)
    }

    func withSnapshot<T>(_ body: () throws -> T) throws -> T { try base.withSnapshot(body) }
    func save(_ request: SaveChangesRequest) throws -> SaveOutcome { try base.save(request) }
    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { try base.storeForNewObjects(of: entity) }
    func sequenceNumber(for entity: EntityDescription) throws -> Int64 { try base.sequenceNumber(for: entity) }
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try base.obtainReferences(requests)
    }
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { try base.scopes(ofStore: storeID) }
    func hasRemoved(_ storeID: StoreID) -> Bool { base.hasRemoved(storeID) }
    func refreshStores(_ storeIDs: [StoreID]?) throws { try base.refreshStores(storeIDs) }
    func objectID(forURI uri: String) -> ObjectID? { base.objectID(forURI: uri) }
}

extension FailingCoordinator {
    /// Whether an error is of this coordinator's making, or comes of one.
    static func isFailure(_ error: any Error) -> Bool {
        if error is Failure { return true }
        return (error as? StoreError)?.underlying.map { isFailure($0) } ?? false
    }
}
