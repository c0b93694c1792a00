public import StrataModel

/// Finds the rows that a row's to-one relationships reference, within the snapshot that the row came from.
public protocol RowResolver {
    /// Returns the row of a reference in an entity's tree, `nil` when there is none.
    ///
    /// - Throws: What reading throws: a store throws `StoreError`.
    func row(root: EntityIndex, reference: Int64) throws -> Row?

    /// Returns the rows of the destinations of a to-many relationship, in their order, or by reference where there is
    /// none.
    ///
    /// - Throws: What reading throws: a store throws `StoreError`.
    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row]

    /// The ID of the store that the rows are in; `nil` for rows of objects that were never saved.
    var storeID: StoreID? { get }
}
