/// An open store, as its coordinator uses it.
///
/// All methods are called on any thread, possibly several at once, and block; a store orders them itself. They throw
/// ``StoreError``. A store knows neither contexts nor the coordinator: only rows, references and plans cross this
/// boundary. An application sees a ``PersistentStore``.
public protocol StoreBackend: PersistentStore {
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

    /// Begins a copy of the last committed state, for a backup, which saves do not wait for.
    ///
    /// Called with the store's write lock held where it has one and is not read-only, and must not wait for it: so the
    /// copies of several stores are of one moment.
    ///
    /// - Returns: `nil` for a store that has no file, or does not support it: the default.
    /// - Throws: ``StoreError`` where the store cannot be read.
    func beginCopy() throws -> (any PendingCopy)?

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

    /// Returns records of the store's history as of the last commit, in order. By default they are in the metadata.
    ///
    /// - Throws: ``StoreError`` with `closed`, `corrupt` for a malformed table, `io`.
    func history(_ query: HistoryQuery) throws -> [HistoryRecord]

    /// Reports each use of a connection of the store's pools from now on, on the thread that returns it; `nil` ends that.
    ///
    /// By default nothing is reported.
    func reportConnections(to report: (@Sendable (ConnectionUse) -> Void)?)

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

extension StoreBackend {
    /// Starts a transaction without an origin, see ``beginWrite(_:)``.
    ///
    /// - Throws: As ``beginWrite(_:)``.
    public func beginWrite() throws -> any StoreTransaction { try beginWrite(TransactionOrigin()) }

    public func beginMigration(_ origin: TransactionOrigin) throws -> any StoreTransaction { try beginWrite(origin) }

    public func refresh() throws {}

    public func reportConnections(to report: (@Sendable (ConnectionUse) -> Void)?) {}

    public func holdSnapshot() throws -> (any StoreSnapshot)? { nil }

    public func beginCopy() throws -> (any PendingCopy)? { nil }

    public func answer(_ plan: FetchPlan) throws -> StoreAnswer { try read { try $0.answer(plan) } }

    public func row(root: EntityIndex, reference: Int64) throws -> Row? { try read { try $0.row(root: root, reference: reference) } }

    public func verify(limit: Int) throws -> [StoreProblem] { [] }
}
