import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    public func save(_ plan: SavePlan) throws -> SaveOutcome {
        let uuids = plan.changes.keys.filter { plan.changes[$0]?.isEmpty == false }
        let parts = try write(to: try uuids.map { try requireEntry(uuid: $0, "save") }, checksReferences: true) { parts in
            for place in parts.indices { parts[place].changes = plan.changes[parts[place].entry.store.uuid] ?? ChangeSet() }
        }
        return SaveOutcome(
            inserted: Dictionary(parts.map { ($0.entry.store.uuid, $0.changes.inserted) }) { first, _ in first },
            updated: Dictionary(parts.map { ($0.entry.store.uuid, $0.changes.updated.map(\.row)) }) { first, _ in first }
        )
    }
}
