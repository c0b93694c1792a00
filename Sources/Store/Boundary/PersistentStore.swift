public import StrataEvaluation
public import StrataModel
import StrataQuery

/// An open store.
///
/// All methods are called on any thread, possibly several at once, and block; a store orders them itself. They throw
/// ``StoreError``. A store knows neither contexts nor the coordinator: only rows, references and plans cross this
/// boundary.
public protocol PersistentStore: AnyObject, Sendable {
    /// The kind of store.
    var type: StoreType { get }
    /// The ID that the store got on creation, the authority of its objects' URIs.
    var id: StoreID { get }
    /// The location of the store.
    var location: StoreLocation { get }
    /// Whether the store is read-only.
    var isReadOnly: Bool { get }
    /// The capabilities of the store.
    var capabilities: StoreCapabilities { get }

    /// Returns the metadata as of the last save.
    ///
    /// - Throws: ``StoreError`` with `closed`, `corrupt` or `io`.
    func metadata() throws -> StoreMetadata

    /// Runs `body` over one consistent snapshot, which later saves do not change; the reader is invalid outside of
    /// `body`.
    ///
    /// - Throws: ``StoreError`` with `closed`, `io`, or `locked` where no snapshot is available; what `body` throws.
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T

    /// Answers a plan completely, over a snapshot of its own: ``StoreReader/answer(_:)`` within one ``read(_:)``, by
    /// default.
    ///
    /// - Throws: As ``StoreReader/execute(_:)``.
    func answer(_ plan: FetchPlan) throws -> StoreAnswer

    /// Returns the row of a reference in an entity hierarchy, over a snapshot of its own; `nil` when there is none.
    ///
    /// - Throws: ``StoreError``.
    func row(root: EntityIndex, reference: Int64) throws -> Row?

    /// Holds the current state of the store for later reads; called on any thread.
    ///
    /// - Returns: `nil` for a store that does not support it: the default.
    /// - Throws: ``StoreError`` where the store cannot be read.
    func holdSnapshot() throws -> (any StoreSnapshot)?

    /// Begins a transaction, after the store's write lock was acquired where it has one writer at a time.
    ///
    /// The transaction includes saves of other processes: a store that reads its file as a whole reads it again first
    /// where another process replaced it.
    ///
    /// - Parameter origin: The origin of the change, stored in a history.
    /// - Throws: ``StoreError`` with `locked` after the time-out, `readOnly`, `closed`; `missing` where the store's
    ///   file was deleted or moved while it was open, `replaced` where its path has another file.
    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction

    /// Begins the transaction that migrates the store, to another version of its model or to another location: no other
    /// transaction writes until its end. By default it is an ordinary one, which suits a store with one writer at a
    /// time.
    ///
    /// - Throws: ``StoreError``; with `locked` where another writer does not end in time.
    func beginMigration(_ origin: TransactionOrigin) throws -> any StoreTransaction

    /// Looks for damage that only the store itself can find: in the structure of its file, in checksums and in indexes.
    ///
    /// The core checks the consistency of rows. By default there is nothing to find.
    ///
    /// - Parameter limit: The greatest number of problems to return.
    /// - Returns: The problems; none in a sound store.
    /// - Throws: ``StoreError``: with `corrupt` for damage that stops the search, else where the file cannot be read.
    /// - Complexity: O(n) in the file, or O(n log n).
    func verify(limit: Int) throws -> [StoreProblem]

    /// Makes reads include saves of others since the store was opened.
    ///
    /// A store that reads its file as a whole checks whether another process replaced it; other stores read what is
    /// committed in any case, and do nothing: the default.
    ///
    /// - Throws: ``StoreError`` with `missing` where the file was deleted, `replaced` where another store has replaced
    ///   this one; the store is unchanged then.
    func refresh() throws

    /// Ends all work and releases the file. Later operations throw `closed`; closing twice does nothing.
    ///
    /// A transaction under way may still end, for which this waits until the time-out. Where it takes longer, the store
    /// is closed all the same, and the transaction releases the file.
    ///
    /// - Throws: ``StoreError`` of a failure; the store is closed then.
    func close() throws
}

extension PersistentStore {
    /// The path of the store's file; `nil` for a store that has none.
    public var path: String? { location.path }

    /// Starts a transaction without an origin, see ``beginWrite(_:)``.
    ///
    /// - Throws: As ``beginWrite(_:)``.
    public func beginWrite() throws -> any StoreTransaction { try beginWrite(TransactionOrigin()) }

    public func beginMigration(_ origin: TransactionOrigin) throws -> any StoreTransaction { try beginWrite(origin) }

    public func refresh() throws {}

    public func holdSnapshot() throws -> (any StoreSnapshot)? { nil }

    public func answer(_ plan: FetchPlan) throws -> StoreAnswer { try read { try $0.answer(plan) } }

    public func row(root: EntityIndex, reference: Int64) throws -> Row? { try read { try $0.row(root: root, reference: reference) } }

    public func verify(limit: Int) throws -> [StoreProblem] { [] }
}

/// One consistent snapshot of a store, used by one thread.
public protocol StoreReader: RowResolver {
    /// Fixes the snapshot to what is committed now, at the latest; called before any read.
    ///
    /// Only a store whose snapshots begin with their first read implements it: by default it does nothing.
    ///
    /// - Throws: ``StoreError`` where no snapshot is available.
    func takeSnapshot() throws

    /// Announces rows that the core is about to visit, with their destinations.
    ///
    /// A store that needs a round trip per row may read for many rows together: by default nothing happens.
    func expect(_ rows: [Row])

    /// Answers a plan as far as the store can, and returns what is left to do.
    ///
    /// - Throws: ``StoreError`` with `corrupt` for a damaged row, `io`, or `closed`; what evaluating an expression of
    ///   the plan throws.
    func execute(_ plan: FetchPlan) throws -> StoreAnswer

    /// Answers a plan as ``execute(_:)`` does, and returns the explanation.
    ///
    /// - Throws: ``StoreError``; `QueryError`.
    func explain(_ plan: FetchPlan) throws -> PlanExplanation

    /// Returns the existing rows of one hierarchy with the given references, in any order.
    ///
    /// - Throws: ``StoreError`` with `corrupt` for a damaged row, `io`, or `closed`.
    func rows(root: EntityIndex, references: [Int64]) throws -> [Row]

    /// Returns the versions of all rows of one hierarchy, in any order. By default the rows are read.
    ///
    /// Called when others changed the store, to find the rows to read.
    ///
    /// - Parameter root: The root of the hierarchy.
    /// - Throws: ``StoreError``.
    /// - Complexity: O(n) in the rows of the hierarchy; a store with external values reads none of them.
    func versions(root: EntityDescription) throws -> [RowVersion]

    /// Returns the existing ones of some rows of one hierarchy, in any order, by their own entities. By default it
    /// reads the rows.
    ///
    /// - Throws: ``StoreError``.
    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference]

    /// Returns the destinations of a to-many relationship of one object: in order where it is ordered, else by
    /// reference.
    ///
    /// - Parameters:
    ///   - relationship: A to-many relationship stored by its inverse or by links.
    ///   - owner: The reference of the object.
    /// - Throws: ``StoreError``.
    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference]

    /// Returns the destinations of a to-many relationship of several objects, as ``destinations(of:owner:)`` does for
    /// each.
    ///
    /// By default it reads one object after the other.
    ///
    /// - Throws: ``StoreError``.
    func destinations(of relationship: RelationshipDescription, owners: [Int64]) throws -> [[ObjectReference]]

    /// Returns the destinations of a to-many relationship as ``destinations(of:owners:)`` does, and their existing
    /// rows, in any order.
    ///
    /// By default it reads the rows after the destinations.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - root: The root of the destinations' hierarchy.
    ///   - owners: The references of the objects.
    /// - Throws: ``StoreError``; with `corrupt` for a malformed row.
    func destinationsWithRows(
        of relationship: RelationshipDescription, root: EntityIndex, owners: [Int64]
    ) throws -> (destinations: [[ObjectReference]], rows: [Row])

    /// Returns all links of a table, in any order.
    ///
    /// - Throws: ``StoreError``.
    func links(of table: LinkTable) throws -> [Link]
}

extension StoreReader {
    public func takeSnapshot() throws {}

    public func expect(_ rows: [Row]) {}

    public func versions(root: EntityDescription) throws -> [RowVersion] {
        try execute(FetchPlan(root)).requireRows().map { RowVersion(entity: $0.entityIndex, reference: $0.reference, version: $0.version) }
    }

    public func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        try rows(root: root, references: references).map { ObjectReference(entity: $0.entityIndex, reference: $0.reference) }
    }

    public func explain(_ plan: FetchPlan) throws -> PlanExplanation {
        guard case .rows(let rows, let remainder) = try execute(plan) else { return PlanExplanation(rowsRead: 0) }
        var explanation = PlanExplanation(rowsRead: rows.count)
        let remaining = remainder.predicate?.conjuncts.map(\.description) ?? []
        explanation.decided = plan.predicate?.conjuncts.map(\.description).filter { !remaining.contains($0) } ?? []
        explanation.remaining = remaining
        explanation.isSorted = !remainder.needsSort
        explanation.isSliced = !remainder.needsSlice
        return explanation
    }

    public func destinations(of relationship: RelationshipDescription, owners: [Int64]) throws -> [[ObjectReference]] {
        try owners.map { try destinations(of: relationship, owner: $0) }
    }

    public func destinationsWithRows(
        of relationship: RelationshipDescription, root: EntityIndex, owners: [Int64]
    ) throws -> (destinations: [[ObjectReference]], rows: [Row]) {
        let destinations = try destinations(of: relationship, owners: owners)
        let references = Set(destinations.joined().map(\.reference))
        return (destinations, references.isEmpty ? [] : try rows(root: root, references: references.sorted()))
    }

    public func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        let references = try destinations(of: relationship, owner: owner.reference).map(\.reference)
        if references.isEmpty { return [] }
        let rows = Dictionary(try rows(root: root, references: references).map { ($0.reference, $0) }) { first, _ in first }
        return references.compactMap { rows[$0] }
    }
}

/// A transaction over a store: all changes take effect together at ``commit()``, or not at all.
///
/// Used by one thread. A transaction that is released without either is rolled back.
public protocol StoreTransaction: AnyObject {
    /// Reserves consecutive references for new rows of a hierarchy, and returns the first; none is reserved twice by
    /// committed transactions.
    ///
    /// - Throws: ``StoreError`` with `tooLarge` where none are left; `full`, `io`.
    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64

    /// Applies changes within the transaction.
    ///
    /// Every update and deletion is checked against the expected version, and the result against the uniqueness
    /// constraints. Deleting a row removes its links. After conflicts the transaction can only be rolled back.
    ///
    /// - Returns: The conflicts; empty on success.
    /// - Throws: ``StoreError`` with `full`, `io`, or `tooLarge` for a value that the format cannot hold. Conflicts are
    ///   returned instead.
    func apply(_ changes: ChangeSet) throws -> [StoreConflict]

    /// Inserts new rows of one entity, by ascending reference, up to the first that violates a uniqueness constraint.
    ///
    /// For callers that resolve the violation: unlike one in ``apply(_:)``, it does not invalidate the transaction.
    ///
    /// - Returns: The number of inserted rows. A store may skip any number at the end, which are applied then: the
    ///   default skips all.
    /// - Throws: ``StoreError``.
    func insertUncontested(_ rows: [Row]) throws -> Int

    /// Changes all rows of a plan in the store's own way, with the result that the core would have row by row.
    ///
    /// Called before anything else is changed in the transaction.
    ///
    /// - Parameters:
    ///   - plan: A plan for references or for their count, without order, limit and offset.
    ///   - assignments: The new values, computed of each row as it was.
    /// - Returns: The plan's answer; `nil`, with nothing changed, where the store leaves the work to the core: the
    ///   default.
    /// - Throws: ``StoreError``.
    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer?

    /// Deletes all rows of a plan, and their links, in the store's own way; no other row changes.
    ///
    /// Called before anything else is changed in the transaction.
    ///
    /// - Parameter plan: A plan for references or for their count.
    /// - Returns: The plan's answer; `nil`, with nothing changed, where the store leaves the work to the core: the
    ///   default.
    /// - Throws: ``StoreError``.
    func delete(_ plan: FetchPlan) throws -> StoreAnswer?

    /// Returns the store's own changes since the last call, such as those of triggers. By default there are none.
    func takeOwnChanges() -> [OwnChange]

    /// Migrates the store to another version of its model, with the commit: its rows, links, indexes and metadata.
    ///
    /// Called before anything else is changed in the transaction; only ``prepare()``, ``commit()`` and ``rollback()``
    /// follow. After the commit, the store and all others that are open with the old model fail with
    /// `incompatibleModel` or `conflict`, to be opened again.
    ///
    /// - Throws: ``StoreError`` with `unsupported` by default; `migration` where an object does not fit the new model;
    ///   `constraint` where two have equal values that the new model keeps unique; as ``apply(_:)``. The transaction
    ///   can only be rolled back then.
    func migrate(_ migration: StoreMigration) throws

    /// Runs `body` over the transaction's current state; the reader is invalid outside of `body`.
    ///
    /// - Throws: What `body` throws, and what its reads do.
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T

    /// Returns the transaction's current metadata, to base changes on.
    ///
    /// - Throws: ``StoreError``; with `closed` after ``close()``.
    func metadata() throws -> StoreMetadata

    /// Does all fallible work of the commit, as far as the store can, so that ``commit()`` is unlikely to fail.
    ///
    /// - Throws: ``StoreError`` with `full` or `io`: the transaction can only be rolled back then.
    func prepare() throws

    /// Commits the changes, which are as durable as the store's options require.
    ///
    /// A store with several writers at a time may detect a conflict only here. Then nothing has taken effect: it throws
    /// `conflict` or `constraint` with the conflicts, or `serializationFailure` where the same changes may succeed in
    /// another transaction.
    ///
    /// - Throws: ``StoreError``; with the recovery `reopen` where it is unknown whether they took effect.
    func commit() throws

    /// Ends the transaction and leaves the store as it was.
    func rollback()
}

extension StoreTransaction {
    public func takeOwnChanges() -> [OwnChange] { [] }
    public func insertUncontested(_ rows: [Row]) throws -> Int { 0 }
    public func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? { nil }
    public func delete(_ plan: FetchPlan) throws -> StoreAnswer? { nil }
    public func migrate(_ migration: StoreMigration) throws {
        throw StoreError(.unsupported, .migrate, "the store cannot be brought to another version of its model")
    }
}
