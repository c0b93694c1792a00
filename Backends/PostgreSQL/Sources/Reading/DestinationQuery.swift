import StrataModel
import StrataSQL
import StrataStore

/// What leads from objects to the destinations of a to-many relationship, in their order.
struct DestinationQuery {
    /// The destinations' table.
    let table: EntityTable
    /// What says which destination is whose: the destinations' table itself, or that of the links.
    private let links: JoinTable?
    private let owner: String
    private let destination: String?
    private let order: String?

    /// - Returns: `nil` where the store has no such tables.
    init?(_ relationship: RelationshipDescription, _ schema: StoreSchema, _ model: ManagedObjectModel) {
        let entity = model.destination(of: relationship)
        guard let table = schema.table(of: entity) else { return nil }
        self.table = table
        switch relationship.storage {
        case .inverse(let property):
            guard case .toOne(let slot, _, let orderSlot) = entity.properties[property].relationship?.storage else { return nil }
            (links, destination) = (nil, nil)
            owner = table.column(slot, of: entity.index).name
            order = orderSlot.map { table.column($0, of: entity.index).name }
        case .links(let index, let side):
            guard let join = schema.joins[index] else { return nil }
            (links, destination) = (join, join.column(side.opposite))
            owner = join.column(side)
            order = relationship.isOrdered ? join.order(side) : nil
        case .toOne, .none: return nil
        }
    }

    private var alias: Int { links == nil ? 0 : 1 }

    /// `t1."person_id"`: whose destination a row is.
    func addOwner(to sql: inout SQLText) { sql.add(column: owner, of: alias) }

    /// Adds where the destinations of objects come from, and in which order.
    ///
    /// ` FROM "s"."step" t0 WHERE t0."project_id" = ANY($1) ORDER BY t0."project_order" NULLS FIRST, t0."_id"`, or ` FROM "s"."person_tags" t1
    /// JOIN "s"."tag" t0 ON t0."_id" = t1."tag_id" WHERE …`: links to no row are passed over.
    func addSource(_ owners: [Int64], to sql: inout SQLText) {
        sql.add(" FROM ")
        if let links, let destination {
            sql.add("\(links.name) t1 JOIN \(table.name) t0 ON ")
            QueryScope.relate(EntityTable.id, of: 0, to: destination, of: 1, in: &sql)
        } else {
            sql.add("\(table.name) t0")
        }
        sql.add(" WHERE ")
        addOwner(to: &sql)
        if owners.count == 1, let owner = owners.first {
            sql.add(" = \(bind: .bigint(owner))")
        } else {
            sql.add(" = ANY(\(bind: ArrayValues(owners).parameter))")
        }
        sql.add(" ORDER BY ")
        if let order { sql.add("\(column: order, of: alias) NULLS FIRST, ") }
        sql.add(column: EntityTable.id)
    }

    /// Puts elements that a statement answered together by owner.
    ///
    /// - Parameter column: Where the owner is in the result.
    static func byOwner<T>(_ elements: [T], _ owners: [Int64], _ result: ResultTable, column: Int) -> [[T]] {
        var found: [Int64: [T]] = [:]
        for (row, element) in elements.enumerated() {
            if let owner = result.integer(row, column) { found[owner, default: []].append(element) }
        }
        return owners.map { found[$0] ?? [] }
    }
}
