public import StrataQuery
public import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// The histories of the stores that keep one, see ``/StrataStore/StoreOptions/history``.
    public var history: PersistentHistory { PersistentHistory(coordinator: self) }
}

/// The histories of a coordinator's stores, which list who changed what, and when; Core Data's persistent history.
///
/// ```swift
/// let history = coordinator.history
/// for transaction in try history.transactions(after: token) {
///     for change in transaction.changes where change.kind != .insert { cache.remove(change.objectID) }
///     token.advance(to: transaction.token)
/// }
/// ```
/// Each save that changes objects is a transaction of each of its stores, as is a batch request; a save that fails is
/// none. Use it from any thread; it retains the coordinator.
public struct PersistentHistory: Sendable {
    let coordinator: PersistentStoreCoordinator

    /// Returns the token of the last transactions of some stores, or of all with a history.
    ///
    /// - Throws: `StoreError`; `unsupported` where a given store has no history.
    public func currentToken(of stores: [any PersistentStore]? = nil) throws -> HistoryToken {
        HistoryToken(Dictionary(try entries(stores).map { ($0.store.id, try $0.lastHistoryNumber()) }) { first, _ in first })
    }

    /// Returns the transactions after a token, by default all, in the order of each store.
    ///
    /// - Parameters:
    ///   - token: The last position that the caller has handled; `nil` for none.
    ///   - predicate: The condition on transactions, see ``HistoryRequest/transactionPredicate``.
    ///   - limit: The greatest number of transactions.
    /// - Throws: As ``transactions(_:)``.
    public func transactions(
        after token: HistoryToken?, where predicate: QueryPredicate? = nil, limit: Int? = nil
    ) throws -> [HistoryTransaction] {
        var request = HistoryRequest(after: token.map { .token($0) } ?? .beginning)
        (request.transactionPredicate, request.limit) = (predicate, limit)
        return try transactions(request)
    }

    /// Returns the transactions of a request: in the order of their numbers within a store, and by date over several.
    ///
    /// - Throws: `StoreError` with `historyTokenExpired` where transactions after the token were deleted, or the token
    ///   is later than the history; `noStore` where none of its stores is open; `unsupported` where a given store has
    ///   no history; `corrupt` for a damaged transaction. `QueryError` for a condition that does not fit.
    /// - Complexity: O(n) in the transactions after the start, and in their changes.
    public func transactions(_ request: HistoryRequest) throws -> [HistoryTransaction] {
        try HistoryFetch(request, coordinator).transactions(of: entries(request.affectedStores))
    }

    /// Deletes the transactions before a position, and returns how many of them.
    ///
    /// A transaction, or that of a token, stays itself. No transaction is deleted that a registered consumer has not
    /// handled.
    ///
    /// - Parameters:
    ///   - position: Before what; `.beginning` deletes nothing.
    ///   - stores: The stores; `nil` for all with a history.
    /// - Throws: `StoreError`, also `readOnly`; transactions of some stores may be deleted then.
    @discardableResult
    public func deleteTransactions(before position: HistoryRequest.Start, in stores: [any PersistentStore]? = nil) throws -> Int {
        var count = 0
        for entry in try entries(stores) { count += try coordinator.deleteHistory(before: position, of: entry) }
        return count
    }

    /// Begins the histories anew: all their transactions are discarded, also where they cannot be read.
    ///
    /// It repairs a store that refuses saves as its history is damaged, or as another program gave the table another shape; the objects stay
    /// as they are. All tokens of before have expired, and each registered consumer is notified at its return, as one that was dropped.
    ///
    /// - Parameter stores: The stores; `nil` for all with a history.
    /// - Throws: `StoreError`, also `readOnly`; histories of some stores may have begun anew then.
    public func beginAnew(in stores: [any PersistentStore]? = nil) throws {
        for entry in try entries(stores) { try coordinator.replaceHistory(of: entry) }
    }

    /// Returns the entries of some stores, or of all with a history.
    func entries(_ stores: [any PersistentStore]?) throws -> [StoreEntry] {
        guard let stores else { return coordinator.entries.withLock { $0.filter(\.keepsHistory) } }
        return try stores.map { store in
            let entry = try coordinator.requireEntry(of: store, .fetch)
            if entry.keepsHistory { return entry }
            throw StoreError(.unsupported, .fetch, "the store has no history", path: store.path)
        }
    }
}

extension StoreEntry {
    /// Returns the number of the last transaction of the store's history; 0 for none.
    func lastHistoryNumber() throws -> Int64 {
        try store.history(HistoryQuery(limit: 1, isReversed: true, includesBodies: false)).first?.number ?? 0
    }
}
