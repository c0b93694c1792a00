package import StrataModel

/// The temporary references of new rows of one store, by those of a save that took effect nowhere, or may not have.
///
/// Permanent references are unique within one store only.
package struct GivenReferences {
    private var temporary: [RowID: Int64] = [:]
    private let model: ManagedObjectModel

    /// - Parameter requested: The temporary references of the rows, in order.
    package init(_ rows: [Row], requested: [Int64], _ model: ManagedObjectModel) {
        self.model = model
        for (row, reference) in zip(rows, requested) where row.reference != reference {
            temporary[RowID(row.entityIndex, row.reference, model)] = reference
        }
    }

    /// Restores temporary references of new objects in a pending row.
    package func putBack(in pendingRow: PendingRow) {
        for referenceSlot in model.referenceSlots[pendingRow.row.entityIndex] {
            guard let reference = pendingRow.row.integer(referenceSlot.slot),
                let temporary = temporary[RowID(referenceSlot.relationship.destination, reference, model)]
            else { continue }
            pendingRow.setReference(temporary, at: referenceSlot.slot)
        }
    }
}
