package import StrataModel

/// The identity of a row in a store, independent of its own entity.
struct RowID: Hashable {
    let root: EntityIndex
    let reference: Int64
}

extension RowID {
    init(_ entity: EntityIndex, _ reference: Int64, _ model: ManagedObjectModel) {
        self.init(root: model.entities[entity].root, reference: reference)
    }
}

/// The identity of a link in a store.
struct LinkID: Hashable {
    let table: Int
    let first: Int64
    let second: Int64
}

extension LinkID {
    /// Creates the identity of a link from an object on a side to another one.
    init(table: Int, _ side: LinkSide, from own: Int64, to other: Int64) {
        self.init(table: table, first: side == .first ? own : other, second: side == .first ? other : own)
    }
}

/// The identity of a relationship of one object in a store.
package struct RelationshipID: Hashable, Sendable {
    let entity: EntityIndex
    let reference: Int64
    /// The index of the relationship among the entity's properties.
    let property: Int

    package init(entity: EntityIndex, reference: Int64, property: Int) {
        self.entity = entity
        self.reference = reference
        self.property = property
    }
}
