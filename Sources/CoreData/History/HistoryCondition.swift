import StrataCoordinator
import StrataModel
import StrataQuery

/// Conditions on transactions and changes, in the terms of the core: numbers for tokens, names for entities, URIs for IDs.
enum HistoryCondition {
    private static let names = [
        "token": "transactionNumber", "changedEntity": "entityName", "changedObjectID.entity": "entityName",
        "changedObjectID.entity.name": "entityName",
    ]

    /// - Throws: `QueryError` with `untranslatable` for closures, and for objects that no query can hold.
    static func predicate(_ predicate: NSPredicate) throws -> QueryPredicate {
        switch predicate {
        case let compound as NSCompoundPredicate:
            let parts = try compound.subpredicates.map { try self.predicate($0) }
            switch compound.compoundPredicateType {
            case .and: return .and(parts)
            case .or: return .or(parts)
            case .not: return parts.first.map { .not($0) } ?? .constant(true)
            }
        case let comparison as NSComparisonPredicate:
            if let condition = try tokenCondition(comparison) { return condition }
            return try comparison.tree().replacingExpressions(replacement)
        default: return try predicate.tree()
        }
    }

    private static func replacement(_ part: QueryExpression) -> QueryExpression? {
        switch part {
        case .keyPath(let path):
            let prefix = path.hasPrefix("transaction.") ? "transaction." : ""
            return names[String(path.dropFirst(prefix.count))].map { .keyPath(prefix + $0) }
        case .constant(let value): return .constant(stored(value))
        default: return nil
        }
    }

    private static func stored(_ value: Value) -> Value {
        switch value {
        case .objectID(let id): .string(id.uriRepresentation)
        case .list(let values): .list(values.map(stored))
        default: value
        }
    }

    /// Returns a comparison with a token as one with the number of each store; `nil` for other comparisons.
    private static func tokenCondition(_ comparison: NSComparisonPredicate) throws -> QueryPredicate? {
        guard let token = comparison.rightExpression.token, let op = comparison.queryOperator else { return nil }
        let path = try comparison.leftExpression.tree().replacingExpressions(replacement)
        guard case .keyPath(let number) = path, number.hasSuffix("transactionNumber") else { return nil }
        let store = QueryExpression.keyPath(number.dropLast("transactionNumber".count) + "storeID")
        func condition(_ last: Int64) -> QueryPredicate { .comparison(QueryComparison(path, op, .constant(.int(last)))) }
        let numbers = token.numbers.sorted { $0.key < $1.key }
        let own = numbers.map { id, last in
            QueryPredicate.and([.comparison(QueryComparison(store, .equal, .constant(.string(id.rawValue)))), condition(last)])
        }
        let known = Value.list(numbers.map { .string($0.key.rawValue) })
        return .or(own + [.and([.not(.comparison(QueryComparison(store, .isIn, .constant(known)))), condition(0)])])
    }
}

extension NSExpression {
    /// The token of a constant.
    fileprivate var token: HistoryToken? {
        expressionType == .constantValue ? (constantValue as? NSPersistentHistoryToken)?.token : nil
    }
}

/// The entities that conditions on histories are about.
struct HistoryEntities: Sendable {
    static let shared = HistoryEntities()

    let transaction = NSEntityDescription()
    let change = NSEntityDescription()
    private let model = NSManagedObjectModel()

    private init() {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        func relationship(_ name: String, to destination: NSEntityDescription, maxCount: Int) -> NSRelationshipDescription {
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = destination
            relationship.maxCount = maxCount
            return relationship
        }
        let changes = relationship("changes", to: change, maxCount: 0)
        let owner = relationship("transaction", to: transaction, maxCount: 1)
        changes.inverseRelationship = owner
        owner.inverseRelationship = changes
        transaction.name = "TRANSACTION"
        transaction.properties =
            ["author", "bundleID", "contextName", "processID", "storeID"].map { attribute($0, .stringAttributeType) }
            + [
                attribute("timestamp", .dateAttributeType), attribute("token", .integer64AttributeType),
                attribute("transactionNumber", .integer64AttributeType), changes,
            ]
        change.name = "CHANGE"
        change.properties =
            ["changedEntity", "changedObjectID", "changeType"].map { attribute($0, .integer64AttributeType) } + [owner]
        model.entities = [transaction, change]
        // No program changes them.
        _ = try? model.compiled()
    }

    /// Returns a new request for the results of an entity.
    static func request(_ entity: NSEntityDescription?) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        return request
    }
}
