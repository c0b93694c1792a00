import CStrataLMDB
import StrataEngine

/// The part of an index with the rows of some keys.
final class IndexEntries: IndexPart {
    private enum Keys {
        /// The rows with some whole keys, ascending.
        case keys([[UInt8]])
        /// The rows with keys in some ranges, ascending.
        case ranges([KeyRange])
        /// The rows with one of some references in a to-one slot.
        case owners([Int64])
    }

    let index: StoreSchema.Index
    private let keys: Keys
    private let snapshot: Snapshot
    /// The references, ascending, once they are all known.
    private var known: [Int64]?

    /// Finds the entries with the keys of a match; `nil` if the index cannot look them up.
    init?(_ match: IndexMatch, _ snapshot: Snapshot) {
        index = snapshot.schema.indexes[match.index.position]
        self.snapshot = snapshot
        guard let keys = IndexEntries.keys(match, index) else { return nil }
        self.keys = keys
    }

    var isExact: Bool { if case .ranges(let ranges) = keys { ranges.allSatisfy(\.isExact) } else { true } }

    /// The keys as ranges, ascending; `nil` for an index of references, which is not in the order of its rows.
    var ranges: [KeyRange]? {
        switch keys {
        case .keys(let keys): keys.map { KeyRange($0) }
        case .ranges(let ranges): ranges
        case .owners: nil
        }
    }

    func count(upTo limit: Int) throws -> Int {
        if let known { return known.count }
        let references = try collect(upTo: limit)
        if references.count > limit { return references.count }
        let sorted = isOneKey ? references : references.sortedUniquely()
        known = sorted
        return references.count
    }

    func references() throws -> [Int64] {
        if let known { return known }
        let references = try collect(upTo: .max)
        return isOneKey ? references : references.sortedUniquely()
    }

    /// Whether all entries have one key, under which LMDB sorts the references.
    private var isOneKey: Bool {
        switch keys {
        case .keys(let keys): keys.count == 1
        case .owners(let owners): owners.count == 1
        case .ranges: false
        }
    }

    /// Returns the references of a part; all of them unless there are more than `limit`.
    private func collect(upTo limit: Int) throws -> [Int64] {
        if case .keys(let keys) = keys, keys.count == 1, index.isUnique {
            return try unsafe keys[0].withUnsafeBytes { try unsafe Records.get(snapshot.transaction, index.database, $0) }.map {
                unsafe [try snapshot.reference($0)]
            }
                ?? []
        }
        var references: [Int64] = []
        let cursor = try unsafe Cursor(snapshot.transaction, index.database)
        /// Adds the entry at the cursor and those behind it of the same key, up to the limit.
        func addDuplicates() throws {
            repeat {
                try unsafe references.append(snapshot.reference(cursor.value))
            } while try references.count <= limit
                && cursor.move(MDB_NEXT_DUP)
        }
        switch keys {
        case .keys(let keys):
            for key in keys where try references.count <= limit && cursor.seek(key, MDB_SET_KEY) { try addDuplicates() }
        case .ranges(let ranges):
            for range in ranges {
                var found = try cursor.seek(notBefore: range.lower)
                while found, unsafe range.isBefore(end: cursor.key) {
                    try unsafe references.append(snapshot.reference(cursor.value))
                    if references.count > limit { return references }
                    found = try cursor.move(MDB_NEXT)
                }
            }
        case .owners(let owners):
            for owner in owners where try references.count <= limit && cursor.seek(owner, MDB_SET_KEY) { try addDuplicates() }
        }
        return references
    }

    private static func keys(_ match: IndexMatch, _ index: StoreSchema.Index) -> Keys? {
        if index.isInverse {
            var owners: [Int64] = []
            owners.reserveCapacity(match.combinations)
            for combination in 0..<match.combinations {
                if case .word(let word)? = match.prefix(combination).first { owners.append(Int64(bitPattern: word ^ 1 << 63)) }
            }
            return .owners(owners)
        }
        return match.isOneKey ? wholeKeys(match, index) ?? ranges(match, index) : ranges(match, index)
    }

    /// Returns the keys, if each is within LMDB's limit.
    private static func wholeKeys(_ match: IndexMatch, _ index: StoreSchema.Index) -> Keys? {
        var keys: [[UInt8]] = []
        keys.reserveCapacity(match.combinations)
        for combination in 0..<match.combinations {
            let key = KeyEncoder.prefix(match.prefix(combination), index.elements)
            guard key.count < KeyEncoder.cutLength else { return nil }
            keys.append(key)
        }
        if keys.count > 1, isDownward(match, index) { keys.sort { $0.lexicographicallyPrecedes($1) } }
        return .keys(keys)
    }

    private static func ranges(_ match: IndexMatch, _ index: StoreSchema.Index) -> Keys? {
        var ranges: [KeyRange] = []
        ranges.reserveCapacity(match.combinations)
        let next = match.depth < index.elements.count ? index.elements[match.depth] : nil
        for combination in 0..<match.combinations {
            var (keys, element) = (match.prefix(combination), next)
            var intervals = match.intervals ?? [KeySet.Interval(from: .before(.null), to: .end)]
            // Of whole keys, those of the last one are an interval behind the others.
            if match.intervals == nil, let last = keys.popLast() {
                element = index.elements[keys.count]
                intervals = [KeySet.Interval(from: .before(last), to: .after(last))]
            }
            let prefix = KeyEncoder.prefix(keys, index.elements)
            for interval in intervals {
                let range = KeyRange(
                    prefix: prefix, from: ByteCut(interval.from, element?.kind), to: ByteCut(interval.to, element?.kind),
                    ascending: element?.isAscending ?? true)
                guard let range else { return nil }
                ranges.append(range)
            }
        }
        if ranges.count > 1, isDownward(match, index) { ranges.sort { $0.lower.lexicographicallyPrecedes($1.lower) } }
        return .ranges(ranges)
    }

    /// Returns whether keys of the element come in descending order.
    private static func isDownward(_ match: IndexMatch, _ index: StoreSchema.Index) -> Bool {
        index.elements.prefix(match.depth + 1).contains { !$0.isAscending }
    }
}
