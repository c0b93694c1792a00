import CStrataLMDB
import StrataEngine

/// Fills an index that the model gained.
enum IndexBuilder {
    /// - Throws: `StoreError` with `constraint` if rows have equal unique values.
    static func build(_ index: StoreSchema.Index, _ transaction: OpaquePointer, _ rows: MappedRows) throws {
        try unsafe LMDBStatus.check(mdb_drop(transaction, index.database, 0), "mdb_drop")
        let model = rows.schema.model
        guard let hierarchy = rows.schema.hierarchy(model.entities[index.entities.lowerBound].root) else { return }
        let snapshot = unsafe Snapshot(transaction: transaction, rows: rows)
        var changes = IndexChanges(index)
        var encoder = KeyEncoder()
        try snapshot.scan(hierarchy) { stored in
            guard index.entities.contains(stored.row.entityIndex) else { return true }
            let row = index.isExternal ? try rows.expanded(stored) : stored.row
            try index.requireAvailable(row)
            changes.additions.add(row, index, &encoder)
            return true
        }
        let collisions = try unsafe changes.write(transaction, rows.path) { a, b in
            try snapshot.haveEqualValues(a, b, of: index, in: hierarchy)
        }
        if let (reference, other) = collisions.first {
            throw StoreError(
                .constraint, .open, "rows \(reference) and \(other) have values that \(index.name) keeps unique", path: rows.path)
        }
    }
}

extension Snapshot {
    /// Returns whether two rows have equal values in the elements of an index.
    func haveEqualValues(_ a: Int64, _ b: Int64, of index: StoreSchema.Index, in hierarchy: StoreSchema.Hierarchy) throws -> Bool {
        guard let a = try stored(a, in: hierarchy), let b = try stored(b, in: hierarchy) else { return false }
        let (left, right) = (try rows.expanded(a), try rows.expanded(b))
        return index.elements.allSatisfy { left.slot($0.slot, $0.kind, equals: right) }
    }
}
