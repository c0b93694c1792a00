import StrataModel
import StrataStore

/// Replaces the temporary references of a change set by permanent ones.
struct ReferenceMap {
    /// Temporary references ascend, mostly without gaps: their distance from the least one is the place of the permanent one.
    private var permanent: [Int64] = []
    private var first: Int64 = 0
    /// Those too far from the rest.
    private var stray: [Int64: Int64] = [:]

    /// A map for the new rows of a save.
    init(_ new: [Row]) {
        guard let least = new.lazy.map(\.reference).min(), let greatest = new.lazy.map(\.reference).max() else { return }
        first = least
        let span = greatest &- least &+ 1
        permanent = [Int64](repeating: 0, count: Int(min(span, Int64(new.count) * 4)))
    }

    mutating func add(_ temporary: Int64, _ reference: Int64) {
        let place = temporary &- first
        if place < Int64(permanent.count) { permanent[Int(place)] = reference } else { stray[temporary] = reference }
    }

    /// The permanent reference of any reference.
    ///
    /// - Throws: ``StoreError`` with `crossStore` for the temporary reference of an object that this save does not store.
    func resolve(_ reference: Int64) throws -> Int64 {
        if reference > 0 { return reference }
        let place = reference &- first
        guard let found = place >= 0 && place < Int64(permanent.count) ? permanent[Int(place)] : stray[reference], found > 0 else {
            throw StoreError(.crossStore, "save", "an object is related to a new one that is not saved with it")
        }
        return found
    }

    /// Replaces the references of a whole change set.
    func resolve(_ changes: ChangeSet, model: ManagedObjectModel) throws -> ChangeSet {
        guard !permanent.isEmpty else { return changes }
        var resolved = changes
        var writer = RowWriter()
        let referenceSlots = model.entities.map { entity in
            entity.layout.slots.indices.filter { entity.layout.slots[$0].kind == .reference }
        }
        func resolve(_ row: Row) throws -> Row {
            let slots = referenceSlots[row.entityIndex]
            if row.reference > 0 && slots.allSatisfy({ (row.integer($0) ?? 1) > 0 }) { return row }
            var replaced: [(Int, Int64)] = []
            for slot in slots {
                if let reference = row.integer(slot), reference < 0 { replaced.append((slot, try self.resolve(reference))) }
            }
            return writer.copy(row, reference: try self.resolve(row.reference), replacing: replaced)
        }
        resolved.inserted = try changes.inserted.map(resolve)
        resolved.updated = try changes.updated.map { RowUpdate(row: try resolve($0.row), changedSlots: $0.changedSlots) }
        resolved.links = try changes.links.map { change in
            var link = change.link
            link.first = try self.resolve(link.first)
            link.second = try self.resolve(link.second)
            return LinkChange(table: change.table, kind: change.kind, link: link)
        }
        return resolved
    }
}
