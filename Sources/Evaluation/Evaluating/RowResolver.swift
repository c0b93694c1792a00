/// Finds the rows that a row's to-one relationships reference, within the row's snapshot.
public protocol RowResolver {
    /// Returns the row of a reference in an entity hierarchy; `nil` when there is none.
    ///
    /// - Throws: What reading throws: a store throws `StoreError`.
    func row(root: EntityIndex, reference: Int64) throws -> Row?

    /// Returns the rows of the destinations of a to-many relationship, in order, or by reference without an order.
    ///
    /// - Throws: What reading throws: a store throws `StoreError`.
    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row]

    /// The ID of the store of the rows; `nil` for rows of objects that were never saved.
    var storeID: StoreID? { get }
}
