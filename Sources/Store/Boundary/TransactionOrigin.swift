/// The author and time of a transaction, for history and events.
public struct TransactionOrigin: Sendable, Hashable {
    /// The author, as the application names it; Core Data's `transactionAuthor`.
    public var author: String?
    /// The name of the context that saves.
    public var contextName: String?
    /// The date of the transaction.
    public var date: Date
    /// The context that saves, among those of this process; 0 for none; neither stored nor compared.
    package var sender: UInt64 = 0
    /// Whether all contexts with any of the objects are notified; neither stored nor compared.
    package var reachesAllContexts = false
    /// Whether the transaction is that of a batch request; neither stored nor compared.
    public var isBatch = false

    /// Creates an origin, by default of this moment.
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
