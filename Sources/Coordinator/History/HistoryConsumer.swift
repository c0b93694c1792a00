import StrataStore

/// A registered reader of a coordinator's histories, such as a search index or a synchronization.
///
/// The stores keep its position, and delete no transaction that it has not handled, unless it was silent for longer
/// than its timeout.
///
/// ```swift
/// let consumer = try coordinator.history.consumer(named: "search", timeout: 30 * 86_400)
/// for transaction in try consumer.transactions() {
///     index.apply(transaction)
///     try consumer.advance(to: transaction.token)
/// }
/// ```
public struct HistoryConsumer: Sendable {
    /// The name, by which the stores identify the consumer.
    public let name: String
    let history: PersistentHistory

    /// Returns the position that the consumer has handled.
    ///
    /// - Throws: `StoreError` with `historyTokenExpired` where a store dropped the consumer, its history began anew, or the consumer was never
    ///   registered.
    public func token() throws -> HistoryToken {
        var numbers: [StoreID: Int64] = [:]
        for entry in try history.entries(nil) {
            guard let known = try entry.store.metadata().historyConsumers?[name], !known.isDropped else {
                throw StoreError(
                    .historyTokenExpired, .fetch,
                    "the consumer \(name) of the history was dropped: it was silent for too long, or the history began anew",
                    path: entry.store.path)
            }
            numbers[entry.store.id] = known.number
        }
        return HistoryToken(numbers)
    }

    /// Returns the transactions that the consumer has not handled.
    ///
    /// - Parameter limit: The greatest number of transactions.
    /// - Throws: As ``token()``, and as ``PersistentHistory/transactions(_:)``.
    public func transactions(limit: Int? = nil) throws -> [HistoryTransaction] {
        try history.transactions(after: try token(), limit: limit)
    }

    /// Records that the consumer has handled all transactions up to a token, and was seen; registers a consumer that
    /// was dropped again.
    ///
    /// - Throws: `StoreError` with `historyTokenExpired` for a token that is later than the history.
    public func advance(to token: HistoryToken) throws {
        for entry in try history.entries(nil) {
            guard let number = token.numbers[entry.store.id] else { continue }
            try entry.checkHistory(includes: number)
            try history.coordinator.changeConsumers(of: entry) { consumers in
                consumers[name]?.number = number
                consumers[name]?.isDropped = false
                consumers[name]?.lastSeen = Date().timeIntervalSinceReferenceDate
            }
        }
    }

    /// Removes the consumer from the stores.
    ///
    /// - Throws: `StoreError`.
    public func remove() throws {
        for entry in try history.entries(nil) { try history.coordinator.changeConsumers(of: entry) { $0[name] = nil } }
    }
}

extension PersistentHistory {
    /// Returns the consumer with a name, which is registered where it is new: after the transactions that there are.
    ///
    /// - Parameters:
    ///   - name: The name of the consumer.
    ///   - timeout: After how many seconds without ``HistoryConsumer/advance(to:)`` the stores drop it; `nil`, the
    ///     default, for never.
    /// - Throws: `StoreError`, also `readOnly`.
    public func consumer(named name: String, timeout: Double? = nil) throws -> HistoryConsumer {
        for entry in try entries(nil) {
            if let known = try entry.store.metadata().historyConsumers?[name], known.timeout == timeout { continue }
            let last = try entry.lastHistoryNumber()
            try coordinator.changeConsumers(of: entry) { consumers in
                let now = Date().timeIntervalSinceReferenceDate
                consumers[name, default: .init(number: last, lastSeen: now, timeout: timeout)].timeout = timeout
            }
        }
        return HistoryConsumer(name: name, history: self)
    }

    /// Returns the names of the registered consumers, without those that were dropped.
    ///
    /// - Throws: `StoreError`.
    public func consumerNames() throws -> [String] {
        let consumers = try entries(nil).flatMap { try $0.store.metadata().historyConsumers.map(Array.init) ?? [] }
        return Set(consumers.filter { !$0.value.isDropped }.map(\.key)).sorted()
    }
}
