package import StrataModel

/// The tables in which a store keeps the objects of a model: what a migration compares that changes them where they are.
package protocol StoreLayout {
    associatedtype Table: TableLayout
    associatedtype Join: JoinLayout

    /// The table of each root entity that the store has, by its index.
    var tables: [EntityIndex: Table] { get }
    /// The table of each of the model's link tables; `nil` where a side is not in the store.
    var joins: [Join?] { get }
    /// The number of each entity of the model.
    var numbers: [Int] { get }
}

/// A table of the rows of one inheritance tree.
package protocol TableLayout {
    associatedtype Column: ColumnLayout

    /// The indexes of the tree's entities.
    var tree: Range<EntityIndex> { get }
    /// The columns of properties.
    var columns: [Column] { get }

    /// The column of each of an entity's slots, as an index into ``columns``.
    func columns(of entity: EntityIndex) -> [Int]
    /// The number of an entity.
    func number(of entity: EntityIndex) -> Int
}

extension TableLayout {
    func column(_ slot: Slot, of entity: EntityIndex) -> Column { columns[columns(of: entity)[slot]] }
}

/// A column of a table of objects.
package protocol ColumnLayout: Hashable {
    var name: String { get }
    /// The name of the attribute or relationship.
    var property: String { get }
    /// Whether the table has the column, as it does unless another program made it.
    var isPresent: Bool { get }

    /// Whether the column becomes another one by statements that do not depend on the row.
    func canBecome(_ other: Self) -> Bool
    /// Whether a statement can give the column of many rows a value.
    func takes(_ value: Value) -> Bool
}

/// A table of links.
package protocol JoinLayout {
    var orderInFirst: String? { get }
    var orderInSecond: String? { get }
    /// The table with its sides exchanged.
    var swapped: Self { get }
}
