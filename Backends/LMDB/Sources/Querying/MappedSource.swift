import CStrataLMDB
import StrataEngine

/// Reads the rows of a snapshot in place by reference, relationship and index; they must not outlive it.
// A class: passing it to a row test as a resolver costs nothing.
final class MappedSource: RowResolver {
    let snapshot: Snapshot
    let storeID: StoreID?

    init(snapshot: Snapshot, storeID: StoreID?) {
        self.snapshot = snapshot
        self.storeID = storeID
    }

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        guard let hierarchy = snapshot.schema.hierarchy(root) else { return nil }
        guard let stored = try snapshot.stored(reference, in: hierarchy) else { return nil }
        return try snapshot.rows.expanded(stored)
    }

    func destinations(of relationship: RelationshipDescription, root: EntityIndex, owner: Row) throws -> [Row] {
        try Destinations(snapshot: snapshot).of(relationship, owner: owner.reference).compactMap {
            try row(root: root, reference: $0.reference)
        }
    }
}

extension MappedSource: RowSource {
    static var rowsOutliveSnapshot: Bool { false }
    static var traversesBackwardByReference: Bool { true }
    var sortsByIndex: Bool { true }

    func rowCount(root: EntityIndex) throws -> Int { try unsafe Records.count(snapshot.transaction, snapshot.hierarchy(root).rows) }

    func count(_ entities: Range<EntityIndex>, root: EntityIndex) throws -> Int? {
        let hierarchy = try snapshot.hierarchy(root)
        return unsafe entities == hierarchy.entities ? try Records.count(snapshot.transaction, hierarchy.rows) : nil
    }

    func indexes(root: EntityIndex) -> [IndexDescription] { snapshot.schema.descriptions[root] }

    func find(_ match: IndexMatch, root: EntityIndex) throws -> (any IndexPart)? { IndexEntries(match, snapshot) }

    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64] {
        guard let links = snapshot.schema.links[table] else { return [] }
        return try unsafe LinkEntry.entries(snapshot.transaction, links.database(side), of: reference).map(\.other)
    }

    // MARK: - Rows

    func scan(root: EntityIndex, _ body: (StoredRow) throws -> Bool) throws { try snapshot.scan(snapshot.hierarchy(root), body) }

    func scan(root: EntityIndex, from first: Int64, _ body: (StoredRow) throws -> Bool) throws {
        try snapshot.scan(snapshot.hierarchy(root), from: first, body)
    }

    func visit(root: EntityIndex, _ references: [Int64], _ body: (StoredRow) throws -> Bool) throws {
        let hierarchy = try snapshot.hierarchy(root)
        for reference in references {
            if let stored = try snapshot.stored(reference, in: hierarchy), try !body(stored) { return }
        }
    }

    func traverse(_ part: any IndexPart, root: EntityIndex, isBackward: Bool, _ body: (StoredRow) throws -> Bool) throws -> Bool {
        guard let entries = part as? IndexEntries, let ranges = entries.ranges else { return false }
        let hierarchy = try snapshot.hierarchy(root)
        let cursor = try unsafe Cursor(snapshot.transaction, entries.index.database)
        for range in isBackward ? ranges.reversed() : ranges {
            var found = try isBackward ? last(before: range.upper, cursor) : cursor.seek(notBefore: range.lower)
            while found, unsafe isBackward ? range.isFrom(start: cursor.key) : range.isBefore(end: cursor.key) {
                if unsafe KeyEncoder.isCut(cursor.key.mv_size) { return false }
                if isBackward { _ = try cursor.move(MDB_FIRST_DUP) }
                repeat {
                    let reference = try unsafe snapshot.reference(cursor.value)
                    guard let stored = try snapshot.stored(reference, in: hierarchy) else {
                        throw StoreError.damaged(
                            "index \(entries.index.name) names row \(reference), which is not there", path: snapshot.rows.path)
                    }
                    if try !body(stored) { return true }
                } while try cursor.move(MDB_NEXT_DUP)
                found = try cursor.move(isBackward ? MDB_PREV_NODUP : MDB_NEXT_NODUP)
            }
        }
        return true
    }

    private func last(before upper: [UInt8]?, _ cursor: Cursor) throws -> Bool {
        if let upper, try cursor.seek(notBefore: upper) { return try cursor.move(MDB_PREV_NODUP) }
        // After the last entry LMDB finds no next one, not even a duplicate, until the key is looked up.
        return try unsafe cursor.move(MDB_LAST) && cursor.seek(cursor.key.bytes, MDB_SET_KEY)
    }

    @inline(__always) func row(_ stored: StoredRow) -> Row { stored.row }

    func outlyingSlots(root: EntityIndex) -> Set<Slot> { snapshot.schema.externalSlotsOfHierarchy[root] }

    func complete(_ stored: StoredRow) throws -> StoredRow {
        stored.isTagged ? StoredRow(row: try snapshot.rows.expanded(stored), isTagged: false) : stored
    }

    @inline(__always)
    func copy(_ stored: StoredRow, _ writer: inout RowWriter) throws -> Row { try snapshot.rows.copy(stored, &writer) }
}
