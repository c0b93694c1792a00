import CStrataLMDB
import StrataStore

/// Writes the links of many-to-many relationships, each under both of its ends.
// Safe: it lives within its transaction.
@safe struct LinkStorage {
    let transaction: OpaquePointer
    let schema: StoreSchema

    func apply(_ changes: [LinkChange], path: String) throws {
        for table in Set(changes.map(\.table)).sorted() {
            guard let links = schema.links[table] else {
                throw StoreError(.unknownKey, .save, "the store holds no link table \(table)", path: path)
            }
            let changes = changes.allSatisfy { $0.table == table } ? changes : changes.filter { $0.table == table }
            for side in [LinkSide.first, .second] { try apply(changes, to: links, side) }
        }
    }

    /// Changes the links under their ends of one side, neighbours in the file together.
    private func apply(_ changes: [LinkChange], to links: StoreSchema.Links, _ side: LinkSide) throws {
        let cursor = try unsafe Cursor(transaction, links.database(side))
        func isOrdered(_ a: LinkChange, _ b: LinkChange) -> Bool {
            (a.link.reference(side), a.link.reference(side.opposite)) < (b.link.reference(side), b.link.reference(side.opposite))
        }
        let areOrdered = zip(changes, changes.dropFirst()).allSatisfy { !isOrdered($1, $0) }
        for change in areOrdered ? changes : changes.sorted(by: isOrdered) {
            let owner = change.link.reference(side)
            let entry = LinkEntry(other: change.link.reference(side.opposite), order: change.link.order(side))
            switch change.kind {
            case .put: try put(owner, entry, isOrdered: links.table.end(side).isOrdered, cursor)
            case .order:
                guard links.table.end(side).isOrdered, entry.order != nil,
                    try LinkEntry.find(owner, entry.other, isOrdered: true, cursor) != nil
                else { continue }
                try put(owner, entry, isOrdered: true, cursor)
            case .remove: try remove(owner, entry.other, isOrdered: links.table.end(side).isOrdered, cursor)
            }
        }
    }

    func removeAll(of reference: Int64, entity: EntityIndex) throws {
        for links in schema.links.values {
            for side in [LinkSide.first, .second] {
                guard schema.model.entities[links.table.end(side).entity].hierarchy.contains(entity) else { continue }
                let entries = try unsafe LinkEntry.entries(transaction, links.database(side), of: reference)
                if entries.isEmpty { continue }
                let far = try unsafe Cursor(transaction, links.database(side.opposite))
                let isOrdered = links.table.end(side.opposite).isOrdered
                for entry in entries { try remove(entry.other, reference, isOrdered: isOrdered, far) }
                let near = try unsafe Cursor(transaction, links.database(side))
                if try near.seek(reference, MDB_SET) {
                    try unsafe LMDBStatus.check(mdb_cursor_del(near.handle, UInt32(MDB_NODUPDATA)), "mdb_cursor_del")
                }
            }
        }
    }

    private func put(_ owner: Int64, _ entry: LinkEntry, isOrdered: Bool, _ cursor: Cursor) throws {
        if isOrdered, let known = try LinkEntry.find(owner, entry.other, isOrdered: true, cursor) {
            if entry.order == nil || entry.order == known.order { return }
            try cursor.remove()
        }
        try unsafe withUnsafeBytes(of: owner) { key in
            try unsafe entry.bytes(isOrdered: isOrdered).withUnsafeBytes { _ = try unsafe cursor.put(key, $0, MDB_NODUPDATA) }
        }
    }

    private func remove(_ owner: Int64, _ other: Int64, isOrdered: Bool, _ cursor: Cursor) throws {
        if try LinkEntry.find(owner, other, isOrdered: isOrdered, cursor) != nil { try cursor.remove() }
    }
}
