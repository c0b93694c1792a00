import StrataCoordinator
import StrataEvaluation
import StrataModel
import StrataQuery

/// Finds the rows of one store as they were saved.
struct SavedRowResolver: RowResolver {
    let context: ManagedObjectContext
    let store: StoreID

    var storeID: StoreID? { store }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        try context.loader.savedRow(of: try context.id(root: root, reference: reference, storeID: store))
    }

    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        let owner = try context.id(root: context.model.entities[owner.entityIndex].root, reference: owner.reference, storeID: store)
        return try context.loader.savedRows(of: context.source.destinations(of: relationship, from: owner)).compactMap(\.self)
    }
}
