import CStrataLMDB
import StrataEngine
import StrataModel
import StrataQuery
import StrataStore

/// Hands out the rows that a path leads to, one after the other and in place.
struct RowSource {
    let snapshot: Snapshot
    let tree: StoreSchema.Tree
    /// The entities whose rows count.
    let entities: Range<Int>

    /// Visits rows as long as `visit` answers true, by reference.
    func visit(_ plan: RowPlan, _ visit: (StoredRow) throws -> Bool) throws {
        switch plan.access {
        case .nothing: break
        case .scan: try scan(visit)
        case .references(let references): try self.visit(references, visit)
        case .index(_, let part): try self.visit(try part.references(), visit)
        }
    }

    /// The rows with some references, which are ascending.
    func visit(_ references: [Int64], _ visit: (StoredRow) throws -> Bool) throws {
        for reference in references {
            if let stored = try snapshot.stored(reference, in: tree), entities.contains(stored.row.entityIndex), try !visit(stored) {
                return
            }
        }
    }

    /// All rows.
    func scan(_ visit: (StoredRow) throws -> Bool) throws {
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

    // MARK: - In the order of an index

    /// Visits rows along an index as long as `visit` answers true; rows that are equal in the order follow by reference.
    ///
    /// - Returns: False where keys that had to be cut left the order open, or the budget ran out; what was visited is void then.
    func visit(
        _ walk: RowPlan.Walk, _ order: RowOrder, _ resolver: MappedResolver, _ visit: (StoredRow) throws -> Bool
    ) throws -> Bool {
        guard let entries = walk.part as? IndexEntries, let ranges = entries.ranges else { return false }
        let index = entries.index
        if walk.order.elements == index.elements.count {
            return try self.visit(ranges, index, walk, visit)
        }
        // Further elements of the index are in no order that was asked for.
        var run: [StoredRow] = []
        var goesOn = true
        func finishRun() throws {
            run.sort { $0.row.reference < $1.row.reference }
            for stored in run where goesOn { goesOn = try visit(stored) }
            run.removeAll(keepingCapacity: true)
        }
        let isInOrder = try self.visit(ranges, index, walk) { stored in
            if let last = run.last, try !order.areEqual(last.row, stored.row, resolver) { try finishRun() }
            run.append(stored)
            return goesOn
        }
        if isInOrder, goesOn { try finishRun() }
        return isInOrder
    }

    private func visit(
        _ ranges: [KeyRange], _ index: StoreSchema.Index, _ walk: RowPlan.Walk, _ visit: (StoredRow) throws -> Bool
    ) throws -> Bool {
        let cursor = try Cursor(snapshot.transaction, index.database)
        let isBackward = walk.order.isBackward
        var seen = 0
        for range in isBackward ? ranges.reversed() : ranges {
            var found = try isBackward ? last(before: range.upper, cursor) : cursor.seek(notBefore: range.lower)
            while found, isBackward ? range.isFrom(start: cursor.key) : range.isBefore(end: cursor.key) {
                if KeyEncoder.isCut(cursor.key.mv_size) { return false }
                if isBackward { _ = try cursor.move(MDB_FIRST_DUP) }
                repeat {
                    seen += 1
                    if seen > walk.budget ?? .max { return false }
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
}
