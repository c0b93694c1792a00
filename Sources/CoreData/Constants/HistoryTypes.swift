/// The kinds of results of a history request.
public enum NSPersistentHistoryResultType: Int, Hashable, Sendable {
    /// Whether there is a history, or it was deleted.
    case statusOnly = 0
    /// The IDs of the objects that were changed.
    case objectIDs = 1
    /// The number of transactions.
    case count = 2
    /// The transactions without their changes.
    case transactionsOnly = 3
    /// The changes without their transactions.
    case changesOnly = 4
    /// The transactions with their changes.
    case transactionsAndChanges = 5
}

/// The kind of change of an object.
public enum NSPersistentHistoryChangeType: Int, Hashable, Sendable {
    /// It was inserted.
    case insert = 0
    /// It was changed.
    case update = 1
    /// It was deleted.
    case delete = 2
}
