public import Strata

/// The columns of a query's results, and the values of each result in their order.
public struct ResultColumns: Sendable {
    /// The names.
    public let names: [String]
    /// The columns of numbers.
    public let numbers: Set<Int>

    /// Calls a block with the values of each result of a query.
    ///
    /// Objects are read page by page, and one page is held; of a query with an order the IDs of all, too, and groups all at once.
    ///
    /// - Parameter withIDs: Whether objects have a first column with their URIs.
    public static func forEachResult(
        of query: QueryText, in context: ManagedObjectContext, withIDs: Bool,
        columns: (ResultColumns) throws -> Void, row: ([Value]) throws -> Void
    ) throws {
        let request = try query.request(in: context)
        if query.selects { return try context.withSnapshot { try forEachComputed(request, in: context, columns: columns, row: row) } }
        let entity = try context.entity(named: request.entityName ?? "")
        let properties = entity.columns
        let numbers = properties.indices.filter { properties[$0].attribute?.type.isNumeric == true }
        try columns(
            ResultColumns(
                names: (withIDs ? ["objectID"] : []) + properties.map(\.name), numbers: Set(numbers.map { $0 + (withIDs ? 1 : 0) })))
        try context.withSnapshot {
            // A key finds its property faster than a name.
            let keys = properties.map { $0.attribute.map { Key<Value>($0.name) } }
            let hasDestinations = keys.contains { $0 == nil }
            var values: [Value] = []
            try ResultPages(request, context).forEach { object in
                values.removeAll(keepingCapacity: true)
                if withIDs { values.append(.objectID(object.objectID)) }
                let snapshot = hasDestinations ? object.snapshot() : nil
                for (property, key) in zip(properties, keys) {
                    values.append(key.map { object[$0] ?? .null } ?? snapshot?.value(forKey: property.name) ?? .null)
                }
                if let error = context.lastFaultError { throw error }
                try row(values)
            }
        }
    }

    /// Calls a block with the computed values of each object, or of each group.
    private static func forEachComputed(
        _ request: ObjectFetchRequest<ManagedObject>, in context: ManagedObjectContext,
        columns: (ResultColumns) throws -> Void, row: ([Value]) throws -> Void
    ) throws {
        let names = request.propertiesToFetch?.map(\.name) ?? []
        func begin(_ rows: [[Value]]) throws {
            let numbers = names.indices.filter { column in !rows.isEmpty && rows.allSatisfy { $0[column].isNumber } }
            try columns(ResultColumns(names: names, numbers: Set(numbers)))
        }
        guard let blocks = try ComputedBlocks(of: request, in: context) else {
            let rows = try context.fetchDictionaries(request).map(\.values)
            try begin(rows)
            return try rows.forEach(row)
        }
        var isFirst = true
        try blocks.forEach { rows in
            if isFirst { try begin(rows) }
            isFirst = false
            try rows.forEach(row)
        }
        if isFirst { try begin([]) }
    }
}

/// The computed values of objects, read page by page by the objects' IDs.
private struct ComputedBlocks {
    private let request: ObjectFetchRequest<ManagedObject>
    private let context: ManagedObjectContext
    private let objects: ResultPages

    /// - Returns: `nil` where the values are those of groups, or of all objects together.
    /// - Throws: What the store throws.
    init?(of request: ObjectFetchRequest<ManagedObject>, in context: ManagedObjectContext) throws {
        guard request.propertiesToGroupBy.isEmpty, request.havingPredicate == nil else { return nil }
        self.context = context
        var objects = request
        objects.propertiesToFetch = nil
        self.objects = ResultPages(objects, context)
        var computed = ObjectFetchRequest<ManagedObject>(entityName: request.entityName ?? "")
        // Its name is that of no column, which the parser of queries has trimmed.
        computed.propertiesToFetch = [ExpressionDescription(name: " ", expression: .evaluatedObject)] + (request.propertiesToFetch ?? [])
        self.request = computed
        computed.predicate = .constant(false)
        objects.limit = 0
        do {
            // An aggregate beside an object's ID is refused, and a sort by a computed value without its column.
            _ = try context.fetchDictionaries(computed)
            _ = try context.fetchObjectIDs(objects)
        } catch is QueryError { return nil }
    }

    /// Calls a block with the values of each page of objects, in the order of the request.
    func forEach(_ body: ([[Value]]) throws -> Void) throws {
        try objects.forEachPageOfIDs { ids in
            var request = request
            request.predicate = try QueryPredicate(format: "SELF IN %@", Value.list(ids.map { .objectID($0) }))
            var rows: [ObjectID: [Value]] = [:]
            for row in try context.fetchDictionaries(request) {
                guard case .objectID(let id) = row.values[0] else { continue }
                rows[id] = Array(row.values.dropFirst())
            }
            try body(ids.compactMap { rows[$0] })
        }
    }
}

extension EntityDescription {
    /// The properties that tables have columns for: the attributes that a store has, and to-one relationships.
    public var columns: [PropertyDescription] {
        properties.filter { property in
            switch property {
            case .attribute(let attribute): !attribute.isTransient
            case .relationship(let relationship): !relationship.isToMany && !relationship.isHidden
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
