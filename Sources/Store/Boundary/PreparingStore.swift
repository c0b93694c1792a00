public import StrataModel

/// A save over several stores between its two phases, as a store that takes part in it keeps it.
public struct PreparedSave: Sendable, Hashable {
    /// The ID of the save, the same in all of its stores.
    public let id: String
    /// The ID of the store that decides whether the save takes effect.
    public let decidingStoreID: StoreID
    /// Where that store is.
    public let decidingStore: StoreLocation

    /// What a store keeps beside the changes that it prepared.
    public init(id: String, decidingStoreID: StoreID, decidingStore: StoreLocation) {
        self.id = id
        self.decidingStoreID = decidingStoreID
        self.decidingStore = decidingStore
    }
}

/// A store that keeps prepared transactions by itself, as servers do: it takes part in saves over several stores without a file beside it.
///
/// Its transactions are ``PreparingTransaction``s. For stores that are files the coordinator keeps what is prepared in files of its own.
public protocol PreparingStore: PersistentStore {
    /// Returns the abandoned prepared saves: their coordinators have ended, which the store knows by a lock or a
    /// session.
    ///
    /// - Throws: ``StoreError``.
    func preparedSaves() throws -> [PreparedSave]

    /// Makes a prepared save take effect; does nothing where it took effect already.
    ///
    /// - Throws: ``StoreError``; the save stays prepared then. With `inDoubt` where nothing is prepared for the ID, and nothing proves that the
    ///   save took effect: another process may have rolled it back.
    func commitPrepared(_ id: String) throws

    /// Rolls a prepared save back; does nothing where there is none of the ID.
    ///
    /// - Throws: ``StoreError``; the save stays prepared then.
    func rollbackPrepared(_ id: String) throws

    /// Forgets that a save was decided here: all of its stores have the outcome. What cannot be forgotten does no harm.
    func forgetDecision(_ id: String)
}

/// A driver of stores that decide saves over several stores where none of these is a file.
public protocol DecidingStoreDriver: StoreDriver {
    /// Returns whether the store that decides a save decided that it takes effect: asked by who comes after its
    /// coordinator, which may have ended while the transaction that decides was under way, so that this is waited for.
    ///
    /// - Throws: ``StoreError``, with `locked` where that transaction takes longer than the time-out; `replaced` where
    ///   the path has another store.
    func hasDecided(_ save: PreparedSave) throws -> Bool
}

/// A transaction that can be kept between the two phases of a commit.
public protocol PreparingTransaction: StoreTransaction {
    /// Ends the first phase: what was applied is durable from now on, and invisible until ``PreparingStore/commitPrepared(_:)`` or
    /// ``PreparingStore/rollbackPrepared(_:)`` ends the second, in this process or another. The transaction itself is over.
    ///
    /// - Throws: ``StoreError``, also with what conflicts, as ``StoreTransaction/commit()`` does; nothing is prepared then, unless it is
    ///   said to be unknown.
    func prepare(as save: PreparedSave) throws

    /// Has the store note, with the changes, that it decides a save over several stores: that takes effect if the transaction does.
    ///
    /// It comes before any other store of the save is prepared. The commit waits for the disk, whatever the durability of the store: others keep
    /// on disk what they prepare.
    ///
    /// - Throws: ``StoreError``.
    func decide(_ id: String) throws
}
