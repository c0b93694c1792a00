import StrataModel
import StrataStore

/// Replaces the temporary references of a change set by permanent ones.
struct ReferenceMap {
    /// Temporary references ascend, mostly without gaps: their distance from the least one is the place of the permanent one.
    private var permanent: [Int64] = []
    private var first: Int64 = 0
    /// Those too far from the rest.
    private var stray: [Int64: Int64] = [:]

    /// A map for those of a save's rows that have temporary references.
    init(_ rows: some Sequence<Row>) {
        var (count, least, greatest) = (0, Int64.max, Int64.min)
        for row in rows where row.reference < 0 {
            count += 1
            least = min(least, row.reference)
            greatest = max(greatest, row.reference)
        }
        if count == 0 { return }
        first = least
        permanent = [Int64](repeating: 0, count: Int(min(greatest &- least &+ 1, Int64(count) * 4)))
    }

    mutating func add(_ temporary: Int64, _ reference: Int64) {
        let place = temporary &- first
        if place < Int64(permanent.count) { permanent[Int(place)] = reference } else { stray[temporary] = reference }
    }

    /// The permanent reference of any reference.
    ///
    /// - Parameters:
    ///   - owner: The reference of the object that it belongs to.
    ///   - entity: That object's entity.
    ///   - key: The name of its relationship.
    /// - Throws: `StoreError` with `notFound` for the temporary reference of an object that this save does not store.
    func resolve(_ reference: Int64, of owner: Int64, _ entity: EntityDescription, _ key: String?) throws -> Int64 {
        if reference > 0 { return reference }
        let place = reference &- first
        guard let found = place >= 0 && place < Int64(permanent.count) ? permanent[Int(place)] : stray[reference], found > 0 else {
            func name(_ reference: Int64) -> String { reference < 0 ? "t\(reference - Int64.min)" : "p\(reference)" }
            throw StoreError(
                .notFound, .save, "\(name(owner)) is related to \(name(reference)), a new object that is not saved with it",
                entity: entity.name, key: key)
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
        func resolve(_ row: Row, _ slots: [Slot]) throws -> Row {
            let entity = model.entities[row.entityIndex]
            if row.reference > 0 && slots.allSatisfy({ (row.integer($0) ?? 1) > 0 }) { return row }
            var replaced: [(Slot, Int64)] = []
            for slot in slots {
                guard let reference = row.integer(slot), reference < 0 else { continue }
                let key = entity.properties[entity.layout.slots[slot].property].name
                replaced.append((slot, try self.resolve(reference, of: row.reference, entity, key)))
            }
            let reference = try self.resolve(row.reference, of: row.reference, entity, nil)
            return writer.copy(row, reference: reference, replacing: replaced)
        }
        resolved.inserted = try changes.inserted.map { try resolve($0, referenceSlots[$0.entityIndex]) }
        resolved.updated = try changes.updated.map { update in
            // What an update leaves alone is the store's, whatever it says.
            let slots = referenceSlots[update.row.entityIndex].filter(update.changedSlots.contains)
            return RowUpdate(row: try resolve(update.row, slots), changedSlots: update.changedSlots)
        }
        resolved.links = try changes.links.map { change in
            var link = change.link
            let end = model.linkTables[change.table].first
            let entity = model.entities[end.entity]
            let key = entity.properties[end.property].name
            link.first = try self.resolve(link.first, of: change.link.second, entity, key)
            link.second = try self.resolve(link.second, of: change.link.first, entity, key)
            return LinkChange(table: change.table, kind: change.kind, link: link)
        }
        return resolved
    }
}
