package import StrataStore

/// The source of a context's fetches and the target of its saves.
///
/// ``PersistentStoreCoordinator`` is one over stores; tests have others. All methods are called on any thread, several
/// at once, and block while they work.
package protocol Coordinator: AnyObject, Sendable {
    var model: ManagedObjectModel { get }

    /// The generation that all reads are of; `nil`, the default, where they are of what the stores hold.
    var pinnedGeneration: QueryGenerationToken? { get }

    /// Answers a plan over all stores that hold its entity, or over those with the given IDs, as one.
    ///
    /// - Throws: `StoreError` where a store cannot be read; with `noStore` where no open store holds the entity, or one with a given ID is not
    ///   open; `QueryError` for values that an expression cannot take.
    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer

    /// Answers a plan as ``fetch(_:affectedStores:)`` would, and returns the explanation.
    func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation

    /// Returns the rows of objects of one entity hierarchy, in the order of the IDs; `nil` for each that does not
    /// exist.
    ///
    /// - Throws: `StoreError` where a row cannot be read, with `noStore` where its store is not open. A row that was
    ///   deleted is no error.
    func rows(for ids: [ObjectID]) throws -> [Row?]

    /// Returns the row of an object; `nil` when it does not exist.
    func row(for id: ObjectID) throws -> Row?

    /// Returns the destinations of a to-many relationship of a saved object: in order, or by reference without an
    /// order; throws `StoreError` where they cannot be read.
    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID]

    /// Returns the destinations of a to-many relationship of several saved objects, in one round trip; in the order of
    /// the objects.
    ///
    /// - Throws: `StoreError` where they cannot be read.
    func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]]

    /// Returns the destinations of a to-many relationship as `destinations(of:from:)` does, with the existing rows of
    /// each object's destinations, in their order: by default none; throws `StoreError` where they cannot be read.
    func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [[Row]])

    /// Runs `body` over one snapshot of every store: all reads of this thread inside see the same state, in one read
    /// transaction.
    ///
    /// Do not save inside. A save over several stores is in all of the snapshots or in none, where it was made through
    /// this coordinator; one of another coordinator or process may be in some of them only.
    ///
    /// - Throws: What `body` throws; `StoreError` where no snapshot is available.
    func withSnapshot<T>(_ body: () throws -> T) throws -> T

    /// Returns the ID of the store for a new object: the first writable one that holds its entity, or the first one where
    /// all are read-only; throws `StoreError` with `noStore`.
    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID

    /// Returns the ID of the store of an object, which may not follow from the object's ID; throws `StoreError` with
    /// `noStore`.
    func storeID(of id: ObjectID) throws -> StoreID

    /// Reserves permanent references, one for each entity given, in the stores with the given IDs; throws `StoreError`
    /// with `noStore`, `readOnly`, `locked` after the time-out, or `io`.
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64]

    /// Returns the next number of an entity's sequence, which no other caller gets; throws `StoreError` with `noStore`, `readOnly`, `locked`
    /// after the time-out, `tooLarge`, or `io`.
    func sequenceNumber(for entity: EntityDescription) throws -> Int64

    /// Returns the scopes that IDs of a store's objects have; throws `StoreError` with `noStore` when there is no such
    /// store.
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes

    /// Returns whether a store was removed, and maybe added again: objects may have rows of an earlier opening.
    func hasRemoved(_ storeID: StoreID) -> Bool

    /// Saves a request: all of it, in all its stores, or nothing.
    ///
    /// The new rows of a context's request belong to the coordinator, which replaces references in them in place: a
    /// coordinator that passes requests on reads them before.
    ///
    /// - Throws: ``SaveConflictError`` on conflicts with other saves; `StoreError` for everything else.
    func save(_ request: SaveChangesRequest) throws -> SaveOutcome

    /// Makes the stores with some IDs, or all stores where `storeIDs` is `nil`, show what was saved outside this
    /// coordinator, where they do not do so by themselves.
    ///
    /// A context calls it before it refreshes its objects.
    ///
    /// - Throws: `StoreError` with `missing` where the file of a store was deleted, `replaced` where it is another
    ///   store's, and the store is unchanged then; with `noStore` where one is not open. All other stores are refreshed
    ///   all the same.
    func refreshStores(_ storeIDs: [StoreID]?) throws

    /// Returns the ID of a URI; `nil` where the URI is malformed, or names a store that is not open.
    func objectID(forURI uri: String) -> ObjectID?
}

extension Coordinator {
    package var pinnedGeneration: QueryGenerationToken? { nil }
    package func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation { QueryExplanation(plan, stores: []) }
    package func storeID(of id: ObjectID) throws -> StoreID { try id.storeID ?? storeForNewObjects(of: id.entity) }
    package func hasRemoved(_ storeID: StoreID) -> Bool { false }
    package func row(for id: ObjectID) throws -> Row? { try rows(for: [id])[0] }
    package func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try ids.map { try destinations(of: relationship, from: $0) }
    }
    package func destinationsWithRows(
        of relationship: RelationshipDescription, from ids: [ObjectID]
    ) throws -> (destinations: [[ObjectID]], rows: [[Row]]) {
        (try destinations(of: relationship, from: ids), [[Row]](repeating: [], count: ids.count))
    }
}
