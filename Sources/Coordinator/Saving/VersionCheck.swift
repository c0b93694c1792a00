import StrataModel
import StrataStore
import StrataText

/// The optimistic-lock check of unchanged rows that a save relies on.
struct VersionCheck {
    private let rows: [UnchangedRow]
    private let model: ManagedObjectModel

    init(_ rows: [UnchangedRow], _ model: ManagedObjectModel) {
        self.rows = rows
        self.model = model
    }

    /// Returns the rows that differ from those read, within the store's write transaction.
    ///
    /// - Complexity: A round trip for each entity hierarchy.
    func conflicts(_ participant: SaveParticipant) throws -> [SaveConflictError.Conflict] {
        if rows.isEmpty { return [] }
        let scopes = participant.entry.scopes
        return try participant.transaction.read { reader in
            var conflicts: [SaveConflictError.Conflict] = []
            for (root, group) in Dictionary(grouping: rows, by: { model.entities[$0.entity].root }).sortedByKey() {
                let found = try reader.rows(root: root, references: group.map(\.reference))
                let current = Dictionary(found.map { ($0.reference, $0) }) { first, _ in first }
                for row in group where current[row.reference]?.version != row.version {
                    conflicts.append(
                        SaveConflictError.Conflict(
                            objectID: ObjectID(scope: scopes[row.entity], reference: row.reference),
                            reason: current[row.reference].map { .changed($0) } ?? .deleted))
                }
            }
            return conflicts
        }
    }
}
