import StrataModel
import StrataStore

/// The applied changes of a save in one store.
package struct AppliedChanges: Sendable {
    let storeID: StoreID
    let scopes: ObjectIDScopes
    let changes: ChangeSet
    let derived: [RowID: (row: Row, slots: Set<Slot>)]
    let ownChange: SaveParticipant.OwnChange?
    let relationships: [RelationshipID]

    package var isEmpty: Bool { changes.isEmpty && derived.isEmpty && ownChange == nil }

    init(_ participant: SaveParticipant) {
        storeID = participant.entry.store.id
        scopes = participant.entry.scopes
        changes = participant.changes
        derived = participant.derived
        ownChange = participant.ownChange
        relationships = participant.relationships
    }
}
