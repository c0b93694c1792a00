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

    /// The reference that the save gives in the place of a temporary one.
    subscript(temporary: Int64) -> Int64? { permanent[temporary] }

    /// Replaces the references of a whole change set.
    ///
    /// - Parameter isInPlace: Whether the new rows are changed where they lie, and not copied.
    /// - Throws: `StoreError` with `notFound` for the temporary reference of an object that this save does not store.
    func resolve(_ changes: ChangeSet, inPlace isInPlace: Bool, model: ManagedObjectModel) throws -> ChangeSet {
        guard !permanent.isEmpty else { return changes }
        var resolved = changes
        var writer = RowWriter()
        let referenceSlots = model.entities.map { entity in
            entity.layout.slots.places(Slot.self).filter { entity.layout.slots[$0].kind == .reference }
        }
        for (place, row) in changes.inserted.enumerated() {
            let slots = referenceSlots[row.entityIndex]
            if isInPlace {
                try resolve(row, slots, in: RowDraft(row), model)
            } else {
                resolved.inserted[place] = try copy(row, slots, &writer, model)
            }
        }
        for (place, update) in changes.updated.enumerated() {
            // What an update leaves alone is the store's, whatever it says.
            let slots = referenceSlots[update.row.entityIndex].filter(update.changedSlots.contains)
            resolved.updated[place] = RowUpdate(
                row: try copy(update.row, slots, &writer, model), changedSlots: update.changedSlots)
        }
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

    /// The permanent reference of any reference; `nil` for the temporary one of an object that this save does not store.
    @inline(__always)
    private func resolve(_ reference: Int64) -> Int64? {
        if reference > 0 { return reference }
        guard let found = permanent[reference], found > 0 else { return nil }
        return found
    }

    private func copy(_ row: Row, _ slots: [Slot], _ writer: inout RowWriter, _ model: ManagedObjectModel) throws -> Row {
        if row.reference > 0 && slots.allSatisfy({ (row.integer($0) ?? 1) > 0 }) { return row }
        writer.begin(copying: row, reference: row.reference)
        let copy = writer.finish()
        try resolve(row, slots, in: RowDraft(copy), model)
        return copy
    }

    /// Replaces the references of a row in a draft of it, which may be the row itself.
    private func resolve(_ row: Row, _ slots: [Slot], in draft: RowDraft, _ model: ManagedObjectModel) throws {
        let (entity, own) = (row.entityIndex, row.reference)
        for slot in slots {
            guard let reference = row.integer(slot), reference < 0 else { continue }
            guard let destination = resolve(reference) else {
                let entity = model.entities[entity]
                throw ReferenceMap.unresolved(reference, of: own, entity, entity.properties[entity.layout.slots[slot].property].name)
            }
            draft.lead(to: destination, at: slot)
        }
        guard let reference = resolve(own) else { throw ReferenceMap.unresolved(own, of: own, model.entities[entity], nil) }
        draft.name(reference)
    }

    private static func unresolved(_ reference: Int64, of owner: Int64, _ entity: EntityDescription, _ key: String?) -> StoreError {
        func name(_ reference: Int64) -> String { reference < 0 ? "t\(reference - Int64.min)" : "p\(reference)" }
        return StoreError(
            .notFound, .save, "\(name(owner)) is related to \(name(reference)), a new object that is not saved with it",
            entity: entity.name, key: key)
    }
}
