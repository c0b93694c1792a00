import StrataModel

/// Which row of a store, whatever its own entity is.
struct RowID: Hashable {
    /// The root of the entity's tree.
    let root: EntityIndex
    /// The reference of the row within the tree.
    let reference: Int64

    init(root: EntityIndex, reference: Int64) {
        self.root = root
        self.reference = reference
    }

    /// That of a row of an entity.
    init(_ entity: EntityIndex, _ reference: Int64, _ model: ManagedObjectModel) {
        self.init(root: model.entities[entity].root, reference: reference)
    }
}
