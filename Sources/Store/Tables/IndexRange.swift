import StrataModel

/// The part of an index in which the rows lie that have some keys.
struct IndexRange {
    /// The index, as a place among those of the tree.
    let index: Int
    /// The root of the tree.
    let root: Int
    /// The places of the entries, each range upward, and they too.
    let ranges: [Range<Int>]
    /// Whether the rows of each range all have one key, so that they come by reference.
    let isOneKey: Bool

    /// The number of entries.
    var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// Finds where the rows are.
    init(_ match: IndexMatch, root: Int, _ tree: EntryTree<IndexOrder>, _ rows: RowTable) {
        index = match.index.place
        self.root = root
        isOneKey = match.isOneKey
        let elements = match.index.elements
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(match.prefixes.count)
        for prefix in match.prefixes {
            var search = IndexSearch(tree: tree, rows: rows)
            for (element, key) in zip(elements, prefix) { search.narrow(.init(from: .before(key), to: .after(key)), element) }
            guard let intervals = match.intervals else {
                if !search.range.isEmpty { ranges.append(search.range) }
                continue
            }
            for interval in intervals {
                var part = search
                part.narrow(interval, elements[prefix.count])
                if !part.range.isEmpty { ranges.append(part.range) }
            }
        }
        // Keys of an element that runs downward come in the opposite order.
        if elements.contains(where: { !$0.isAscending }) { ranges.sort { $0.lowerBound < $1.lowerBound } }
        self.ranges = ranges
    }
}

/// A part of an index that becomes narrower.
private struct IndexSearch {
    let tree: EntryTree<IndexOrder>
    let rows: RowTable
    private(set) var range: Range<Int>
    private var isWhole = true

    init(tree: EntryTree<IndexOrder>, rows: RowTable) {
        self.tree = tree
        self.rows = rows
        range = 0..<tree.count
    }

    mutating func narrow(_ interval: KeySet.Interval, _ element: IndexShape.Element) {
        let (from, to) = element.isAscending ? (interval.from, interval.to) : (interval.to, interval.from)
        let lower = place(of: from, element)
        range = lower..<max(lower, place(of: to, element))
        isWhole = false
    }

    /// The place of the first entry behind a cut.
    private func place(of cut: KeyCut, _ element: IndexShape.Element) -> Int {
        let (key, isAfter): (IndexKey, Bool)
        switch cut {
        case .end: return element.isAscending ? range.upperBound : range.lowerBound
        case .before(let bound): (key, isAfter) = (bound, false)
        case .after(let bound): (key, isAfter) = (bound, true)
        }
        func isBefore(_ row: Row) -> Bool {
            let ordering = key.order(row, element)
            return (ordering == .less || (isAfter && ordering == .equal)) == element.isAscending
        }
        if isWhole {
            let word = key.word
            let isDecisive = KeyWord.isDecisive(word, element.kind)
            return tree.lowerBound { entry in
                if entry.word != word { return entry.word < word }
                if isDecisive { return isAfter }
                return rows[entry.reference].map(isBefore) ?? false
            }
        }
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high {
            let middle = (low + high) / 2
            var passes = false
            tree.forEach(in: middle..<(middle + 1)) { entry in
                passes = rows[entry.reference].map(isBefore) ?? false
                return false
            }
            if passes { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension IndexKey {
    /// How the content of a row's slot stands to the key.
    fileprivate func order(_ row: Row, _ element: IndexShape.Element) -> Ordering {
        if row.isNull(element.slot) { return self == .null ? .equal : .less }
        switch self {
        case .null: return .greater
        case .word(let word): return Ordering(KeyWord.of(row, element), word)
        case .bytes(let bytes): return bytes.withUnsafeBytes { bytes in row.bytes(element.slot).map { compareBytes($0, bytes) } ?? .less }
        }
    }

    /// The word of a row whose slot, the first of the index, holds the key.
    fileprivate var word: UInt64 {
        switch self {
        case .null: 0
        case .word(let word): word
        case .bytes(let bytes): bytes.withUnsafeBytes { KeyWord.of($0) }
        }
    }
}
