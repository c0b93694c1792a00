/// A prepared save of a two-phase commit, as one of its stores keeps it.
public struct PreparedSave: Sendable, Hashable {
    /// The ID of the save, the same in all of its stores.
    public let id: String
    /// The ID of the deciding store.
    public let decidingStoreID: StoreID
    /// The location of the deciding store.
    public let decidingStore: StoreLocation

    /// Creates the record that a store keeps with its prepared changes.
    public init(id: String, decidingStoreID: StoreID, decidingStore: StoreLocation) {
        self.id = id
        self.decidingStoreID = decidingStoreID
        self.decidingStore = decidingStore
    }
}

/// A store with prepared transactions of its own, as servers have: it takes part in two-phase commits without a file.
///
/// Its transactions are ``PreparingTransaction``s. For stores that are files the coordinator keeps prepared changes in
/// its own files.
public protocol PreparingStore: StoreBackend {
    /// Returns the abandoned prepared saves, whose coordinators have ended, as the store knows by a lock or a session.
    ///
    /// - Throws: ``StoreError``.
    func preparedSaves() throws -> [PreparedSave]

    /// Commits a prepared save; does nothing where it is committed already.
    ///
    /// - Throws: ``StoreError``; the save stays prepared then. With `inDoubt` where nothing is prepared for the ID, and
    ///   nothing proves that the save was committed: another process may have rolled it back.
    func commitPrepared(_ id: String) throws

    /// Rolls a prepared save back; does nothing where there is none with the ID.
    ///
    /// - Throws: ``StoreError``; the save stays prepared then.
    func rollbackPrepared(_ id: String) throws

    /// Returns whether nothing is prepared for a revoked save, nor will be, so that its revocation may be forgotten.
    ///
    /// Called when the save's coordinator has ended, of which a message may still be under way. The default is false.
    ///
    /// - Throws: ``StoreError``.
    func isNeverPrepared(_ id: String) throws -> Bool

    /// Forgets a decision, as all stores of the save have the outcome. A failure does no harm.
    func forgetDecision(_ id: String)
}

extension PreparingStore {
    public func isNeverPrepared(_ id: String) throws -> Bool { false }
}

/// A driver of stores that decide two-phase commits without a file.
public protocol DecidingStoreDriver: OpeningStoreDriver {
    /// Returns whether the deciding store committed a save, for a recovering process.
    ///
    /// The coordinator may have ended during the deciding transaction, for which this waits.
    ///
    /// - Throws: ``StoreError``, with `locked` where that transaction takes longer than the time-out; `replaced` where
    ///   the path has another store.
    func hasDecided(_ save: PreparedSave) throws -> Bool
}

/// A transaction that supports two-phase commit.
public protocol PreparingTransaction: StoreTransaction {
    /// Ends the first phase: the changes are durable, and invisible until ``PreparingStore/commitPrepared(_:)`` or
    /// ``PreparingStore/rollbackPrepared(_:)`` ends the second, in this process or another.
    ///
    /// The transaction itself is over.
    ///
    /// - Throws: ``StoreError``, also with conflicts, as ``StoreTransaction/commit()`` does; nothing is prepared then,
    ///   unless the error says that it is unknown.
    func prepare(as save: PreparedSave) throws

    /// Records, with the changes, the decision to commit a save over several stores, which takes effect with the
    /// transaction.
    ///
    /// It precedes the preparation of other stores. The commit waits for the disk, whatever the durability of the
    /// store, as others keep their prepared changes on disk.
    ///
    /// - Throws: ``StoreError``.
    func decide(_ id: String) throws
}
