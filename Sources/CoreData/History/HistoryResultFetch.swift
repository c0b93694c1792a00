import StrataCoordinator
import StrataModel
import StrataStore

/// The execution of a request for a history, in the form of its result.
struct HistoryResultFetch {
    private var request: HistoryRequest
    private let type: NSPersistentHistoryResultType
    /// Whether the results, and their number, are those of changes.
    private let isOfChanges: Bool
    private let offset: Int
    private let limit: Int

    /// - Throws: `QueryError` for a condition that no history can evaluate.
    init(
        after start: HistoryRequest.Start, of stores: [any PersistentStore]?, _ fetch: NSFetchRequest<any NSFetchRequestResult>?,
        _ type: NSPersistentHistoryResultType
    ) throws {
        let hasChangeEntity = fetch?.entity === HistoryEntities.shared.change
        self.type = type
        isOfChanges = type == .changesOnly || type == .objectIDs || type == .count && hasChangeEntity
        offset = fetch?.fetchOffset ?? 0
        limit = fetch.map { $0.fetchLimit == 0 ? .max : $0.fetchLimit } ?? .max
        request = HistoryRequest(after: start)
        request.affectedStores = stores
        request.includesChanges = isOfChanges || type == .transactionsAndChanges
        request.isReversed = fetch?.sortDescriptors?.first?.ascending == false
        let condition = try fetch?.predicate.map { try HistoryCondition.predicate($0) }
        if hasChangeEntity { request.changePredicate = condition } else { request.transactionPredicate = condition }
        if !isOfChanges, limit < .max - offset { request.limit = offset + limit }
    }

    func result(_ history: PersistentHistory) throws -> Any {
        let transactions = try history.transactions(request)
        guard isOfChanges else {
            let found = transactions.dropFirst(offset)
            switch type {
            case .statusOnly: return NSNumber(value: true)
            case .count: return NSNumber(value: found.count)
            default:
                return found.map { NSPersistentHistoryTransaction(SharedHistoryTransaction($0), includesChanges: request.includesChanges) }
            }
        }
        let changes = transactions.flatMap { transaction in
            let shared = SharedHistoryTransaction(transaction)
            return transaction.changes.map { (shared, $0) }
        }.dropFirst(offset).prefix(limit)
        switch type {
        case .count: return NSNumber(value: changes.count)
        case .objectIDs:
            var seen: Set<ObjectID> = []
            return changes.compactMap { seen.insert($1.objectID).inserted ? NSManagedObjectID($1.objectID) : nil }
        default: return changes.map { NSPersistentHistoryChange($1, of: $0, hasTransaction: false) }
        }
    }
}
