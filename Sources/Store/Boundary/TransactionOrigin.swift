public import FoundationEssentials

/// Who changes a store, and when: what a transaction carries into history and events.
public struct TransactionOrigin: Sendable, Hashable {
    /// The author, as the application names it; Core Data's `transactionAuthor`.
    public var author: String?
    /// The name of the context that saves.
    public var contextName: String?
    /// When the transaction was begun.
    public var date: Date
    /// The context that saves, among those of this process; 0 for none.
    ///
    /// It is no part of what is stored, or compared.
    package var sender: UInt64 = 0
    /// Whether every context is told that has any of the objects; no part of what is stored, or compared, either.
    package var reachesAllContexts = false

    /// Creates an origin, of this moment.
    public init(author: String? = nil, contextName: String? = nil, date: Date = Date()) {
        self.author = author
        self.contextName = contextName
        self.date = date
    }
}

extension TransactionOrigin {
    public static func == (lhs: TransactionOrigin, rhs: TransactionOrigin) -> Bool {
        lhs.author == rhs.author && lhs.contextName == rhs.contextName && lhs.date == rhs.date
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(author)
        hasher.combine(contextName)
        hasher.combine(date)
    }
}
