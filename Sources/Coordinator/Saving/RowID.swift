import StrataModel

/// The identity of a row in a store, independent of its own entity.
struct RowID: Hashable {
    let root: EntityIndex
    let reference: Int64

    init(root: EntityIndex, reference: Int64) {
        self.root = root
        self.reference = reference
    }

    init(_ entity: EntityIndex, _ reference: Int64, _ model: ManagedObjectModel) {
        self.init(root: model.entities[entity].root, reference: reference)
    }
}
