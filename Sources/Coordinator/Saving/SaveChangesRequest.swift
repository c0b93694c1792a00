package import StrataModel
package import StrataStore

/// What a context is about to save: a value to look at before it is carried out.
///
/// Rows of new objects, and references to them, carry temporary references, which are negative; the coordinator
/// replaces them.
package struct SaveChangesRequest: Sendable {
    /// The changes, by the ID of their store.
    package var changes: [StoreID: ChangeSet] = [:] {
        // Whoever sets them may have the rows.
        didSet { exclusive = nil }
    }
    /// The rows, by the ID of their store, that must be as they were, without being changed.
    package var unchanged: [StoreID: [UnchangedRow]] = [:]
    /// The to-many relationships, by the ID of their store, whose members or order the changes alter, in whichever
    /// rows: reported with the save, and not stored.
    package var relationships: [StoreID: [RelationshipChange]] = [:]
    /// Lets the coordinator change the new rows in place; `nil` where other code may read them before the save is over.
    package var exclusive: ExclusiveRows?
    /// Who saves, and when: the stores keep it with the transaction, and events tell it.
    package var origin: TransactionOrigin

    /// Creates a request with nothing to save.
    package init(_ origin: TransactionOrigin = TransactionOrigin()) { self.origin = origin }

    /// Whether there is nothing to save.
    package var isEmpty: Bool { changes.values.allSatisfy(\.isEmpty) && unchanged.values.allSatisfy(\.isEmpty) }
}

/// A row that a save does not change, and that no other context may have changed.
package struct UnchangedRow: Sendable, Hashable {
    /// The index, in the model, of the object's own entity.
    package let entity: EntityIndex
    /// The reference of the row.
    package let reference: Int64
    /// The version that it must have.
    package let version: UInt32

    /// Creates a row as it was read.
    package init(_ row: Row) {
        entity = row.entityIndex
        reference = row.reference
        version = row.version
    }
}

/// A to-many relationship of a saved object whose members, or their order, a save alters.
package struct RelationshipChange: Sendable {
    package let entity: EntityIndex
    package let reference: Int64
    /// The index of the relationship among the entity's properties.
    package let property: Int

    package init(entity: EntityIndex, reference: Int64, property: Int) {
        self.entity = entity
        self.reference = reference
        self.property = property
    }
}

/// The result of a request.
package struct SaveOutcome: Sendable {
    /// The new rows of each store, in the request's order.
    package var inserted: [StoreID: [Row]]
    /// The changed rows of each store, in the request's order.
    package var updated: [StoreID: [Row]]

    /// The rows of other objects of each store whose derived values the save changed, in no order.
    package var derived: [StoreID: [Row]]

    /// The applied changes of each store; no store without a change.
    package var applied: [AppliedChanges] = []

    /// Creates an outcome of rows by the IDs of their stores.
    package init(inserted: [StoreID: [Row]] = [:], updated: [StoreID: [Row]] = [:], derived: [StoreID: [Row]] = [:]) {
        self.inserted = inserted
        self.updated = updated
        self.derived = derived
    }
}
