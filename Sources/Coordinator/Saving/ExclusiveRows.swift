package import StrataModel
import StrataStore
import Synchronization

/// Says of a request that nobody else reads its new rows until the save is over, so that temporary references in them are replaced where they
/// lie: as many rows again would have to be held otherwise.
///
/// A save that fails may leave the rows with references that mean nothing; ``temporary(_:of:)`` tells what was there.
package final class ExclusiveRows: Sendable {
    private struct State {
        /// The new rows of each store, and the references that they came with.
        var rows: [[Row]] = []
        var requested: [[Int64]] = []
        var references: ReferenceMap?
        /// The references that the rows came with, by those that they were given; made when somebody asks.
        private var temporary: [RowID: Int64]?

        init() {}

        init(_ participants: [SaveParticipant], _ references: ReferenceMap) {
            rows = participants.map(\.changes.inserted)
            requested = participants.map(\.requested)
            self.references = references
        }

        mutating func temporary(_ id: RowID, _ model: ManagedObjectModel) -> Int64? {
            if let temporary { return temporary[id] }
            var made: [RowID: Int64] = [:]
            for (rows, requested) in zip(rows, requested) {
                for (row, reference) in zip(rows, requested) {
                    guard let given = references?[reference] else { continue }
                    made[RowID(row.entityIndex, given, model)] = reference
                }
            }
            temporary = made
            return made[id]
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Takes note of what is about to be replaced.
    func willResolve(_ participants: [SaveParticipant], by references: ReferenceMap) {
        state.withLock { $0 = State(participants, references) }
    }

    /// Whether a save replaced references, or began to.
    package var areChanged: Bool { state.withLock { $0.references != nil } }

    /// The temporary reference that a row was requested with, by the one that the save gave it; `nil` for any other.
    package func temporary(_ reference: Int64, of entity: EntityIndex, _ model: ManagedObjectModel) -> Int64? {
        state.withLock { $0.temporary(RowID(entity, reference, model), model) }
    }

    /// Puts the temporary references back where they lay, for another attempt at a save that took effect nowhere.
    func putBack(_ model: ManagedObjectModel) {
        state.withLock { state in
            for (rows, requested) in zip(state.rows, state.requested) {
                for (row, reference) in zip(rows, requested) {
                    let draft = RowDraft(row)
                    draft.name(reference)
                    for place in model.referenceSlots[row.entityIndex] {
                        guard let destination = row.integer(place.slot) else { continue }
                        let id = RowID(place.relationship.destination, destination, model)
                        if let temporary = state.temporary(id, model) { draft.lead(to: temporary, at: place.slot) }
                    }
                }
            }
            state = State()
        }
    }
}
