/// The part of an index with the rows of some keys.
final class IndexRange: IndexPart {
    private let tree: EntryTree<IndexOrder>
    /// The positions of the entries, as ascending ranges.
    private let ranges: [Range<Int>]
    /// Whether the entries are in the order of references.
    private let isByReference: Bool
    private let count: Int
    /// The references of the entries in order, where the search read them.
    private let known: [Int64]?

    let isExact = true

    /// Finds the positions of the rows.
    init(_ match: IndexMatch, _ tree: EntryTree<IndexOrder>, _ rows: RowTable) {
        self.tree = tree
        let elements = match.index.elements
        var ranges: [Range<Int>] = []
        var known: [Int64] = []
        var isKnown = true
        func find(from: IndexKeys, isAfter isFromAfter: Bool, to: IndexKeys, isAfter isToAfter: Bool) {
            let found = tree.range(
                from: { from.follow($0, rows, orEqual: isFromAfter) }, to: { to.follow($0, rows, orEqual: isToAfter) },
                visit: { entries in for entry in entries { known.append(entry.reference) } })
            if found.positions.isEmpty { return }
            ranges.append(found.positions)
            if !found.isVisited { isKnown = false }
        }
        for combination in 0..<match.combinations {
            let prefix = match.prefix(combination)
            guard let intervals = match.intervals else {
                let keys = IndexKeys(prefix, elements)
                find(from: keys, isAfter: false, to: keys, isAfter: true)
                continue
            }
            for interval in intervals {
                let isAscending = elements[match.depth].isAscending
                let (lower, upper) = isAscending ? (interval.from, interval.to) : (interval.to, interval.from)
                let (from, isFromAfter) = IndexRange.position(of: lower, behind: prefix, elements)
                let (to, isToAfter) = IndexRange.position(of: upper, behind: prefix, elements)
                find(from: from, isAfter: isFromAfter, to: to, isAfter: isToAfter)
            }
        }
        // Keys of a descending element are in the opposite order.
        if ranges.count > 1 { ranges.sort { $0.lowerBound < $1.lowerBound } }
        self.ranges = ranges
        self.known = isKnown ? known : nil
        count = ranges.reduce(0) { $0 + $1.count }
        isByReference = count <= 1 || (match.isOneKey && ranges.count == 1)
    }

    func count(upTo limit: Int) -> Int { count }

    func references() -> [Int64] {
        if let known { return isByReference ? known : known.sortedUpward() }
        var references: [Int64] = []
        references.reserveCapacity(count)
        for range in ranges {
            tree.forEach(in: range) { entry in
                references.append(entry.reference)
                return true
            }
        }
        return isByReference ? references : references.sortedUpward()
    }

    func traverse(_ rows: RowTable, isBackward: Bool, _ body: (Row) throws -> Bool) rethrows {
        var continues = true
        func take(_ entry: IndexEntry) throws -> Bool {
            if let row = rows[entry.reference] { continues = try body(row) }
            return continues
        }
        for range in isBackward ? ranges.reversed() : ranges where continues {
            if isBackward {
                try tree.forEachReversed(in: range, take)
            } else {
                try tree.forEach(in: range, take)
            }
        }
    }

    /// Returns the position of a cut among the keys of the element behind a prefix: keys, and whether it is after them.
    private static func position(
        of cut: KeyCut, behind prefix: ArraySlice<IndexKey>, _ elements: [IndexDescription.Element]
    ) -> (keys: IndexKeys, isAfter: Bool) {
        let isAscending = elements[prefix.count].isAscending
        return switch cut {
        case .end: (IndexKeys(prefix, elements), isAscending)
        case .before(let key): (IndexKeys(prefix + [key], elements), !isAscending)
        case .after(let key): (IndexKeys(prefix + [key], elements), isAscending)
        }
    }
}

private struct IndexKeys {
    private let keys: ArraySlice<IndexKey>
    private let elements: [IndexDescription.Element]
    private let word: UInt64
    /// Whether all entries with the word have the keys.
    private let isDecisive: Bool

    init(_ keys: ArraySlice<IndexKey>, _ elements: [IndexDescription.Element]) {
        self.keys = keys
        self.elements = elements
        word = keys.first?.word ?? 0
        isDecisive = keys.count <= 1 && (keys.isEmpty || KeyWord.isDecisive(word, elements[0].kind))
    }

    /// Returns whether the keys follow those of an entry, or equal them where `orEqual`.
    func follow(_ entry: IndexEntry, _ rows: RowTable, orEqual: Bool) -> Bool {
        if keys.isEmpty { return orEqual }
        if entry.word != word { return entry.word < word }
        if isDecisive { return orEqual }
        guard let row = rows[entry.reference] else { return false }
        for position in 0..<keys.count {
            let ordering = keys[keys.startIndex + position].order(row, elements[position])
            if ordering != .equal { return (ordering == .less) == elements[position].isAscending }
        }
        return orEqual
    }
}

extension IndexKey {
    /// Compares the content of a row's slot with the key.
    fileprivate func order(_ row: Row, _ element: IndexDescription.Element) -> Ordering {
        if row.isNull(element.slot) { return self == .null ? .equal : .less }
        switch self {
        case .null: return .greater
        case .word(let word): return Ordering(KeyWord.of(row, element), word)
        case .bytes(let bytes):
            return unsafe bytes.withUnsafeBytes { bytes in unsafe row.bytes(element.slot).map { unsafe compareBytes($0, bytes) } ?? .less }
        }
    }

    /// The word of a row with the key in its slot, the first of the index.
    fileprivate var word: UInt64 {
        switch self {
        case .null: 0
        case .word(let word): word
        case .bytes(let bytes): unsafe bytes.withUnsafeBytes { unsafe KeyWord.of($0) }
        }
    }
}
