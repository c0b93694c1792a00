package import StrataModel

/// The temporary references of new rows of one store, by those that a save gave them, which took effect nowhere, or may
/// not have.
///
/// Of one store: what a save gives is unique within it only.
package struct GivenReferences {
    private var temporary: [RowID: Int64] = [:]
    private let model: ManagedObjectModel

    /// - Parameter requested: The references that the rows came with, in their order.
    package init(_ rows: [Row], requested: [Int64], _ model: ManagedObjectModel) {
        self.model = model
        for (row, reference) in zip(rows, requested) where row.reference != reference {
            temporary[RowID(row.entityIndex, row.reference, model)] = reference
        }
    }

    /// Has a draft reference new objects by their temporary references again.
    package func putBack(in draft: RowDraft) {
        for referenceSlot in model.referenceSlots[draft.row.entityIndex] {
            guard let reference = draft.row.integer(referenceSlot.slot),
                let temporary = temporary[RowID(referenceSlot.relationship.destination, reference, model)]
            else { continue }
            draft.lead(to: temporary, at: referenceSlot.slot)
        }
    }
}
