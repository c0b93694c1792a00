import StrataModel
import StrataStore

/// Replaces the temporary references of a change set by permanent ones.
struct ReferenceMap {
    private var permanent: TemporaryTable

    init(_ participants: [SaveParticipant]) {
        var extent = TemporaryTable.Extent()
        for participant in participants {
            for row in participant.changes.inserted { extent.add(row.reference) }
        }
        permanent = TemporaryTable(extent)
    }

    mutating func add(_ temporary: Int64, _ reference: Int64) { permanent[temporary] = reference }

    /// Replaces the references of a whole change set.
    ///
    /// - Parameter isInPlace: Whether the new rows are changed in place instead of copied.
    /// - Throws: `StoreError` with `notFound` for the temporary reference of an object that this save does not store.
    func resolve(_ changes: ChangeSet, inPlace isInPlace: Bool, model: ManagedObjectModel) throws -> ChangeSet {
        guard !permanent.isEmpty else { return changes }
        var resolved = changes
        var writer = RowWriter()
        if isInPlace {
            // All rows have their own references before any references them, so that they can be restored on an error.
            for row in changes.inserted { PendingRow(row).name(try own(of: row, model)) }
            for row in changes.inserted { try resolve(row, in: PendingRow(row), model) }
        } else {
            for (index, row) in changes.inserted.enumerated() {
                resolved.inserted[index] = try copy(row, &writer, model) ?? row
            }
        }
        for (index, update) in changes.updated.enumerated() {
            // Unchanged slots of an update are the store's, whatever the row has.
            guard let copy = try copy(update.row, only: update.changedSlots, &writer, model) else { continue }
            resolved.updated[index] = RowUpdate(row: copy, changedSlots: update.changedSlots)
        }
        if changes.links.isEmpty { return resolved }
        resolved.links = try changes.links.map { change in
            var link = change.link
            guard let first = resolve(link.first), let second = resolve(link.second) else {
                let end = model.linkTables[change.table].first
                let entity = model.entities[end.entity]
                let (owner, other) = resolve(link.first) == nil ? (link.second, link.first) : (link.first, link.second)
                throw ReferenceMap.unresolved(other, of: owner, entity, entity.properties[end.property].name)
            }
            (link.first, link.second) = (first, second)
            return LinkChange(table: change.table, kind: change.kind, link: link)
        }
        return resolved
    }

    /// Returns the permanent reference of any reference; `nil` for the temporary one of an object that this save does
    /// not store.
    @inline(__always)
    private func resolve(_ reference: Int64) -> Int64? {
        if reference > 0 { return reference }
        guard let found = permanent[reference], found > 0 else { return nil }
        return found
    }

    /// Returns a copy of a row with permanent references, by default in all slots; `nil` where it has no others.
    private func copy(_ row: Row, only slots: [Slot]? = nil, _ writer: inout RowWriter, _ model: ManagedObjectModel) throws -> Row? {
        let isTemporary = model.referenceSlots[row.entityIndex].contains { reference in
            (row.integer(reference.slot) ?? 1) <= 0 && slots?.contains(reference.slot) != false
        }
        if row.reference > 0 && !isTemporary { return nil }
        writer.begin(copying: row, reference: try own(of: row, model))
        let copy = writer.finish()
        try resolve(row, only: slots, in: PendingRow(copy), model)
        return copy
    }

    private func own(of row: Row, _ model: ManagedObjectModel) throws -> Int64 {
        guard let own = resolve(row.reference) else {
            throw ReferenceMap.unresolved(row.reference, of: row.reference, model.entities[row.entityIndex], nil)
        }
        return own
    }

    /// Replaces the references of a row, by default in all slots, in a pending row of it, which may be the row itself.
    private func resolve(_ row: Row, only slots: [Slot]? = nil, in pendingRow: PendingRow, _ model: ManagedObjectModel) throws {
        for referenceSlot in model.referenceSlots[row.entityIndex] {
            let slot = referenceSlot.slot
            guard let reference = row.integer(slot), reference < 0, slots?.contains(slot) != false else { continue }
            guard let destination = resolve(reference) else {
                let entity = model.entities[row.entityIndex]
                let key = entity.properties[entity.layout.slots[slot].property].name
                throw ReferenceMap.unresolved(reference, of: row.reference, entity, key)
            }
            pendingRow.setReference(destination, at: slot)
        }
    }

    private static func unresolved(_ reference: Int64, of owner: Int64, _ entity: EntityDescription, _ key: String?) -> StoreError {
        func name(_ reference: Int64) -> String { reference < 0 ? "t\(reference - Int64.min)" : "p\(reference)" }
        return StoreError(
            .notFound, .save, "\(name(owner)) is related to \(name(reference)), a new object that is not saved with it",
            entity: entity.name, key: key)
    }
}
