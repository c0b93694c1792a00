/// The destinations of a to-many relationship, in their order.
public struct DestinationQuery<Dialect: SQLDialect> {
    /// The destinations' table, `t0`.
    public let table: EntityTable<Dialect>
    /// The join table of the links; `nil` where the destinations' table has the references of the owners.
    private let links: JoinTable<Dialect>?
    private let ownerColumn: String
    private let keyColumn: String
    private let order: String?

    /// - Returns: `nil` where the store lacks the tables or the column.
    public init?(_ relationship: RelationshipDescription, in schema: StoreSchema<Dialect>, of model: ManagedObjectModel) {
        let entity = model.destination(of: relationship)
        guard let table = schema.table(of: entity) else { return nil }
        self.table = table
        switch relationship.storage {
        case .inverse(let property):
            guard case .toOne(let slot, _, let orderSlot) = entity.properties[property].relationship?.storage else { return nil }
            let owner = table.column(slot, of: entity.index)
            guard owner.isPresent else { return nil }
            let order = orderSlot.map { table.column($0, of: entity.index) }
            (links, ownerColumn, keyColumn) = (nil, owner.name, Dialect.keyColumn)
            self.order = relationship.isOrdered && order?.isPresent == true ? order?.name : nil
        case .links(let index, let side):
            guard let join = schema.joins[index] else { return nil }
            (links, ownerColumn, keyColumn) = (join, join.column(side), join.column(side.opposite))
            order = relationship.isOrdered ? join.order(side) : nil
        case .toOne, .none: return nil
        }
    }

    private var alias: Int { links == nil ? 0 : 1 }

    /// The column of the owner: `t1.person_id`.
    public var owner: SQLText<Dialect> { SQLText("\(column: ownerColumn, of: alias)") }

    /// Selects columns of the destinations of some owners; links to rows that do not exist are left out.
    ///
    /// `SELECT … FROM step t0 WHERE t0.project_id = ? ORDER BY t0.project_order, t0.id`, or
    /// `SELECT … FROM person_tags t1 JOIN tag t0 ON t0.id = t1.tag_id WHERE t1.person_id = ? ORDER BY t1.tag_id`.
    ///
    /// - Parameters:
    ///   - columns: The columns to select.
    ///   - owners: The rest of the condition on the owner: ` = ?`.
    public func statement(_ columns: SQLText<Dialect>, _ owners: SQLText<Dialect>) -> SQLText<Dialect> {
        let source: SQLText<Dialect> =
            if let links {
                "\(table: links.name) t1 JOIN \(table: table.name) t0 ON \(column: Dialect.keyColumn) = \(column: keyColumn, of: 1)"
            } else {
                "\(table: table.name) t0"
            }
        let keys: [SQLText<Dialect>?] = [order.map { "\(column: $0, of: alias)\(Dialect.nullsFirst)" }, "\(column: keyColumn, of: alias)"]
        return "SELECT \(columns) FROM \(source) WHERE \(owner)\(owners) ORDER BY \(keys.compactMap(\.self))"
    }
}
