import StrataModel
import StrataStore

/// Replaces the temporary references of a change set by permanent ones.
struct ReferenceMap {
    private var permanent: TemporaryTable

    /// A map for those of a save's rows that have temporary references.
    init(_ participants: [SaveParticipant]) {
        var extent = TemporaryTable.Extent()
        for participant in participants {
            for row in participant.changes.inserted { extent.add(row.reference) }
        }
        permanent = TemporaryTable(extent)
    }

    mutating func add(_ temporary: Int64, _ reference: Int64) { permanent[temporary] = reference }

    /// The permanent reference of any reference.
    ///
    /// - Parameters:
    ///   - owner: The reference of the object that it belongs to.
    ///   - entity: That object's entity.
    ///   - key: The name of its relationship.
    /// - Throws: `StoreError` with `notFound` for the temporary reference of an object that this save does not store.
    func resolve(
        _ reference: Int64, of owner: Int64, _ entity: EntityDescription, _ key: @autoclosure () -> String?
    ) throws -> Int64 {
        if reference > 0 { return reference }
        guard let found = permanent[reference], found > 0 else {
            func name(_ reference: Int64) -> String { reference < 0 ? "t\(reference - Int64.min)" : "p\(reference)" }
            throw StoreError(
                .notFound, .save, "\(name(owner)) is related to \(name(reference)), a new object that is not saved with it",
                entity: entity.name, key: key())
        }
        return found
    }

    /// Replaces the references of a whole change set.
    func resolve(_ changes: ChangeSet, model: ManagedObjectModel) throws -> ChangeSet {
        guard !permanent.isEmpty else { return changes }
        var resolved = changes
        var writer = RowWriter()
        let referenceSlots = model.entities.map { entity in
            entity.layout.slots.places(Slot.self).filter { entity.layout.slots[$0].kind == .reference }
        }
        for (place, row) in changes.inserted.enumerated() {
            resolved.inserted[place] = try resolve(row, model.entities[row.entityIndex], referenceSlots[row.entityIndex], &writer)
        }
        for (place, update) in changes.updated.enumerated() {
            let row = update.row
            // What an update leaves alone is the store's, whatever it says.
            let slots = referenceSlots[row.entityIndex].filter(update.changedSlots.contains)
            resolved.updated[place] = RowUpdate(
                row: try resolve(row, model.entities[row.entityIndex], slots, &writer), changedSlots: update.changedSlots)
        }
        resolved.links = try changes.links.map { change in
            var link = change.link
            let end = model.linkTables[change.table].first
            let entity = model.entities[end.entity]
            let key = entity.properties[end.property].name
            link.first = try resolve(link.first, of: change.link.second, entity, key)
            link.second = try resolve(link.second, of: change.link.first, entity, key)
            return LinkChange(table: change.table, kind: change.kind, link: link)
        }
        return resolved
    }

    private func resolve(_ row: Row, _ entity: EntityDescription, _ slots: [Slot], _ writer: inout RowWriter) throws -> Row {
        if row.reference > 0 && slots.allSatisfy({ (row.integer($0) ?? 1) > 0 }) { return row }
        writer.begin(copying: row, reference: try resolve(row.reference, of: row.reference, entity, nil))
        for slot in slots {
            guard let reference = row.integer(slot), reference < 0 else { continue }
            let resolved = try resolve(reference, of: row.reference, entity, entity.properties[entity.layout.slots[slot].property].name)
            writer.set(integer: resolved, at: slot)
        }
        return writer.finish()
    }
}
