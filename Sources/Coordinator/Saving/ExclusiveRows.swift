package import StrataModel
import StrataStore
import Synchronization

/// Marks a request whose new rows no other code reads until the save is over, so that temporary references in them are
/// replaced in place: a copy would need as many rows again.
///
/// A save that fails may leave the rows with invalid references.
package final class ExclusiveRows: Sendable {
    /// The new rows of a store, and their temporary references.
    private typealias Part = (rows: [Row], requested: [Int64])
    /// Those of the first store, and of the others: mostly there is one.
    private let parts = Mutex<(first: Part?, others: [Part])>((nil, []))

    package init() {}

    /// Records the rows whose references are about to be replaced.
    func willResolve(_ participants: [SaveParticipant]) {
        parts.withLock { parts in
            parts.first = participants.first.map { ($0.changes.inserted, $0.requested) }
            parts.others = participants.count < 2 ? [] : participants.dropFirst().map { ($0.changes.inserted, $0.requested) }
        }
    }

    package var areChanged: Bool { parts.withLock { $0.first != nil } }

    /// Restores the temporary references, for another attempt at a save that took effect nowhere.
    func putBack(_ model: ManagedObjectModel) {
        parts.withLock { parts in
            guard let first = parts.first else { return }
            for (rows, requested) in [first] + parts.others {
                let given = GivenReferences(rows, requested: requested, model)
                for (row, reference) in zip(rows, requested) {
                    let pendingRow = PendingRow(row)
                    pendingRow.name(reference)
                    given.putBack(in: pendingRow)
                }
            }
            parts = (nil, [])
        }
    }
}

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
