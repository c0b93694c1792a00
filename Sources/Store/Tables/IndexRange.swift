import StrataModel
import StrataQuery

/// The part of an index in which the rows lie that meet some conditions.
struct IndexRange {
    /// The index, as a place among those of the tree.
    let index: Int
    /// The places of the entries, each range upward.
    let ranges: [Range<Int>]
    /// The conditions, by place among the plan's, that all these rows meet.
    let met: [Int]
    /// Whether the rows of each range all have one key, so that they come by reference.
    let isOneKey: Bool

    /// The number of entries.
    var count: Int { ranges.reduce(0) { $0 + $1.count } }

    /// Finds where the rows are, as far as the index's slots go along with the conditions; `nil` where the first does not.
    init?(_ index: Int, _ shape: IndexShape, _ tree: EntryTree<IndexOrder>, _ rows: RowTable, _ conditions: [SlotCondition]) {
        var searches = [Search(shape: shape, tree: tree, rows: rows)]
        var met: [Int] = []
        var isOneKey = true
        for element in shape.elements {
            // Text of a decimal number does not follow its magnitude, and equal bytes of transformables say nothing.
            guard element.kind != .decimal, element.kind != .transformable else { break }
            let own = conditions.filter { $0.slot == element.slot }
            if own.isEmpty {
                isOneKey = false
                break
            }
            guard let (number, keys) = own.lazy.compactMap(\.keys).first else {
                searches = searches.map { search in own.reduce(search) { $0.narrowed(by: $1.form, element) } }
                met += own.map(\.number)
                isOneKey = false
                break
            }
            searches = searches.flatMap { search in keys.map { search.narrowed(to: $0, element) } }
            met.append(number)
        }
        guard !met.isEmpty else { return nil }
        if shape.elements.contains(where: { $0.kind == .decimal || $0.kind == .transformable }) { isOneKey = false }
        self.index = index
        self.met = met
        self.isOneKey = isOneKey
        // The same key twice in a list is one.
        if searches.count == 1 {
            ranges = searches[0].range.isEmpty ? [] : [searches[0].range]
            return
        }
        var ranges: [Range<Int>] = []
        for range in searches.map(\.range).sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
            if ranges.last != range { ranges.append(range) }
        }
        self.ranges = ranges
    }

    /// A part of an index that becomes narrower.
    private struct Search {
        let shape: IndexShape
        let tree: EntryTree<IndexOrder>
        let rows: RowTable
        var range: Range<Int>

        init(shape: IndexShape, tree: EntryTree<IndexOrder>, rows: RowTable) {
            self.shape = shape
            self.tree = tree
            self.rows = rows
            range = 0..<tree.count
        }

        func narrowed(to key: SlotCondition.Key, _ element: IndexShape.Element) -> Search {
            if isWhole(element), KeyWord.isDecisive(key.word, element.kind) {
                return clamped(tree.lowerBound { $0.word < key.word }, tree.lowerBound { $0.word <= key.word })
            }
            return clamped(
                bound(element, key.word) { key.order($0, element) == .less },
                bound(element, key.word) { key.order($0, element) != .greater })
        }

        func narrowed(by form: SlotCondition.Form, _ element: IndexShape.Element) -> Search {
            switch form {
            case .among(let keys): return keys.first.map { narrowed(to: $0, element) } ?? self
            case .prefix(let bytes):
                return clamped(
                    bound(element, nil) { Search.order($0, prefix: bytes, element) == .less },
                    bound(element, nil) { Search.order($0, prefix: bytes, element) != .greater })
            case .range(let from, let includesFrom, let to, let includesTo):
                let from = from ?? .null
                let lower = bound(element, from.word) { row in
                    let ordering = from.order(row, element)
                    return ordering == .less || (ordering == .equal && !includesFrom)
                }
                let upper = bound(element, to?.word) { row in
                    // Without an upper bound a NaN is the bound, which no other number reaches.
                    guard let to else { return element.kind.isVariable || element.kind == .integer || KeyWord.of(row, element) != .max }
                    let ordering = to.order(row, element)
                    return ordering == .less || (ordering == .equal && includesTo)
                }
                return clamped(lower, upper)
            }
        }

        /// Whether the entries still follow each other by the words of an element.
        private func isWhole(_ element: IndexShape.Element) -> Bool { element == shape.elements[0] && range == 0..<tree.count }

        /// The first place in the range where a test of the row fails that holds up to a key, whose word decides where it can.
        private func bound(_ element: IndexShape.Element, _ word: UInt64?, _ isBefore: (Row) -> Bool) -> Int {
            if isWhole(element) {
                return tree.lowerBound { entry in
                    if let word, entry.word != word { return entry.word < word }
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

        private func clamped(_ lower: Int, _ upper: Int) -> Search {
            var search = self
            let start = min(max(lower, range.lowerBound), range.upperBound)
            search.range = start..<min(max(upper, start), range.upperBound)
            return search
        }

        private static func order(_ row: Row, prefix: [UInt8], _ element: IndexShape.Element) -> Ordering {
            guard let bytes = row.bytes(element.slot) else { return .less }
            return prefix.withUnsafeBytes { prefix in
                compareBytes(UnsafeRawBufferPointer(rebasing: bytes.prefix(prefix.count)), prefix)
            }
        }
    }
}
