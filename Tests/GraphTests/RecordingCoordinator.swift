import Strata
import StrataModel
import StrataStore
import Synchronization
import Testing

/// A coordinator of the tests' own: it passes everything on, keeps count, and fails on demand.
final class RecordingCoordinator: Coordinator {
    struct Failure: Error, Equatable {}

    struct Record {
        var fetches = 0
        /// What the last fetch asked.
        var plan: FetchPlan?
        var rowRequests = 0
        var destinationRequests = 0
        /// How many rows came along with destinations.
        var rowsAlong = 0
        var saves: [SaveChangesRequest] = []
        var failsReading = false
        /// How often a context asked to read anything.
        var attempts = 0
        /// The attempts that fail, from 1.
        var failingAttempts: Range<Int> = 0..<0
        var failsSaving: (any Error)?
        /// Whether somebody removes the stores as soon as a save is over.
        var losesStores = false

        /// The number of times that a context read anything.
        var reads: Int { fetches + rowRequests + destinationRequests }
    }

    let base: PersistentStoreCoordinator
    private let record = Mutex(Record())

    init(_ base: PersistentStoreCoordinator) { self.base = base }

    var model: ManagedObjectModel { base.model }
    var seen: Record { record.withLock { $0 } }
    func change(_ body: (inout Record) -> Void) { record.withLock { body(&$0) } }

    /// Has every read fail that `body` makes.
    func failing(_ body: () throws -> Void) rethrows {
        change { $0.failsReading = true }
        defer { change { $0.failsReading = false } }
        try body()
    }

    /// Expects that a context tells of a read of this coordinator that failed when it saves.
    ///
    /// - Parameter key: The property that was read; `nil` for the row as a whole.
    static func expectRefused(_ context: ManagedObjectContext, _ key: String?, sourceLocation: SourceLocation = #_sourceLocation) {
        let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) { try context.save() }
        #expect(error?.key == key, "\(String(describing: error))", sourceLocation: sourceLocation)
        #expect(error?.underlying is Failure, "\(String(describing: error))", sourceLocation: sourceLocation)
    }

    private func read(_ body: (inout Record) -> Void) throws {
        try record.withLock { record in
            record.attempts += 1
            if record.failsReading || record.failingAttempts.contains(record.attempts) { throw Failure() }
            body(&record)
        }
    }

    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try read {
            $0.fetches += 1
            $0.plan = plan
        }
        return try base.fetch(plan, affectedStores: affectedStores)
    }

    func rows(for ids: [ObjectID]) throws -> [Row?] {
        try read { $0.rowRequests += 1 }
        return try base.rows(for: ids)
    }

    func withSnapshot<T>(_ body: () throws -> T) throws -> T { try base.withSnapshot(body) }

    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try read { $0.destinationRequests += 1 }
        return try base.destinations(of: relationship, from: id)
    }

    func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try read { $0.destinationRequests += 1 }
        return try base.destinations(of: relationship, from: ids)
    }

    func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [[Row]]) {
        try read { $0.destinationRequests += 1 }
        let found = try base.destinationsWithRows(of: relationship, from: ids)
        change { $0.rowsAlong += found.rows.joined().count }
        return found
    }

    func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        try record.withLock { record in
            if let failure = record.failsSaving { throw failure }
            record.saves.append(request)
        }
        let outcome = try base.save(request)
        if seen.losesStores { for store in base.stores { try base.remove(store) } }
        return outcome
    }

    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { try base.storeForNewObjects(of: entity) }
    func sequenceNumber(for entity: EntityDescription) throws -> Int64 { try base.sequenceNumber(for: entity) }
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try base.obtainReferences(requests)
    }
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { try base.scopes(ofStore: storeID) }
    func hasRemoved(_ storeID: StoreID) -> Bool { base.hasRemoved(storeID) }
    func refreshStores(_ storeIDs: [StoreID]?) throws {}
    func objectID(forURI uri: String) -> ObjectID? { base.objectID(forURI: uri) }
}
