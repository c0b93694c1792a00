import StrataModel
import StrataStore

/// Replaces the temporary references of a change set by permanent ones.
struct ReferenceMap {
    private(set) var permanent: [Int64: Int64] = [:]

    mutating func add(_ temporary: Int64, _ reference: Int64) { permanent[temporary] = reference }

    /// The permanent reference of any reference.
    ///
    /// - Throws: ``StoreError`` with `crossStore` for the temporary reference of an object that this save does not store.
    func resolve(_ reference: Int64) throws -> Int64 {
        if reference > 0 { return reference }
        guard let found = permanent[reference] else {
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
