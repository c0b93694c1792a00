/// A table of the rows of one entity hierarchy.
public struct EntityTable<Dialect: SQLDialect>: Sendable {
    /// A column of the table.
    public typealias Column = Dialect.Column

    /// The name.
    public var name: Dialect.TableName
    /// The index of the hierarchy's root entity.
    public var root: EntityIndex
    /// The indexes of the hierarchy's entities.
    public var hierarchy: Range<EntityIndex>
    /// The columns of properties, which follow those that every entity table has.
    public var columns: [Column]
    /// The column of each slot of each entity of the hierarchy, as an index into ``columns``.
    public var slotColumns: [[Int]]
    /// The number of each entity of the hierarchy in the store.
    public var numbers: [Int]
    /// The dialect's data of the table.
    public var details: Dialect.TableDetails

    /// A table with the properties of the same names.
    public init(
        name: Dialect.TableName, root: EntityIndex, hierarchy: Range<EntityIndex>, columns: [Column], slotColumns: [[Int]], numbers: [Int],
        details: Dialect.TableDetails
    ) {
        self.name = name
        self.root = root
        self.hierarchy = hierarchy
        self.columns = columns
        self.slotColumns = slotColumns
        self.numbers = numbers
        self.details = details
    }

    /// Returns the columns of an entity's slots, as indexes into ``columns``.
    @inlinable public func columns(of entity: EntityIndex) -> [Int] { slotColumns[hierarchy.lowerBound.distance(to: entity)] }

    /// Returns the column of a slot of an entity.
    @inlinable public func column(_ slot: Slot, of entity: EntityIndex) -> Column { columns[columns(of: entity)[slot]] }

    /// Returns the number of an entity.
    @inlinable public func number(of entity: EntityIndex) -> Int { numbers[hierarchy.lowerBound.distance(to: entity)] }

    /// Returns the entity of a number, `nil` for one that is not of the hierarchy.
    @inlinable @inline(__always)
    public func entity(ofNumber number: Int64) -> EntityIndex? {
        // Numbers run with the indexes in all stores but those whose entities were numbered by another model.
        let guess = Int(truncatingIfNeeded: number) &- numbers[0]
        if guess >= 0, guess < numbers.count, numbers[guess] == Int(truncatingIfNeeded: number) {
            return hierarchy.lowerBound.advanced(by: guess)
        }
        return numbers.firstIndex { $0 == number }.map { hierarchy.lowerBound.advanced(by: $0) }
    }
}
