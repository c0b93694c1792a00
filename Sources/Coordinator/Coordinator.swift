package import StrataModel
import StrataQuery
package import StrataStore

/// What a context fetches from and saves to.
///
/// ``PersistentStoreCoordinator`` is one over stores; tests have others. All methods are called on any thread, several at once, and block
/// while they work.
package protocol Coordinator: AnyObject, Sendable {
    var model: ManagedObjectModel { get }

    /// Answers a plan over all stores that hold its entity, or over those with the given IDs, as one.
    ///
    /// - Throws: `StoreError` where a store cannot be read; with `noStore` where no open store holds the entity, or one with a given ID is not
    ///   open; `QueryError` for values that an expression cannot take.
    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer

    /// Answers a plan as ``fetch(_:affectedStores:)`` would, and says how.
    func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation

    /// Returns the rows of objects of one entity hierarchy, in the order of the IDs; `nil` for each that does not
    /// exist.
    ///
    /// - Throws: `StoreError` where a row cannot be read, with `noStore` where its store is not open. A row that was
    ///   deleted is no error.
    func rows(for ids: [ObjectID]) throws -> [Row?]

    /// Returns the row of an object; `nil` when it does not exist.
    func row(for id: ObjectID) throws -> Row?

    /// Returns the destinations of a to-many relationship of a saved object: in their order, or by reference where
    /// there is none.
    ///
    /// - Throws: `StoreError` where they cannot be read.
    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID]

    /// Returns the destinations of a to-many relationship of several saved objects, in one round trip; in the order of
    /// the objects.
    ///
    /// - Throws: `StoreError` where they cannot be read.
    func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]]

    /// Returns the destinations of a to-many relationship of several saved objects as `destinations(of:from:)` has
    /// them, and rows of theirs that came along, in one round trip: by default none.
    ///
    /// - Throws: `StoreError` where they cannot be read.
    func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [ObjectID: Row])

    /// Runs `body` over one snapshot of every store: all reads of this thread inside see the same state, and none pays for a read
    /// transaction of its own. Do not save inside.
    ///
    /// A save over several stores is in all of the snapshots or in none, where it was made through this coordinator; what another
    /// coordinator or process saves over the same stores may be in some of them only.
    ///
    /// - Throws: What `body` throws; `StoreError` where a snapshot cannot be had.
    func withSnapshot<T>(_ body: () throws -> T) throws -> T

    /// Returns the ID of the store that a new object goes to: the first writable one that holds its entity.
    ///
    /// - Throws: `StoreError` with `noStore`.
    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID

    /// Returns the ID of the store that an object is in, or goes to: one that a context over this coordinator need not
    /// know of by the object's ID.
    ///
    /// - Throws: `StoreError` with `noStore`.
    func storeID(of id: ObjectID) throws -> StoreID

    /// Sets permanent references aside, one for each entity given, in the stores with the given IDs.
    ///
    /// - Throws: `StoreError` with `noStore`, `readOnly`, `locked` after the time-out, or `io`.
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64]

    /// Returns the scopes that IDs of a store's objects have.
    ///
    /// - Throws: `StoreError` with `noStore` when there is no such store.
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes

    /// Saves what a request says: all of it, in all its stores, or nothing.
    ///
    /// The new rows of a context's request are the coordinator's from then on, which puts other references into them where they lie: a
    /// coordinator that hands requests on to another one, and keeps them, looks at them before. A request whose changes it sets is its own.
    ///
    /// - Throws: ``SaveConflictError`` where other saves stand against it; `StoreError` for everything else.
    func save(_ request: SaveChangesRequest) throws -> SaveOutcome

    /// Inserts objects without making managed objects of them.
    ///
    /// - Throws: ``BatchInsertError`` where a constraint kept objects out, the others being in; `StoreError`, or what the source throws,
    ///   with nothing changed.
    func execute(_ request: BatchInsertRequest) throws -> BatchResult

    /// Changes objects without making managed objects of them.
    ///
    /// - Throws: ``SaveConflictError`` where a constraint is broken; `QueryError`; `StoreError`. Nothing was changed.
    func execute(_ request: BatchUpdateRequest) throws -> BatchResult

    /// Deletes objects without making managed objects of them.
    ///
    /// - Throws: `QueryError`; `StoreError`. Nothing was deleted.
    func execute(_ request: BatchDeleteRequest) throws -> BatchResult

    /// Makes the stores with some IDs, or all stores where `storeIDs` is `nil`, show what was saved outside this
    /// coordinator, where they do not do so by themselves.
    ///
    /// A context calls it before it reads its objects anew.
    ///
    /// - Throws: `StoreError` with `missing` where the file of a store was deleted, `replaced` where it is another
    ///   store's, and the store is unchanged then; with `noStore` where one is not open. All other stores are refreshed
    ///   all the same.
    func refreshStores(_ storeIDs: [StoreID]?) throws

    /// Returns the ID that a URI represents; `nil` where the URI is malformed, or names a store that is not open.
    func objectID(forURI uri: String) -> ObjectID?
}

extension Coordinator {
    /// Returns an explanation that knows of no store.
    ///
    /// - Throws: Nothing.
    package func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation { QueryExplanation(plan, stores: []) }
    package func refreshStores(_ storeIDs: [StoreID]?) throws {}
    package func storeID(of id: ObjectID) throws -> StoreID { try id.storeID ?? storeForNewObjects(of: id.entity) }
    package func row(for id: ObjectID) throws -> Row? { try rows(for: [id])[0] }
    package func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try ids.map { try destinations(of: relationship, from: $0) }
    }
    package func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [ObjectID: Row]) { (try destinations(of: relationship, from: ids), [:]) }
    package func withSnapshot<T>(_ body: () throws -> T) throws -> T { try body() }
    package func execute(_ request: BatchInsertRequest) throws -> BatchResult { throw cannotExecute(.batchInsert) }
    package func execute(_ request: BatchUpdateRequest) throws -> BatchResult { throw cannotExecute(.batchUpdate) }
    package func execute(_ request: BatchDeleteRequest) throws -> BatchResult { throw cannotExecute(.batchDelete) }

    private func cannotExecute(_ operation: StoreError.Operation) -> StoreError {
        StoreError(.unsupported, operation, "the coordinator does not execute batch requests")
    }
}
