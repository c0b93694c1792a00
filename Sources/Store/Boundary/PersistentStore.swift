public import StrataEvaluation
public import StrataModel
import StrataQuery

/// An open store.
///
/// All methods are called on any thread, several at once, and block while they work; a store orders them as it must. They throw
/// ``StoreError``. A store knows neither contexts nor the coordinator; rows, references and plans are all that cross this boundary.
public protocol PersistentStore: AnyObject, Sendable {
    /// The kind of store.
    var type: StoreType { get }
    /// The ID that the store got when it was made, the authority of its objects' URIs.
    var id: StoreID { get }
    /// Where the store is.
    var location: StoreLocation { get }
    /// Whether the store refuses to be written.
    var isReadOnly: Bool { get }
    /// What the store can do.
    var capabilities: StoreCapabilities { get }

    /// Returns the metadata as of the last save.
    ///
    /// - Throws: ``StoreError`` with `closed`, `corrupt` or `io`.
    func metadata() throws -> StoreMetadata

    /// Runs `body` over one consistent snapshot, which later saves do not touch; the reader is not valid outside of `body`.
    ///
    /// - Throws: ``StoreError`` with `closed`, `io`, or `locked` where no snapshot can be had; what `body` throws.
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T

    /// Answers a plan whole, over a snapshot of its own: ``StoreReader/answer(_:)`` within one ``read(_:)``, unless the
    /// store has a shorter way.
    func answer(_ plan: FetchPlan) throws -> StoreAnswer

    /// Returns the row of a reference in an entity's tree, over a snapshot of its own; `nil` when there is none.
    func row(root: EntityIndex, reference: Int64) throws -> Row?

    /// Holds the state that the store has now, for reads later on; asked for on any thread.
    ///
    /// - Returns: `nil` of a store that can hold none: the default.
    /// - Throws: ``StoreError`` where the store cannot be read.
    func holdSnapshot() throws -> (any StoreSnapshot)?

    /// Begins a transaction, after the store's write lock was acquired where it has one writer at a time.
    ///
    /// The transaction includes what other processes saved: a store that reads its file as a whole reads it again first
    /// where another process replaced it.
    ///
    /// - Parameter origin: Who changes the store: kept by a store that has a history.
    /// - Throws: ``StoreError`` with `locked` after the time-out, `readOnly`, `closed`; `missing` where the store's
    ///   file was deleted or moved while it was open, `replaced` where its path has another file.
    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction

    /// Starts the transaction that migrates the store, to another version of its model or to another location: no other
    /// transaction writes until its end. By default it is one as any other, as it is right for a store that has one
    /// writer at a time.
    func beginMigration(_ origin: TransactionOrigin) throws -> any StoreTransaction

    /// Looks for damage that only the store itself can see: in the structure of its file, in checksums and in indexes. What rows say about
    /// each other the core looks at. By default there is nothing to see.
    ///
    /// - Parameter limit: How many problems are enough.
    /// - Returns: The problems; none in a sound store.
    /// - Throws: ``StoreError``: with `corrupt` for damage that stops the search, else where the file cannot be looked at.
    /// - Complexity: O(n) in the file, or O(n log n).
    func verify(limit: Int) throws -> [StoreProblem]

    /// Makes reads show what others saved since the store was opened.
    ///
    /// A store that reads its file as a whole checks whether another process replaced it; reads of other stores show
    /// what is committed in any case, and they do nothing: the default.
    ///
    /// - Throws: ``StoreError`` with `missing` where the file was deleted, `replaced` where another store has replaced
    ///   this one; the store is unchanged then.
    func refresh() throws

    /// Ends all work and gives the file free. Whatever begins from now on throws `closed`; closing twice does nothing.
    ///
    /// A transaction that is under way may still end, for which this waits as long as the time-out. Where it takes longer, the store is
    /// closed all the same, and its file is free as soon as the transaction is over.
    ///
    /// - Throws: ``StoreError`` with what went wrong; the store is closed then.
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
    /// Fixes the snapshot to what is committed now, at the latest; asked for before anything else is.
    ///
    /// Only a store whose scopes begin with their first read implements it: by default it does nothing.
    ///
    /// - Throws: ``StoreError`` where no snapshot can be had.
    func takeSnapshot() throws

    /// Announces rows that the core is about to visit, with what each may reference.
    ///
    /// A store that needs a round trip per row may read for many rows together: by default nothing happens.
    func expect(_ rows: [Row])

    /// Answers a plan as far as the store can; the answer says what is left to do.
    ///
    /// - Throws: ``StoreError`` with `corrupt` for a row that is damaged, `io`, or `closed`; what an expression of the plan throws,
    ///   evaluated.
    func execute(_ plan: FetchPlan) throws -> StoreAnswer

    /// Answers a plan as ``execute(_:)`` would, and says how.
    func explain(_ plan: FetchPlan) throws -> PlanExplanation

    /// Returns the rows, of one entity's tree, with the given references; missing ones are left out, and the order is
    /// free.
    ///
    /// - Throws: ``StoreError`` with `corrupt` for a row that is damaged, `io`, or `closed`.
    func rows(root: EntityIndex, references: [Int64]) throws -> [Row]

    /// Returns the versions of all rows of one entity's tree, in any order. By default the rows are read.
    ///
    /// Asked for when others changed the store, to find the rows that are to be read.
    ///
    /// - Parameter root: The root of the tree.
    /// - Complexity: O(n) in the rows of the tree; a store that keeps large values apart reads none of them.
    func versions(root: EntityDescription) throws -> [RowVersion]

    /// Returns those of some rows of one entity's tree that are there, in any order, by their own entities. By default
    /// the rows are read.
    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference]

    /// Returns the destinations of a to-many relationship of one object: in their order where it is ordered, else by
    /// reference.
    ///
    /// - Parameters:
    ///   - relationship: A to-many relationship kept by inverse or by links.
    ///   - owner: The reference of the object.
    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference]

    /// Returns the destinations of a to-many relationship of several objects, as ``destinations(of:owner:)`` answers
    /// those of each. By default one object is asked about after the other.
    func destinations(of relationship: RelationshipDescription, owners: [Int64]) throws -> [[ObjectReference]]

    /// Returns the destinations of a to-many relationship of several objects as ``destinations(of:owners:)`` has them,
    /// and their rows, in any order; missing ones are left out. By default the rows are asked for behind the
    /// destinations.
    ///
    /// - Parameters:
    ///   - relationship: The relationship.
    ///   - root: The root of the destinations' tree.
    ///   - owners: The references of the objects.
    func destinationsWithRows(
        of relationship: RelationshipDescription, root: EntityIndex, owners: [Int64]
    ) throws -> (destinations: [[ObjectReference]], rows: [Row])

    /// Returns all links of a table, in any order.
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

/// A transaction over a store: everything that is applied takes effect together at ``commit()``, or not at all.
///
/// Used by one thread. A transaction that is dropped without either is rolled back.
public protocol StoreTransaction: AnyObject {
    /// Sets references aside for new rows of an entity's tree and returns the first of `count` consecutive ones; never one that was given
    /// out by a committed transaction.
    ///
    /// - Throws: ``StoreError`` with `tooLarge` where none are left; `full`, `io`.
    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64

    /// Applies changes within the transaction.
    ///
    /// Every update and deletion is checked against the version it expects, and the outcome against the uniqueness constraints. Deleting
    /// a row removes its links. Where anything conflicts, the transaction can only be rolled back.
    ///
    /// - Returns: What conflicted; empty when all is well.
    /// - Throws: ``StoreError`` with `full`, `io`, or `tooLarge` for a value that the format cannot hold. Conflicts are answered instead.
    func apply(_ changes: ChangeSet) throws -> [StoreConflict]

    /// Inserts new rows of one entity, references ascending, from the first on, up to the first that a uniqueness
    /// constraint keeps out.
    ///
    /// Asked for by who has an answer to a constraint: unlike one that ``apply(_:)`` meets, it does no harm to the
    /// transaction.
    ///
    /// - Returns: How many rows were inserted. A store may leave out any number at the end, which are applied then: the
    ///   default all.
    func insertUncontested(_ rows: [Row]) throws -> Int

    /// Changes all rows that a plan selects in the store's own way, with the outcome that the core would come to row by
    /// row.
    ///
    /// Asked for before anything else is changed in the transaction.
    ///
    /// - Parameters:
    ///   - plan: A plan for references or for their count, without order, limit and offset.
    ///   - assignments: What the rows get, computed of each row as it was.
    /// - Returns: What the plan asks for; `nil`, with nothing changed, where the store leaves the work to the core: by
    ///   default always.
    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer?

    /// Deletes all rows that a plan selects, and their links, in the store's own way; no other row changes.
    ///
    /// Asked for before anything else is changed in the transaction.
    ///
    /// - Parameter plan: A plan for references or for their count.
    /// - Returns: What the plan asks for; `nil`, with nothing changed, where the store leaves the work to the core: by
    ///   default always.
    func delete(_ plan: FetchPlan) throws -> StoreAnswer?

    /// What the store changed by itself, besides what it was given, since this was asked last: a trigger's work, say. By default nothing.
    func takeOwnChanges() -> [OwnChange]

    /// Brings the store to another version of its model, with the commit: its rows, its links, its indexes and what it says of itself.
    ///
    /// Asked for before anything else is changed in the transaction; nothing is asked of it afterwards but ``prepare()``, ``commit()`` and
    /// ``rollback()``. Once it is committed, the store and all others that are open with the old model fail with `incompatibleModel` or
    /// `conflict`, to be opened again.
    ///
    /// - Throws: ``StoreError`` with `unsupported` by default; `migration` where an object cannot become one of the new model; `constraint`
    ///   where two have equal values that the new model keeps unique; as ``apply(_:)``. The transaction can only be rolled back then.
    func migrate(_ migration: StoreMigration) throws

    /// Runs `body` over the state that the transaction has come to; the reader is not valid outside of `body`.
    ///
    /// - Throws: What `body` throws, and what its reads do.
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T

    /// Returns the metadata that the transaction has come to: what rewrites them reads them here, so that none are
    /// lost.
    func metadata() throws -> StoreMetadata

    /// Does all of the commit's work that can fail, as far as the store is able to, so that ``commit()`` is unlikely to.
    ///
    /// - Throws: ``StoreError`` with `full` or `io`: the transaction can only be rolled back then.
    func prepare() throws

    /// Makes the changes take effect; when it returns, they survive what the store's durability promises.
    ///
    /// A store with several writers at a time may learn of a conflict only here. Nothing has taken effect then: it throws `conflict` or
    /// `constraint` with what conflicted, or `serializationFailure` where the same changes may pass in another transaction.
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
