import StrataModel
import StrataStore
import Synchronization

/// Marks a request whose new rows no other code reads until the save is over, so that temporary references in them are
/// replaced in place: a copy would need as many rows again.
///
/// A save that fails may leave the rows with invalid references.
package final class ExclusiveRows: Sendable {
    /// The new rows of each store, and their temporary references.
    private let parts = Mutex<[(rows: [Row], requested: [Int64])]>([])

    package init() {}

    /// Records the rows whose references are about to be replaced.
    func willResolve(_ participants: [SaveParticipant]) { parts.withLock { $0 = participants.map { ($0.changes.inserted, $0.requested) } } }

    package var areChanged: Bool { parts.withLock { !$0.isEmpty } }

    /// Restores the temporary references, for another attempt at a save that took effect nowhere.
    func putBack(_ model: ManagedObjectModel) {
        parts.withLock { parts in
            for (rows, requested) in parts {
                let given = GivenReferences(rows, requested: requested, model)
                for (row, reference) in zip(rows, requested) {
                    let pendingRow = PendingRow(row)
                    pendingRow.name(reference)
                    given.putBack(in: pendingRow)
                }
            }
            parts = []
        }
    }
}
