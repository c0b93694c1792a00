public import StrataModel
public import StrataStore

/// What a context is about to save: a value to look at before it is carried out.
///
/// Rows of new objects, and references to them, carry temporary references, which are negative; the coordinator replaces them.
public struct SaveChangesRequest: Sendable {
    /// The changes, by the ID of their store.
    public var changes: [StoreID: ChangeSet] = [:]
    /// Who saves, and when: the stores keep it with the transaction, and events tell it.
    public var origin: TransactionOrigin

    /// A request with nothing to save.
    public init(_ origin: TransactionOrigin = TransactionOrigin()) { self.origin = origin }

    /// Whether there is nothing to save.
    public var isEmpty: Bool { changes.values.allSatisfy(\.isEmpty) }
}

/// What became of a request.
public struct SaveOutcome: Sendable {
    /// The new rows of each store, in the request's order.
    public var inserted: [StoreID: [Row]]
    /// The changed rows of each store, in the request's order.
    public var updated: [StoreID: [Row]]

    /// The rows of other objects of each store whose derived values the save changed, in no order.
    public var derived: [StoreID: [Row]]

    /// An outcome of rows by the IDs of their stores.
    public init(inserted: [StoreID: [Row]] = [:], updated: [StoreID: [Row]] = [:], derived: [StoreID: [Row]] = [:]) {
        self.inserted = inserted
        self.updated = updated
        self.derived = derived
    }
}
