import CStrataLMDB
import StrataStore

/// The rows of a transaction, read in place.
// Safe: it lives within its transaction.
@safe struct Snapshot {
    let transaction: OpaquePointer
    let rows: MappedRows
    var schema: StoreSchema { rows.schema }

    func hierarchy(_ root: EntityIndex) throws -> StoreSchema.Hierarchy {
        if let hierarchy = schema.hierarchy(root) { return hierarchy }
        let name = schema.model.entities.typedIndices().contains(root) ? schema.model.entities[root].name : "\(root)"
        throw StoreError(.unknownEntity, .fetch, "the store holds no entity of that hierarchy", path: rows.path, entity: name)
    }

    /// Returns the row of a reference, `nil` if there is none.
    @inline(__always)
    func stored(_ reference: Int64, in hierarchy: StoreSchema.Hierarchy) throws -> StoredRow? {
        guard let value = try unsafe Records.get(transaction, hierarchy.rows, reference) else { return nil }
        return try unsafe rows.row(value, reference: reference, in: hierarchy)
    }

    /// Visits all rows of a hierarchy, or those from a reference on, ascending by reference, until `visit` returns false.
    func scan(_ hierarchy: StoreSchema.Hierarchy, from first: Int64? = nil, _ visit: (StoredRow) throws -> Bool) throws {
        let cursor = try unsafe Cursor(transaction, hierarchy.rows)
        var found = try first.map { try cursor.seek($0, MDB_SET_RANGE) } ?? cursor.move(MDB_FIRST)
        while found {
            guard let reference = unsafe cursor.key.integer else { throw StoreError.damaged("a key is no reference", path: rows.path) }
            if try unsafe !visit(rows.row(cursor.value, reference: reference, in: hierarchy)) { return }
            found = try cursor.move(MDB_NEXT)
        }
    }

    /// Returns the references of a key in an integer index, ascending.
    func references(_ database: MDB_dbi, of key: Int64) throws -> [Int64] {
        var references: [Int64] = []
        let cursor = try unsafe Cursor(transaction, database)
        guard try cursor.seek(key, MDB_SET_KEY) else { return [] }
        repeat { try unsafe references.append(reference(cursor.value)) } while try cursor.move(MDB_NEXT_DUP)
        return references
    }

    func reference(_ value: MDB_val) throws -> Int64 {
        guard let reference = unsafe value.integer else { throw StoreError.damaged("an index holds no reference", path: rows.path) }
        return reference
    }
}
