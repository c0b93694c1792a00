import CLMDB
import StrataModel
import StrataQuery
import StrataStore

/// Finds rows within a snapshot, by reference, relationship and index; its rows are not to be kept.
// A class, so that handing it to a test of a row as a resolver costs nothing.
final class MappedResolver: RowResolver {
    let snapshot: Snapshot
    let uuid: String

    init(snapshot: Snapshot, uuid: String) {
        self.snapshot = snapshot
        self.uuid = uuid
    }

    var storeUUID: String? { uuid }

    func row(root: Int, reference: Int64) throws -> Row? {
        guard let tree = snapshot.schema.trees[root] else { return nil }
        guard let stored = try snapshot.stored(reference, in: tree) else { return nil }
        return try snapshot.rows.expanded(stored)
    }

    func destinations(of relationship: RelationshipDescription, root: Int, owner: Row) throws -> [Row] {
        try Destinations(snapshot: snapshot).of(relationship, owner: owner.reference).compactMap {
            try row(root: root, reference: $0.reference)
        }
    }
}

/// A part of an index.
struct IndexEntries {
    enum Keys {
        /// The rows with keys in some ranges, upward.
        case ranges([KeyRange])
        /// The rows whose to-one slot holds one of some references.
        case owners([Int64])
    }

    let index: Schema.Index
    let keys: Keys
    /// The references, upward, once they are all known.
    fileprivate(set) var references: [Int64]?
}

extension MappedResolver: IndexedRows {
    typealias Entries = IndexEntries

    static var sortsByIndex: Bool { true }

    func rowCount(root: Int) throws -> Int { try Records.count(snapshot.transaction, snapshot.tree(root).rows) }

    func indexes(root: Int) -> [IndexDescription] { snapshot.schema.descriptions[root] ?? [] }

    func find(_ match: IndexMatch, root: Int) throws -> IndexEntries? {
        let index = snapshot.schema.indexes[match.index.place]
        if index.isInverse {
            let owners = match.prefixes.compactMap { prefix in
                if case .word(let word)? = prefix.first { Int64(bitPattern: word ^ 1 << 63) } else { nil }
            }
            return IndexEntries(index: index, keys: .owners(owners))
        }
        var ranges: [KeyRange] = []
        ranges.reserveCapacity(match.prefixes.count)
        let next = match.depth < index.elements.count ? index.elements[match.depth] : nil
        for keys in match.prefixes {
            guard let last = keys.last, match.intervals == nil else {
                let prefix = KeyEncoder.prefix(keys, index.elements)
                for interval in match.intervals ?? [KeySet.Interval(from: .before(.null), to: .end)] {
                    let range = KeyRange(
                        prefix: prefix, from: ByteCut(interval.from, next?.kind), to: ByteCut(interval.to, next?.kind),
                        ascending: next?.isAscending ?? true)
                    guard let range else { return nil }
                    ranges.append(range)
                }
                continue
            }
            let element = index.elements[keys.count - 1]
            let range = KeyRange(
                prefix: KeyEncoder.prefix(Array(keys.dropLast()), index.elements), from: ByteCut(.before(last), element.kind),
                to: ByteCut(.after(last), element.kind), ascending: element.isAscending)
            guard let range else { return nil }
            ranges.append(range)
        }
        // Keys of an element that runs downward come in the opposite order.
        if ranges.count > 1, index.elements.prefix(match.depth + 1).contains(where: { !$0.isAscending }) {
            ranges.sort { $0.lower.lexicographicallyPrecedes($1.lower) }
        }
        return IndexEntries(index: index, keys: .ranges(ranges))
    }

    func isExact(_ entries: IndexEntries) -> Bool {
        if case .ranges(let ranges) = entries.keys { ranges.allSatisfy(\.isExact) } else { true }
    }

    func count(_ entries: inout IndexEntries, upTo limit: Int) throws -> Int {
        if let known = entries.references { return known.count }
        let references = try collect(entries, upTo: limit)
        if references.count <= limit { entries.references = references.sortedUniquely() }
        return references.count
    }

    func references(_ entries: IndexEntries) throws -> [Int64] {
        try entries.references ?? collect(entries, upTo: .max).sortedUniquely()
    }

    /// The references of a part, of which there may be more than those returned only where they are more than `limit`.
    private func collect(_ entries: IndexEntries, upTo limit: Int) throws -> [Int64] {
        var references: [Int64] = []
        let cursor = try Cursor(snapshot.transaction, entries.index.database)
        switch entries.keys {
        case .ranges(let ranges):
            for range in ranges {
                var found = try cursor.seek(notBefore: range.lower)
                while found, range.isBefore(end: cursor.key) {
                    try references.append(snapshot.reference(cursor.value))
                    if references.count > limit { return references }
                    found = try cursor.move(MDB_NEXT)
                }
            }
        case .owners(let owners):
            for owner in owners where try cursor.seek(owner, MDB_SET_KEY) {
                repeat {
                    try references.append(snapshot.reference(cursor.value))
                    if references.count > limit { return references }
                } while try cursor.move(MDB_NEXT_DUP)
            }
        }
        return references
    }

    func visit(root: Int, _ references: [Int64]?, for predicate: ResolvedPredicate?, _ body: (Row) throws -> Bool) throws {
        let tree = try snapshot.tree(root)
        let source = RowSource(snapshot: snapshot, tree: tree, entities: tree.entities)
        let expands = predicate.map { ExternalUse.isMade(by: $0, tree.entities, snapshot.schema) } ?? false
        func visit(_ stored: StoredRow) throws -> Bool { try body(expands ? snapshot.rows.expanded(stored) : stored.row) }
        if let references { try source.visit(references, visit) } else { try source.scan(visit) }
    }

    func linked(_ table: Int, _ side: LinkSide, _ reference: Int64) throws -> [Int64] {
        guard let links = snapshot.schema.links[table] else { return [] }
        return try LinkEntry.entries(snapshot.transaction, links.database(side), of: reference).map(\.other)
    }
}
