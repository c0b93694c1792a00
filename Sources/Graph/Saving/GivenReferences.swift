import StrataModel
import StrataStore

/// The temporary references of one store's new objects, by those that a save gave their rows, which failed.
struct GivenReferences {
    private var temporary: [ObjectReference: Int64] = [:]
    private let model: ManagedObjectModel

    init(_ objects: [ManagedObject], _ rows: [Row], _ model: ManagedObjectModel) {
        self.model = model
        for (object, row) in zip(objects, rows) where row.reference != object.objectID.reference {
            temporary[given(row.reference, row.entityIndex)] = object.objectID.reference
        }
    }

    /// What names a row of a store, whatever its own entity is.
    private func given(_ reference: Int64, _ entity: EntityIndex) -> ObjectReference {
        ObjectReference(entity: model.entities[entity].root, reference: reference)
    }

    /// Has a draft lead to new objects by their temporary references again.
    func putBack(in draft: RowDraft) {
        for place in model.referenceSlots[draft.row.entityIndex] {
            guard let reference = draft.row.integer(place.slot),
                let temporary = temporary[given(reference, place.relationship.destination)]
            else { continue }
            draft.lead(to: temporary, at: place.slot)
        }
    }
}
