import StrataModel

/// A column of an entity table.
struct Column: Sendable, Hashable {
    let name: String
    /// What the slot holds that the column belongs to.
    let kind: SlotKind
    /// The name of the attribute or relationship, for messages.
    let property: String

    var type: ColumnType { ColumnType(kind) }
}

/// A table of the rows of one inheritance tree.
struct EntityTable: Sendable {
    static let (id, entity, version) = ("_id", "_entity", "_version")

    let name: QualifiedName
    /// The sequence that references come from.
    let sequence: QualifiedName
    /// The name of the primary key.
    let key: String
    /// The index of the tree's root entity.
    let root: EntityIndex
    /// The indexes of the tree's entities.
    let tree: Range<EntityIndex>
    /// The columns behind those that every table has.
    let columns: [Column]
    /// The column of each slot of each entity of the tree, as an index into ``columns``.
    let slotColumns: [[Int]]
    /// The number of each entity of the tree in the store.
    let numbers: [Int]

    /// The column of a slot of an entity.
    func column(_ slot: Slot, of entity: EntityIndex) -> Column { columns[slotColumns[tree.lowerBound.distance(to: entity)][slot]] }

    /// The number of an entity.
    func number(of entity: EntityIndex) -> Int { numbers[tree.lowerBound.distance(to: entity)] }

    /// The entity of a number, `nil` for one that is not of the tree.
    func entity(ofNumber number: Int32) -> EntityIndex? {
        numbers.firstIndex { $0 == Int(number) }.map { tree.lowerBound.advanced(by: $0) }
    }
}

/// A table of the links of a many-to-many relationship.
struct JoinTable: Sendable {
    let name: QualifiedName
    /// The name of the primary key.
    let key: String
    /// The columns of the references.
    let first: String
    let second: String
    /// The columns of the places among the destinations of each side's objects, where they are ordered.
    let orderInFirst: String?
    let orderInSecond: String?

    /// The column of the references on a side.
    func column(_ side: LinkSide) -> String { side == .first ? first : second }
    /// The column of the places among the destinations of the objects on a side.
    func order(_ side: LinkSide) -> String? { side == .first ? orderInFirst : orderInSecond }
    /// All columns.
    var columns: [String] { [first, second] + [orderInFirst, orderInSecond].compactMap(\.self) }
}

/// The tables of a store.
struct StoreSchema: Sendable {
    /// The schema that holds the store.
    let name: String
    /// The table of each root entity, by its index; none for trees that the store's configuration does not touch.
    let tables: [EntityIndex: EntityTable]
    /// The table of each of the model's link tables; `nil` where a side is not in the store.
    let joins: [JoinTable?]
    /// The number of each entity of the model, 0 for those that the store does not know.
    let numbers: [Int]
    /// The entities by their numbers.
    let entities: [Int: EntityIndex]
    /// The names of fetch indexes and constraints, by what the model calls them.
    let catalog: Catalog

    /// The table of an entity's tree.
    func table(of entity: EntityDescription) -> EntityTable? { tables[entity.root] }
}
