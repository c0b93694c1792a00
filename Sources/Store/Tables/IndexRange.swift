import StrataModel

/// The part of an index in which the rows lie that have some keys.
final class IndexRange: IndexPart {
    private let tree: EntryTree<IndexOrder>
    /// The places of the entries, each range upward, and they too.
    let ranges: [Range<Int>]
    /// Whether the entries come by reference.
    private let isByReference: Bool
    /// The number of entries.
    private let count: Int
    /// The references of the entries in their order, where they came up in the search.
    private let known: [Int64]?

    let isExact = true

    /// Finds where the rows are.
    init(_ match: IndexMatch, _ tree: EntryTree<IndexOrder>, _ rows: RowTable) {
        self.tree = tree
        let elements = match.index.elements
        var ranges: [Range<Int>] = []
        var known: [Int64] = []
        var isKnown = true
        func add(_ from: IndexPlace, _ to: IndexPlace) {
            let (range, isVisited) = tree.range(from: { from.isBehind($0, rows) }, to: { to.isBehind($0, rows) }) { entries in
                for entry in entries { known.append(entry.reference) }
            }
            if range.isEmpty { return }
            ranges.append(range)
            if !isVisited { isKnown = false }
        }
        for combination in 0..<match.combinations {
            let prefix = match.prefix(combination)
            guard let intervals = match.intervals else {
                add(IndexPlace(prefix, elements, isBehind: false), IndexPlace(prefix, elements, isBehind: true))
                continue
            }
            let element = elements[prefix.count]
            for interval in intervals {
                let (from, to) = element.isAscending ? (interval.from, interval.to) : (interval.to, interval.from)
                add(IndexPlace(prefix, from, elements), IndexPlace(prefix, to, elements))
            }
        }
        // Keys of an element that runs downward come in the opposite order.
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
}

/// A place between the entries of an index: before or behind all whose leading elements have some keys.
private struct IndexPlace {
    private let keys: [IndexKey]
    private let elements: [IndexDescription.Element]
    private let isBehind: Bool
    /// The word of the entries at the place, and whether all entries with it have the keys.
    private let word: UInt64
    private let isDecisive: Bool

    init(_ keys: ArraySlice<IndexKey>, _ elements: [IndexDescription.Element], isBehind: Bool) {
        self.keys = Array(keys)
        self.elements = elements
        self.isBehind = isBehind
        word = keys.first?.word ?? 0
        isDecisive = keys.count == 1 && KeyWord.isDecisive(word, elements[0].kind)
    }

    /// The place of a cut among the keys of the element behind a prefix.
    init(_ prefix: ArraySlice<IndexKey>, _ cut: KeyCut, _ elements: [IndexDescription.Element]) {
        let isAscending = elements[prefix.count].isAscending
        switch cut {
        case .end: self.init(prefix, elements, isBehind: isAscending)
        case .before(let key): self.init(prefix + [key], elements, isBehind: !isAscending)
        case .after(let key): self.init(prefix + [key], elements, isBehind: isAscending)
        }
    }

    /// Whether an entry comes before the place.
    func isBehind(_ entry: IndexEntry, _ rows: RowTable) -> Bool {
        if keys.isEmpty { return isBehind }
        if entry.word != word { return entry.word < word }
        if isDecisive { return isBehind }
        guard let row = rows[entry.reference] else { return false }
        for (place, key) in keys.enumerated() {
            let ordering = key.order(row, elements[place])
            if ordering != .equal { return (ordering == .less) == elements[place].isAscending }
        }
        return isBehind
    }
}

extension IndexKey {
    /// How the content of a row's slot stands to the key.
    fileprivate func order(_ row: Row, _ element: IndexDescription.Element) -> Ordering {
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
