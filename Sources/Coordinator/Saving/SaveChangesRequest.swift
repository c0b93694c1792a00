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
    /// The rows for the optimistic-lock check alone, by the ID of their store: no other context may have changed them.
    package var unchanged: [StoreID: [RowVersion]] = [:]
    /// The to-many relationships, by the ID of their store, whose members or order the changes alter, in whichever
    /// rows: reported with the save, and not stored.
    package var relationships: [StoreID: [RelationshipID]] = [:]
    /// Lets the coordinator change the new rows in place; `nil` where other code may read them before the save is over.
    package var exclusive: ExclusiveRows?
    /// The origin of the save, for the stores' transactions and events.
    package var origin: TransactionOrigin

    package init(_ origin: TransactionOrigin = TransactionOrigin()) { self.origin = origin }

    package var isEmpty: Bool { changes.values.allSatisfy(\.isEmpty) && unchanged.values.allSatisfy(\.isEmpty) }
}

package struct SaveOutcome: Sendable {
    /// The new rows of each store, in the request's order.
    package var inserted: [StoreID: [Row]] = [:]
    /// The changed rows of each store, in the request's order.
    package var updated: [StoreID: [Row]] = [:]
    /// The rows of other objects of each store whose derived values the save changed, in no order.
    package var derived: [StoreID: [Row]] = [:]
    package var applied: [AppliedChanges] = []

    package init() {}
}
