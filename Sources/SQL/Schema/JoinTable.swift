/// A table of the links of a many-to-many relationship.
public struct JoinTable<Dialect: SQLDialect>: Sendable {
    /// The name.
    public var name: Dialect.TableName
    /// The column of the references on the first side.
    public var first: String
    /// The column of the references on the second side.
    public var second: String
    /// The column of the positions among the destinations of the first side's objects, where they are ordered.
    public var orderInFirst: String?
    /// The column of the positions among the destinations of the second side's objects, where they are ordered.
    public var orderInSecond: String?
    /// The side whose columns come first in the table.
    public var leadingSide: LinkSide
    /// The dialect's data of the join table.
    public var details: Dialect.JoinDetails

    /// A table with the properties of the same names.
    public init(
        name: Dialect.TableName, first: String, second: String, orderInFirst: String?, orderInSecond: String?,
        leadingSide: LinkSide = .first, details: Dialect.JoinDetails
    ) {
        self.name = name
        self.first = first
        self.second = second
        self.orderInFirst = orderInFirst
        self.orderInSecond = orderInSecond
        self.leadingSide = leadingSide
        self.details = details
    }

    /// Returns the column of the references on a side.
    @inlinable public func column(_ side: LinkSide) -> String { side == .first ? first : second }

    /// Returns the column of the positions among the destinations of the objects on a side.
    @inlinable public func order(_ side: LinkSide) -> String? { side == .first ? orderInFirst : orderInSecond }

    /// All columns.
    public var columns: [String] { [first, second] + [orderInFirst, orderInSecond].compactMap(\.self) }

    /// The table with its sides exchanged.
    public var swapped: JoinTable {
        JoinTable(
            name: name, first: second, second: first, orderInFirst: orderInSecond, orderInSecond: orderInFirst,
            leadingSide: leadingSide.opposite, details: details)
    }
}
