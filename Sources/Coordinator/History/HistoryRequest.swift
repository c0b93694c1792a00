public import StrataQuery
public import StrataStore

/// A request for transactions of the histories of a coordinator's stores.
///
/// ```swift
/// var request = HistoryRequest(after: .token(token))
/// request.transactionPredicate = try QueryPredicate(format: "author != 'sync'")
/// request.changePredicate = try QueryPredicate(format: "entityName == 'Animal' AND changeType == 2")
/// for transaction in try coordinator.history.transactions(request) { … }
/// ```
public struct HistoryRequest: Sendable {
    /// Where the transactions of a request begin.
    public enum Start: Sendable {
        /// At the oldest transaction that is left.
        case beginning
        /// After the position of a token; stores that it lacks from their beginning.
        case token(HistoryToken)
        /// With those that were made after a date.
        case date(Date)
        /// After a transaction, in its store alone.
        case transaction(HistoryTransaction)
    }

    /// Where the transactions begin.
    public var start: Start
    /// The condition on the transactions; `nil` for all.
    ///
    /// It is over `author`, `contextName`, `processID` (the name of the process), `bundleID`, `storeID`, `timestamp`,
    /// `transactionNumber`, `kind` (1 save, 2 batch request, 3 migration, 4 another program), and over `changes`, as in
    /// `ANY changes.entityName == "Animal"`.
    public var transactionPredicate: QueryPredicate?
    /// The condition on the changes; `nil` for all.
    ///
    /// Transactions without such a change are left out. It is over `changeType` (0 insert, 1 update, 2 delete), `entityName`, `changedObjectID` (the URI of the object),
    /// `updatedProperties` (the names, each between two commas), and `transaction`.
    public var changePredicate: QueryPredicate?
    /// The greatest number of transactions; `nil` for all.
    public var limit: Int?
    /// Whether the transactions have their changes; true by default.
    public var includesChanges = true
    /// Whether the latest transactions come first.
    public var isReversed = false
    /// The stores whose transactions are fetched; `nil` for all with a history.
    public var affectedStores: [any PersistentStore]?

    /// Creates a request, by default for all transactions.
    public init(after start: Start = .beginning) { self.start = start }
}
