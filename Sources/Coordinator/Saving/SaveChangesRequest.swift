package import StrataModel
package import StrataStore

/// A request of a context to save, as a value.
///
/// Rows of new objects, and references to them, have temporary references, which are negative; the coordinator replaces
/// them.
package struct SaveChangesRequest: Sendable {
    /// The changes of one store.
    package struct Part: Sendable {
        package let storeID: StoreID
        package var changes: ChangeSet
        /// The rows for the optimistic-lock check alone: no other context may have changed them.
        package var unchanged: [RowVersion] = []
        /// The to-many relationships whose members or order the changes alter, in whichever rows: reported with the
        /// save, and not stored.
        package var relationships: [RelationshipID] = []

        package init(storeID: StoreID, _ changes: ChangeSet = ChangeSet()) { (self.storeID, self.changes) = (storeID, changes) }

        var isEmpty: Bool { changes.isEmpty && unchanged.isEmpty }
    }

    // A list, as most saves are in one store: a dictionary would hash the ID of a store at each step.
    /// The changes, store by store; each store once.
    package var parts: [Part]
    /// Lets the coordinator change the new rows in place; `nil` where other code may read them before the save is over.
    package var exclusive: ExclusiveRows?
    /// The origin of the save, for the stores' transactions and events.
    package var origin: TransactionOrigin

    package init(_ origin: TransactionOrigin = TransactionOrigin(), _ parts: [Part] = []) { (self.origin, self.parts) = (origin, parts) }

    package var isEmpty: Bool {
        for index in parts.indices where !parts[index].isEmpty { return false }
        return true
    }
}

package struct SaveOutcome: Sendable {
    /// The applied changes of each store that was changed; new and changed rows come in the request's order.
    package var applied: [AppliedChanges] = []

    package init() {}
}

/// The applied changes of a save in one store.
// A class, as a copy of a structure would count references to all of its parts.
package final class AppliedChanges: Sendable {
    package let storeID: StoreID
    let scopes: ObjectIDScopes
    package let changes: ChangeSet
    let derived: [RowID: (row: Row, slots: Set<Slot>)]
    let ownChange: SaveParticipant.OwnChange?
    let relationships: [RelationshipID]

    package var isEmpty: Bool { changes.isEmpty && derived.isEmpty && ownChange == nil }

    /// The rows of other objects whose derived values the save changed, in no order.
    package var derivedRows: [Row] { derived.isEmpty ? [] : derived.values.map(\.row) }

    init(_ participant: SaveParticipant) {
        storeID = participant.entry.store.id
        scopes = participant.entry.scopes
        changes = participant.changes
        derived = participant.derived
        ownChange = participant.ownChange
        relationships = participant.relationships
    }
}
