/// A snapshot of a store of tables, shared by all that read one version.
final class TableReader: StoreReader, Sendable {
    let version: TableVersion
    let schema: TableSchema

    init(version: TableVersion, schema: TableSchema) {
        self.version = version
        self.schema = schema
    }

    var storeID: StoreID? { version.metadata.storeID }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        guard let hierarchy = schema.hierarchyIndex(of: root) else { return nil }
        let row = version.hierarchies[hierarchy].rows[reference]
        try version.damage.check()
        return row
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        guard let hierarchy = schema.hierarchyIndex(of: root) else { return [] }
        let table = version.hierarchies[hierarchy].rows
        var rows: [Row] = []
        rows.reserveCapacity(references.count)
        for reference in references {
            if let row = table[reference] { rows.append(row) }
        }
        try version.damage.check()
        return rows
    }

    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        guard let hierarchy = schema.hierarchyIndex(of: root) else { return [] }
        let table = version.hierarchies[hierarchy].rows
        let found = references.compactMap { reference in
            table[reference].map { ObjectReference(entity: $0.entityIndex, reference: reference) }
        }
        try version.damage.check()
        return found
    }

    func execute(_ plan: FetchPlan) throws -> StoreAnswer {
        let answer = try PlanRunner(plan, self).run()
        try version.damage.check()
        return answer
    }

    func explain(_ plan: FetchPlan) throws -> PlanExplanation {
        let explanation = try PlanRunner(plan, self).explanation()
        try version.damage.check()
        return explanation
    }

    func links(of table: LinkTable) throws -> [Link] {
        guard version.links.indices.contains(table.index) else { return [] }
        let links = version.links[table.index].links
        try version.damage.check()
        return links
    }

    func links(of table: LinkTable, _ selection: LinkSelection) throws -> [Link] {
        guard version.links.indices.contains(table.index) else { return [] }
        let links = version.links[table.index]
        switch selection {
        case .owners(let side, let owners): return owners.flatMap { links.links(of: $0, on: side) }
        case .pairs(let pairs): return pairs.compactMap { links.find($0) }
        }
    }

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        let found =
            switch relationship.storage {
            case .inverse(let property): inverseDestinations(of: relationship, property, owner)
            case .links(let table, let side): linkedDestinations(of: relationship, table, side, owner)
            case .toOne, .none: [ObjectReference]()
            }
        try version.damage.check()
        return found
    }

    private func inverseDestinations(of relationship: RelationshipDescription, _ property: Int, _ owner: Int64) -> [ObjectReference] {
        let destination = schema.model.destination(of: relationship)
        let hierarchy = schema.hierarchyOfEntity[destination.index]
        guard case .toOne(let slot, _, let order)? = destination.properties[property].relationship?.storage,
            let position = schema.index(leadingWith: slot, of: destination)
        else { return [] }
        let table = version.hierarchies[hierarchy]
        let word = KeyWord.of(owner)
        let index = table.index(position, schema.hierarchies[hierarchy])
        var found = OrderedReferences(isOrdered: relationship.isOrdered)
        index.forEach(from: { $0.word < word }, to: { $0.word <= word }) { entry in
            if let row = table.rows[entry.reference], destination.hierarchy.contains(row.entityIndex) {
                found.add(row, order.flatMap { row.order($0) })
            }
        }
        return found.inOrder
    }

    private func linkedDestinations(
        of relationship: RelationshipDescription, _ table: Int, _ side: LinkSide, _ owner: Int64
    ) -> [ObjectReference] {
        let rows = version.hierarchies[schema.hierarchyOfEntity[relationship.destination]].rows
        var found = OrderedReferences(isOrdered: relationship.isOrdered)
        version.links[table].forEach(of: owner, on: side) { link in
            if let row = rows[link.reference(side.opposite)] { found.add(row, link.order(side)) }
        }
        return found.inOrder
    }
}

/// The destinations of a relationship, in the order in which they are found.
private struct OrderedReferences {
    private let isOrdered: Bool
    private var references: [ObjectReference] = []
    private var orders: [OrderKey] = []

    init(isOrdered: Bool) { self.isOrdered = isOrdered }

    mutating func add(_ row: Row, _ order: OrderKey?) {
        references.append(ObjectReference(entity: row.entityIndex, reference: row.reference))
        if isOrdered { orders.append(order ?? .min) }
    }

    /// The destinations in order, those of one key by reference.
    var inOrder: [ObjectReference] {
        guard isOrdered else { return references }
        return zip(orders, references).sorted { ($0.0, $0.1.reference) < ($1.0, $1.1.reference) }.map(\.1)
    }
}
