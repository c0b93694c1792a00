import StrataModel
import StrataStore

extension PersistentStoreCoordinator {
    public func save(_ plan: SavePlan) throws -> SaveOutcome {
        // Always in the order of the UUIDs: two saves over the same stores cannot wait for each other.
        let uuids = plan.changes.keys.filter { plan.changes[$0]?.isEmpty == false }.sorted()
        var parts: [SavePart] = []
        do {
            for uuid in uuids {
                let entry = try requireEntry(uuid: uuid, "save")
                parts.append(SavePart(entry: entry, transaction: try entry.store.beginWrite(), changes: plan.changes[uuid] ?? ChangeSet()))
            }
            let references = try reserveReferences(parts)
            for place in parts.indices { parts[place].changes = try references.resolve(parts[place].changes, model: model) }
            let durable = parts.filter(\.isDurable).map(\.entry)
            let global = durable.count > 1 ? GlobalSave(durable) : nil
            if let global { for place in parts.indices { try global.mark(&parts[place]) } }
            try apply(parts)
            for part in parts { try part.transaction.prepare() }
            if let global {
                try global.decide(parts, model: model)
                try global.commit(&parts, model: model)
            }
            // Stores in memory go last: nothing about them can fail.
            for place in parts.indices.sorted(by: { parts[$0].isDurable && !parts[$1].isDurable }) where !parts[place].isOver {
                try parts[place].transaction.commit()
                parts[place].isOver = true
            }
            return SaveOutcome(
                inserted: Dictionary(parts.map { ($0.entry.store.uuid, $0.changes.inserted) }) { first, _ in first },
                updated: Dictionary(parts.map { ($0.entry.store.uuid, $0.changes.updated.map(\.row)) }) { first, _ in first }
            )
        } catch {
            for part in parts where !part.isOver { part.transaction.rollback() }
            throw error
        }
    }

    private func reserveReferences(_ parts: [SavePart]) throws -> ReferenceMap {
        var references = ReferenceMap(parts.flatMap { $0.changes.inserted.filter { $0.reference < 0 } })
        for part in parts {
            let new = part.changes.inserted.filter { $0.reference < 0 }
            for (root, rows) in Dictionary(grouping: new, by: { model.entities[$0.entityIndex].root }).sorted(by: { $0.key < $1.key }) {
                let first = try part.transaction.reserveReferences(rows.count, root: root)
                for (offset, row) in rows.enumerated() { references.add(row.reference, first + Int64(offset)) }
            }
        }
        return references
    }

    private func apply(_ parts: [SavePart]) throws {
        var conflicts: [SaveConflictError.Conflict] = []
        for part in parts {
            for conflict in try part.transaction.apply(part.changes) {
                let id = ObjectID(scope: part.entry.scopes[conflict.entity], reference: conflict.reference)
                conflicts.append(.init(objectID: id, reason: conflict.reason))
            }
        }
        if !conflicts.isEmpty { throw SaveConflictError(conflicts: conflicts) }
    }
}

/// The part of a save that goes to one store.
struct SavePart {
    let entry: StoreEntry
    let transaction: any StoreTransaction
    var changes: ChangeSet
    /// Whether the transaction was committed, or is not to be touched any more.
    var isOver = false

    var isDurable: Bool { entry.store.capabilities.isPersistent && entry.store.path != nil }
}
