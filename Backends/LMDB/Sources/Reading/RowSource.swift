import CLMDB
import StrataModel
import StrataStore

/// Hands out the rows that a path leads to, one after the other and in place.
struct RowSource {
    let snapshot: Snapshot
    let tree: Schema.Tree
    /// The entities whose rows count.
    let entities: Range<Int>

    /// Visits rows as long as `visit` answers true: by reference, or in an index's order where one is asked for.
    ///
    /// - Returns: False where keys that had to be cut left the index's order open; what was visited is void then.
    func visit(_ access: Access, _ visit: (StoredRow) throws -> Bool) throws -> Bool {
        switch access.path {
        case .scan: try scan(visit)
        case .references(let references): try self.visit(references, visit)
        case .inverse(let index, let owners):
            var references: [Int64] = []
            for owner in owners { references += try snapshot.references(index.database, of: owner) }
            try self.visit(references.sorted(), visit)
        case .index(let index, let ranges):
            if access.order != .none {
                return try visitInOrder(index, ranges, isBackward: access.order == .backward, visit)
            }
            try self.visit(try references(index, ranges).sorted(), visit)
        }
        return true
    }

    /// The rows with some references, which are ascending.
    func visit(_ references: [Int64], _ visit: (StoredRow) throws -> Bool) throws {
        for reference in references {
            if let stored = try snapshot.stored(reference, in: tree), entities.contains(stored.row.entityIndex), try !visit(stored) {
                return
            }
        }
    }

    private func scan(_ visit: (StoredRow) throws -> Bool) throws {
        let cursor = try Cursor(snapshot.transaction, tree.rows)
        let isWhole = entities == tree.entities
        var found = try cursor.move(MDB_FIRST)
        while found {
            guard let reference = cursor.key.integer else { throw StoreError.damaged("a key is no reference", path: snapshot.rows.path) }
            let stored = try snapshot.rows.row(cursor.value, reference: reference, in: tree)
            if isWhole || entities.contains(stored.row.entityIndex), try !visit(stored) { return }
            found = try cursor.move(MDB_NEXT)
        }
    }

    // MARK: - Indexes

    /// The references that an index has in some ranges, in no order.
    func references(_ index: Schema.Index, _ ranges: [KeyRange]) throws -> [Int64] {
        var references: [Int64] = []
        let cursor = try Cursor(snapshot.transaction, index.database)
        for range in ranges {
            var found = try cursor.seek(notBefore: range.lower)
            while found, RowSource.precedes(cursor.key, range.upper) {
                try references.append(snapshot.reference(cursor.value))
                found = try cursor.move(MDB_NEXT)
            }
        }
        return references
    }

    /// Rows of equal keys follow in the order of their references, also backward.
    private func visitInOrder(
        _ index: Schema.Index,
        _ ranges: [KeyRange],
        isBackward: Bool,
        _ visit: (StoredRow) throws -> Bool
    ) throws -> Bool {
        let cursor = try Cursor(snapshot.transaction, index.database)
        for range in ranges {
            var found = try isBackward ? last(before: range.upper, cursor) : cursor.seek(notBefore: range.lower)
            while found, isBackward ? !RowSource.precedes(cursor.key, range.lower) : RowSource.precedes(cursor.key, range.upper) {
                if KeyEncoder.isCut(cursor.key.mv_size) { return false }
                if isBackward { _ = try cursor.move(MDB_FIRST_DUP) }
                repeat {
                    let reference = try snapshot.reference(cursor.value)
                    guard let stored = try snapshot.stored(reference, in: tree) else {
                        throw StoreError.damaged("index \(index.name) names row \(reference), which is not there", path: snapshot.rows.path)
                    }
                    if entities.contains(stored.row.entityIndex), try !visit(stored) { return true }
                } while try cursor.move(MDB_NEXT_DUP)
                found = try cursor.move(isBackward ? MDB_PREV_NODUP : MDB_NEXT_NODUP)
            }
        }
        return true
    }

    private func last(before upper: [UInt8]?, _ cursor: Cursor) throws -> Bool {
        if let upper, try cursor.seek(notBefore: upper) { return try cursor.move(MDB_PREV_NODUP) }
        // From the last entry LMDB finds no next one, not even among its duplicates, until the key is looked up.
        return try cursor.move(MDB_LAST) && cursor.seek(cursor.key.bytes, MDB_SET_KEY)
    }

    private static func precedes(_ key: MDB_val, _ bound: [UInt8]?) -> Bool {
        guard let bound else { return true }
        return bound.withUnsafeBytes { compareBytes(key.bytes, $0) == .less }
    }
}
