public import Strata

/// The columns of a query's results, and the values of each result in their order.
public struct ResultColumns: Sendable {
    /// The names.
    public let names: [String]
    /// The columns of numbers.
    public let numbers: Set<Int>

    /// Calls a block with the values of each result of a query.
    ///
    /// Objects are read block by block, and one block is held; computed values are held all at once.
    ///
    /// - Parameter withIDs: Whether objects have a first column with their URIs.
    public static func forEachResult(
        of query: QueryText, in context: ManagedObjectContext, withIDs: Bool,
        columns: (ResultColumns) throws -> Void, row: ([Value]) throws -> Void
    ) throws {
        var request = try query.request(in: context.model)
        if query.selects {
            let rows = try context.fetchDictionaries(request)
            let names = request.propertiesToFetch?.map(\.name) ?? []
            let numbers = names.indices.filter { column in !rows.isEmpty && rows.allSatisfy { $0.values[column].isNumber } }
            try columns(ResultColumns(names: names, numbers: Set(numbers)))
            for result in rows { try row(result.values) }
            return
        }
        let entity = try context.entity(named: request.entityName ?? "")
        let properties = entity.properties.filter { $0.relationship.map { !$0.isToMany && !$0.isHidden } ?? true }
        let numbers = properties.indices.filter { properties[$0].attribute?.type.isNumeric == true }
        try columns(
            ResultColumns(
                names: (withIDs ? ["objectID"] : []) + properties.map(\.name), numbers: Set(numbers.map { $0 + (withIDs ? 1 : 0) })))
        request.fetchBatchSize = 1_000
        try context.withSnapshot {
            for object in try context.fetchLazily(request) {
                let snapshot = object.snapshot()
                if let error = context.lastFaultError { throw error }
                try row((withIDs ? [.objectID(object.objectID)] : []) + properties.map { snapshot.value(forKey: $0.name) ?? .null })
            }
        }
    }
}

extension Value {
    fileprivate var isNumber: Bool {
        switch self {
        case .int, .double, .decimal, .null: true
        default: false
        }
    }
}
