import StrataCoordinator
import StrataStore

/// An order by values computed of to-many relationships, such as `employees.@count`, which is sorted in the context.
struct ComputedOrder {
    typealias Element = PendingOverlay.Element

    private enum Part {
        case rows([ResolvedSort])
        case computed(RowExpression, isAscending: Bool)
    }

    /// The sort keys, the most significant first.
    private var parts: [Part] = []

    init(_ sort: [QuerySort], of entity: EntityDescription, in model: ManagedObjectModel) throws {
        for key in sort {
            if key.isComputed {
                let expression = try ExpressionDescription(name: key.keyPath, expression: .keyPath(key.keyPath)).resolved(
                    for: entity, in: model)
                parts.append(.computed(RowExpression(expression), isAscending: key.ascending))
            } else if case .rows(let sorts)? = parts.last {
                parts[parts.count - 1] = .rows(sorts + [try ResolvedSort(key, of: entity, in: model)])
            } else {
                parts.append(.rows([try ResolvedSort(key, of: entity, in: model)]))
            }
        }
    }

    func sorted(_ elements: [Element]) throws -> [Element] { try sorted(elements, parts[...]) }

    private func sorted(_ elements: [Element], _ parts: ArraySlice<Part>) throws -> [Element] {
        if elements.count < 2 { return elements }
        guard let part = parts.first else { return try RowOrder([]).sorted(elements) { ($0.row, $0.resolver) } }
        let rest = parts.dropFirst()
        switch part {
        case .rows(let sorts):
            let order = RowOrder(sorts)
            let sorted = try order.sorted(elements) { ($0.row, $0.resolver) }
            if rest.isEmpty { return sorted }
            return try refined(sorted, rest) {
                try $0.resolver.store == $1.resolver.store && order.areEqual($0.row, $1.row, with: $0.resolver)
            }
        case .computed(let expression, let isAscending):
            let keyed = try elements.map { (element: $0, key: try expression.value($0.row, $0.resolver)) }
            let sorted = keyed.sorted { a, b in a.key.sortOrder(b.key) == (isAscending ? .less : .greater) }
            var groups: [[Element]] = []
            var last: Value?
            for (element, key) in sorted {
                if let known = last, known.sortOrder(key) == .equal {
                    groups[groups.count - 1].append(element)
                } else {
                    groups.append([element])
                }
                last = key
            }
            return try groups.flatMap { try self.sorted($0, rest) }
        }
    }

    /// Sorts each run of equal elements by the remaining keys.
    private func refined(
        _ elements: [Element], _ rest: ArraySlice<Part>, _ areEqual: (Element, Element) throws -> Bool
    ) throws -> [Element] {
        var result: [Element] = []
        var run: [Element] = []
        for element in elements {
            if let first = run.first, try !areEqual(first, element) {
                result += try sorted(run, rest)
                run = []
            }
            run.append(element)
        }
        return try result + sorted(run, rest)
    }
}

extension QuerySort {
    var isComputed: Bool { keyPath.contains("@") }
}

extension ObjectFetchRequest<ManagedObject> {
    var hasComputedOrder: Bool { sort.contains(where: \.isComputed) }

    var withoutOrder: ObjectFetchRequest<ManagedObject> {
        var request = self
        request.sort = []
        return request
    }
}

extension ManagedObjectContext {
    func computedOrder(of request: ObjectFetchRequest<ManagedObject>) throws -> [PendingOverlay.Element] {
        var unsorted = request.withoutOrder
        (unsorted.limit, unsorted.offset) = (nil, 0)
        let order = try ComputedOrder(request.sort, of: try entity(of: request), in: model)
        let slice = try plan(request.withoutOrder, .rows)
        return try retryingRenames {
            try source.withSnapshot {
                let plan = try plan(unsorted, .rows)
                let overlay = overlay(of: plan, unsorted)
                let rows = try source.fetch(overlay?.saved ?? plan, affectedStores: stores(request)).requireRows()
                return slice.slice(try order.sorted(try overlay?.apply(to: rows, self) ?? elements(of: rows)))
            }
        }
    }

    private func elements(of fetched: FetchedRows) throws -> [PendingOverlay.Element] {
        let resolvers = PendingOverlay.Resolvers(self)
        return try fetched.rows.enumerated().map { index, row in
            let scopes = fetched.scopes(ofRowAt: index)
            let id = ObjectID(scope: try scopes.scope(of: row), reference: row.reference)
            let store = try id.storeID ?? source.storeID(of: id)
            return PendingOverlay.Element(row: row, resolver: resolvers[store], source: .fetched(scopes))
        }
    }
}
