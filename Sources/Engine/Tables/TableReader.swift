import StrataModel
import StrataQuery
import StrataStore

/// A snapshot of a store of tables, which all share that read one version.
final class TableReader: StoreReader, Sendable {
    let version: TableVersion
    let schema: TableSchema

    init(version: TableVersion, schema: TableSchema) {
        self.version = version
        self.schema = schema
    }

    var storeID: StoreID? { version.metadata.storeID }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        guard let tree = tree(of: root) else { return nil }
        return version.trees[tree].rows[reference]
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        guard let tree = tree(of: root) else { return [] }
        let table = version.trees[tree].rows
        var rows: [Row] = []
        rows.reserveCapacity(references.count)
        for reference in references {
            if let row = table[reference] { rows.append(row) }
        }
        return rows
    }

    func existing(root: EntityIndex, references: [Int64]) throws -> [ObjectReference] {
        guard let tree = tree(of: root) else { return [] }
        let table = version.trees[tree].rows
        return references.compactMap { reference in
            table[reference].map { ObjectReference(entity: $0.entityIndex, reference: reference) }
        }
    }

    func execute(_ plan: FetchPlan) throws -> StoreAnswer { try PlanRunner(plan, self).run() }

    func explain(_ plan: FetchPlan) throws -> PlanExplanation { try PlanRunner(plan, self).explanation() }

    func links(of table: LinkTable) throws -> [Link] {
        guard version.links.indices.contains(table.index) else { return [] }
        return version.links[table.index].links
    }

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        switch relationship.storage {
        case .inverse(let property): inverseDestinations(of: relationship, property, owner)
        case .links(let table, let side): linkedDestinations(of: relationship, table, side, owner)
        case .toOne, .none: []
        }
    }

    private func tree(of entity: EntityIndex) -> Int? { schema.treeOfEntity.places().contains(entity) ? schema.treeOfEntity[entity] : nil }

    private func inverseDestinations(of relationship: RelationshipDescription, _ property: Int, _ owner: Int64) -> [ObjectReference] {
        let destination = schema.model.destination(of: relationship)
        let tree = schema.treeOfEntity[destination.index]
        guard case .toOne(let slot, _, let order)? = destination.properties[property].relationship?.storage,
            let place = schema.index(leadingWith: slot, of: destination)
        else { return [] }
        let table = version.trees[tree]
        let word = KeyWord.of(owner)
        let index = table.index(place, schema.trees[tree])
        let range = index.lowerBound { $0.word < word }..<index.lowerBound { $0.word <= word }
        var found: [(order: OrderKey, reference: ObjectReference)] = []
        found.reserveCapacity(range.count)
        index.forEach(in: range) { entry in
            if let row = table.rows[entry.reference], destination.tree.contains(row.entityIndex) {
                let reference = ObjectReference(entity: row.entityIndex, reference: row.reference)
                found.append((order.flatMap { row.order($0) } ?? .min, reference))
            }
            return true
        }
        return TableReader.inOrder(found, relationship.isOrdered)
    }

    private func linkedDestinations(
        of relationship: RelationshipDescription, _ table: Int, _ side: LinkSide, _ owner: Int64
    ) -> [ObjectReference] {
        let rows = version.trees[schema.treeOfEntity[relationship.destination]].rows
        let found = version.links[table].links(of: owner, on: side).compactMap { link in
            rows[link.reference(side.opposite)].map { row in
                (order: link.order(side) ?? .min, reference: ObjectReference(entity: row.entityIndex, reference: row.reference))
            }
        }
        return TableReader.inOrder(found, relationship.isOrdered)
    }

    private static func inOrder(_ found: [(order: OrderKey, reference: ObjectReference)], _ isOrdered: Bool) -> [ObjectReference] {
        guard isOrdered else { return found.map(\.reference) }
        return found.sorted { ($0.order, $0.reference.reference) < ($1.order, $1.reference.reference) }.map(\.reference)
    }
}
