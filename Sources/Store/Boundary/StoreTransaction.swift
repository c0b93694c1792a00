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

    /// Adds a transaction to the store's history, which takes effect with the commit, and nothing of it without.
    ///
    /// Called at most once, after all other changes, in a store with ``StoreCapabilities/keepsHistory``. By default the
    /// record is stored in the metadata: each save of a long history writes all of it then.
    ///
    /// - Parameter record: The record; the store numbers one with the number 0. The numbers of a history increase in
    ///   the order in which readers see its transactions: one that is seen later has no lower number.
    /// - Returns: The number of the record; 0 where the store numbers it with the commit.
    /// - Throws: ``StoreError`` with `full`, `io`; `wrongValue` for a number that is not greater than the last one.
    @discardableResult
    func append(_ record: HistoryRecord) throws -> Int64

    /// Deletes the oldest transactions of the history, and leaves a mark in place of the last one of them.
    ///
    /// By default they are in the metadata.
    ///
    /// - Parameter mark: The mark, see ``HistoryRecord/deleted(through:time:)``; its number is one of the history's.
    /// - Throws: ``StoreError``.
    func deleteHistory(through mark: HistoryRecord) throws

    /// Replaces the whole history by a mark, also one that is damaged, or whose table has another shape.
    ///
    /// By default it is in the metadata.
    ///
    /// - Parameter mark: The mark, see ``HistoryRecord/deleted(through:time:)``; later transactions have greater numbers.
    /// - Throws: ``StoreError``.
    func replaceHistory(by mark: HistoryRecord) throws

    /// Runs `body` over the transaction's current state; the reader is invalid outside of `body`.
    ///
    /// - Throws: What `body` throws, and what its reads do.
    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T

    /// Returns the transaction's current metadata, to base changes on.
    ///
    /// - Throws: ``StoreError``; with `closed` after the store was closed.
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
