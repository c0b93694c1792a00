import StrataCoordinator
import StrataModel
import StrataStore

/// A request for the transactions of stores with a history, or to delete the oldest of them.
///
/// A store has a history where it was once opened with ``NSPersistentHistoryTrackingKey``.
open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest, ExecutableRequest {
    /// What a request fetches or deletes.
    private enum Action {
        case fetch(HistoryRequest.Start)
        case delete(HistoryRequest.Start)
    }

    private final let action: Action
    /// The position that the request begins after, or deletes before; `nil` where it names no token.
    open var token: NSPersistentHistoryToken? {
        switch action {
        case .fetch(.token(let token)), .delete(.token(let token)): NSPersistentHistoryToken(token)
        default: nil
        }
    }
    /// The kind of the result; transactions with their changes by default.
    open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges
    /// The conditions, limit and order of the results: a request over the entity of transactions, or of changes.
    ///
    /// The one order of transactions other than that of their numbers is the reversed one. Transactions without a change
    /// that meets a condition on changes are left out.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>?

    private init(_ action: Action) {
        self.action = action
        super.init()
    }

    // MARK: - Fetching

    /// Fetches the transactions that were made after a date.
    open class func fetchHistory(after date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(.date(date)))
    }
    /// Fetches the transactions after a token; all for `nil`.
    open class func fetchHistory(after token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(start(token)))
    }
    /// Fetches the transactions after another one of its store; all for `nil`.
    open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.fetch(start(transaction)))
    }
    /// Fetches the transactions that meet the conditions of a request.
    open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<any NSFetchRequestResult>) -> NSPersistentHistoryChangeRequest {
        let request = NSPersistentHistoryChangeRequest(.fetch(.beginning))
        request.fetchRequest = fetchRequest
        return request
    }

    // MARK: - Deleting

    /// Deletes the transactions that were made before a date.
    open class func deleteHistory(before date: Date) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete(.date(date)))
    }
    /// Deletes the transactions before that of a token; none for `nil`.
    open class func deleteHistory(before token: NSPersistentHistoryToken?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete(start(token)))
    }
    /// Deletes the transactions of a store before one of it; none for `nil`.
    open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> NSPersistentHistoryChangeRequest {
        NSPersistentHistoryChangeRequest(.delete(start(transaction)))
    }

    private static func start(_ token: NSPersistentHistoryToken?) -> HistoryRequest.Start {
        token.map { .token($0.token) } ?? .beginning
    }

    private static func start(_ transaction: NSPersistentHistoryTransaction?) -> HistoryRequest.Start {
        transaction.map { .transaction($0.transaction) } ?? .beginning
    }

    /// Returns a request for the same.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSPersistentHistoryChangeRequest(action)
        take(copy)
        copy.resultType = resultType
        copy.fetchRequest = fetchRequest
        return copy
    }

    // MARK: - Executing

    final func execute(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        guard let history = context.persistentStoreCoordinator?.coordinator.history else {
            programmerError("executeRequest:error: a context without a coordinator cannot execute a history request.")
        }
        let stores = try affectedStores?.map { try $0.opened }
        do {
            switch action {
            case .delete(let position):
                let count = try history.deleteTransactions(before: position, in: stores)
                return NSPersistentHistoryResult(resultType == .count ? NSNumber(value: count) : NSNumber(value: true), resultType)
            case .fetch(let start):
                let fetch = try HistoryResultFetch(after: start, of: stores, fetchRequest, resultType)
                return NSPersistentHistoryResult(try fetch.result(history), resultType)
            }
        } catch let error as StoreError where error.code == .noStore {
            // Core Data has no other error for the token of a store that was replaced by a new one.
            throw StoreError(.historyTokenExpired, .fetch, error.message, underlying: error)
        }
    }
}

/// The result of a history request.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
    /// A Boolean, a number, object IDs, transactions or changes, depending on ``resultType``.
    public final let result: Any?
    /// The kind of the result.
    public final let resultType: NSPersistentHistoryResultType

    init(_ result: Any?, _ resultType: NSPersistentHistoryResultType) { (self.result, self.resultType) = (result, resultType) }
}
