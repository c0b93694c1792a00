package import StrataModel
package import StrataStore

/// A request of a context to save, as a value.
///
/// Rows of new objects, and references to them, have temporary references, which are negative; the coordinator replaces
/// them.
package struct SaveChangesRequest: Sendable {
    package var changes: [StoreID: ChangeSet] = [:] {
        // The caller that sets them may keep the rows.
        didSet { exclusive = nil }
    }
    /// The rows for the optimistic-lock check alone, by the ID of their store.
    package var unchanged: [StoreID: [UnchangedRow]] = [:]
    /// The to-many relationships, by the ID of their store, whose members or order the changes alter, in whichever
    /// rows: reported with the save, and not stored.
    package var relationships: [StoreID: [RelationshipChange]] = [:]
    /// Lets the coordinator change the new rows in place; `nil` where other code may read them before the save is over.
    package var exclusive: ExclusiveRows?
    /// The origin of the save, for the stores' transactions and events.
    package var origin: TransactionOrigin

    package init(_ origin: TransactionOrigin = TransactionOrigin()) { self.origin = origin }

    package var isEmpty: Bool { changes.values.allSatisfy(\.isEmpty) && unchanged.values.allSatisfy(\.isEmpty) }
}

/// A row that a save does not change, and that no other context may have changed.
package struct UnchangedRow: Sendable, Hashable {
    let entity: EntityIndex
    let reference: Int64
    /// The version that it must have.
    let version: UInt32

    package init(_ row: Row) {
        entity = row.entityIndex
        reference = row.reference
        version = row.version
    }
}

/// A to-many relationship of a saved object whose members, or their order, a save alters.
package struct RelationshipChange: Sendable {
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

package struct SaveOutcome: Sendable {
    /// The new rows of each store, in the request's order.
    package var inserted: [StoreID: [Row]]
    /// The changed rows of each store, in the request's order.
    package var updated: [StoreID: [Row]]

    /// The rows of other objects of each store whose derived values the save changed, in no order.
    package var derived: [StoreID: [Row]]

    package var applied: [AppliedChanges] = []

    package init(inserted: [StoreID: [Row]] = [:], updated: [StoreID: [Row]] = [:], derived: [StoreID: [Row]] = [:]) {
        self.inserted = inserted
        self.updated = updated
        self.derived = derived
    }
}
