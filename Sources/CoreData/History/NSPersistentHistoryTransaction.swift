import StrataCoordinator
import StrataStore
import Synchronization

/// A transaction in the history of one store: a save, a batch request, a migration, or the changes of another program.
// Unchecked: a lock guards its mutable state.
open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
    private final let shared: SharedHistoryTransaction
    private final let includesChanges: Bool
    private final let madeChanges = Mutex<[NSPersistentHistoryChange]?>(nil)

    init(_ shared: SharedHistoryTransaction, includesChanges: Bool) {
        (self.shared, self.includesChanges) = (shared, includesChanges)
    }

    final var transaction: HistoryTransaction { shared.transaction }

    /// The entity that conditions on transactions are about: it has `author`, `bundleID`, `contextName`, `processID`,
    /// `storeID`, `timestamp`, `token`, `transactionNumber` and `changes`.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.shared.transaction }
    /// Returns ``entityDescription``, whatever the context.
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? { entityDescription }
    /// A new request for transactions, for a history request's `fetchRequest`; no context fetches it by itself.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? { HistoryEntities.request(entityDescription) }

    /// The date of the transaction.
    open var timestamp: Date { transaction.date }
    /// The changes; `nil` where they were not requested.
    open var changes: [NSPersistentHistoryChange]? {
        if !includesChanges { return nil }
        return madeChanges.withLock { made in
            let changes = made ?? transaction.changes.map { NSPersistentHistoryChange($0, of: shared, hasTransaction: true) }
            made = changes
            return changes
        }
    }
    /// The number of the transaction: greater than those of all earlier transactions of the store.
    open var transactionNumber: Int64 { transaction.number }
    /// The UUID of the store.
    open var storeID: String { transaction.storeID.rawValue }
    /// The identifier of the process's bundle; the name of the process where it has none.
    open var bundleID: String { transaction.origin.bundleID ?? processID }
    /// The name of the process.
    open var processID: String { transaction.origin.processName ?? "" }
    /// The name of the context that saved.
    open var contextName: String? { transaction.contextName }
    /// The `transactionAuthor` of the context that saved.
    open var author: String? { transaction.author }
    /// The token of the transaction: a reader that has it has handled the transaction, and all before it in the store.
    open var token: NSPersistentHistoryToken { NSPersistentHistoryToken(transaction.token) }

    /// Returns a notification of the IDs of the changed objects, to be merged into contexts.
    open func objectIDNotification() -> Notification {
        let changes = transaction.remoteChanges
        func ids(_ ids: [ObjectID]) -> Set<NSManagedObjectID> { Set(ids.map { NSManagedObjectID($0) }) }
        return Notification(
            name: NSManagedObjectContext.didSaveObjectIDsNotification, object: nil,
            userInfo: [
                NSInsertedObjectIDsKey: ids(changes.inserted), NSUpdatedObjectIDsKey: ids(changes.updated),
                NSDeletedObjectIDsKey: ids(changes.deleted),
            ])
    }

    /// Returns the transaction itself, as it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both are the same transaction of a store.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryTransaction)?.transaction.token == transaction.token
    }
    open override var hash: Int { transaction.token.hashValue }
    open override var description: String {
        "<NSPersistentHistoryTransaction: \(transactionNumber) of \(storeID) at \(timestamp) by \(author ?? "(null)"), "
            + "context \(contextName ?? "(null)"), process \(processID)>"
    }
}

/// A transaction that its changes share, so that neither retains the other.
final class SharedHistoryTransaction: Sendable {
    let transaction: HistoryTransaction

    init(_ transaction: HistoryTransaction) { self.transaction = transaction }
}
