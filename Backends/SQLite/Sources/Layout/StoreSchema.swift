import StrataModel

/// A column of an entity table.
struct Column: Hashable, Sendable {
    /// The name.
    var name: String
    /// The declared type.
    var type: String
    /// What the slot holds that the column belongs to.
    var kind: SlotKind
    /// The name of the attribute or relationship, for messages.
    var property: String
    /// Whether the value is tagged and may lie in a file of its own.
    var isExternal: Bool
    /// Whether the column is an index's by itself: that of a to-one relationship.
    var isIndexed: Bool
    /// Whether the column is in the table; one that a foreign store lacks reads as no value.
    var isPresent = true
}

/// A table of the rows of one inheritance tree.
struct EntityTable: Sendable {
    /// The name.
    var name: String
    /// The index of the tree's root entity.
    var root: EntityIndex
    /// The indexes of the tree's entities.
    var tree: Range<EntityIndex>
    /// The number of the columns that are not of any property: `Z_PK`, `Z_ENT` and `Z_OPT`.
    static let ownColumns = 3
    /// The columns behind those.
    var columns: [Column]
    /// The column of each slot of each entity of the tree, as an index into ``columns``.
    var slotColumns: [[Int]]
    /// The number of each entity of the tree in the store.
    var numbers: [Int]

    /// The columns of an entity's slots.
    func columns(of entity: EntityIndex) -> [Int] { slotColumns[tree.lowerBound.distance(to: entity)] }

    /// The column of a slot of an entity.
    func column(_ slot: Slot, of entity: EntityIndex) -> Column { columns[slotColumns[tree.lowerBound.distance(to: entity)][slot]] }

    /// The number of an entity.
    func number(of entity: EntityIndex) -> Int { numbers[tree.lowerBound.distance(to: entity)] }

    /// The entity of a number, `nil` for one that is not of the tree.
    @inline(__always)
    func entity(ofNumber number: Int64) -> EntityIndex? {
        // Numbers run with the indexes in all stores but those whose entities were numbered by another model.
        let guess = Int(truncatingIfNeeded: number) &- numbers[0]
        if guess >= 0, guess < numbers.count, numbers[guess] == Int(truncatingIfNeeded: number) {
            return tree.lowerBound.advanced(by: guess)
        }
        return numbers.firstIndex { $0 == number }.map { tree.lowerBound.advanced(by: $0) }
    }
}

/// A table of the links of a many-to-many relationship.
struct JoinTable: Sendable {
    /// The name.
    var name: String
    /// The column of the references on the first side.
    var first: String
    /// The column of the references on the second side.
    var second: String
    /// The column of the places among the destinations of the first side's objects, where they are ordered.
    var orderInFirst: String?
    /// The column of the places among the destinations of the second side's objects, where they are ordered.
    var orderInSecond: String?
    /// The side whose columns come first when the table is made.
    var leadingSide = LinkSide.first

    /// The column of the references on a side.
    func column(_ side: LinkSide) -> String { side == .first ? first : second }
    /// The column of the places among the destinations of the objects on a side.
    func order(_ side: LinkSide) -> String? { side == .first ? orderInFirst : orderInSecond }
}

/// The tables of a store.
struct StoreSchema: Sendable {
    /// The table of each root entity, by its index; none for the trees that the store's configuration does not touch.
    var tables: [EntityIndex: EntityTable]
    /// The table of each of the model's link tables; `nil` where a side is not in the store.
    var joins: [JoinTable?]
    /// The number of each entity of the model.
    var numbers: [Int]

    /// The table of an entity's tree.
    func table(of entity: EntityDescription) -> EntityTable? { tables[entity.root] }
}
