import StrataModel
import StrataStore
import StrataText

/// An entry of an index: a row, and a word that comes before another row's only where the row's key does.
struct IndexEntry: Sendable {
    let word: UInt64
    let reference: Int64
}

/// What an index is over: some slots of the rows of an entity and its sub-entities.
///
/// Rows without a value come first, a NaN after all numbers, text and bytes go by bytes; rows with equal keys go by reference.
struct IndexShape: Sendable {
    /// One slot of the key; the first runs upward.
    typealias Element = IndexDescription.Element

    /// The indexes of the entities whose rows are in the index.
    let entities: Range<Int>
    /// The key, the most significant slot first.
    let elements: [Element]

    /// Whether the index holds a row.
    func holds(_ row: Row) -> Bool { entities.contains(row.entityIndex) }

    /// The entry of a row.
    func entry(of row: Row) -> IndexEntry { IndexEntry(word: KeyWord.of(row, elements[0]), reference: row.reference) }

    /// Whether two rows have the same key.
    func areEqual(_ a: Row, _ b: Row) -> Bool { elements.allSatisfy { a.slot($0.slot, $0.kind, equals: b) } }

    /// How the keys of two rows stand to each other.
    func compare(_ a: Row, _ b: Row) -> Ordering {
        for element in elements {
            let ordering = KeyWord.compare(a, b, element)
            if ordering != .equal { return element.isAscending ? ordering : ordering.reversed }
        }
        return .equal
    }

    /// Whether equal words mean equal keys.
    func isDecisive(_ word: UInt64) -> Bool { elements.count == 1 && KeyWord.isDecisive(word, elements[0].kind) }

    /// Makes the index of all rows of a table.
    ///
    /// - Complexity: O(n log n).
    func build(_ table: RowTable) -> EntryTree<IndexOrder> {
        var rows: [Row] = []
        rows.reserveCapacity(table.count)
        table.forEach { row in
            if holds(row) { rows.append(row) }
            return true
        }
        return EntryTree(
            sorted: KeyWord.order(rows, elements[0], isDecisive, ascending: true, compare).map { key in
                IndexEntry(word: key.word, reference: rows[key.place].reference)
            })
    }
}

/// The order of an index over the rows of a table; every row that an entry names is there.
struct IndexOrder: EntryOrder {
    let shape: IndexShape
    let rows: RowTable

    func precedes(_ a: IndexEntry, _ b: IndexEntry) -> Bool {
        if a.word != b.word { return a.word < b.word }
        if a.reference == b.reference { return false }
        if shape.isDecisive(a.word) { return a.reference < b.reference }
        guard let left = rows[a.reference], let right = rows[b.reference] else { return a.reference < b.reference }
        let ordering = shape.compare(left, right)
        return ordering == .less || (ordering == .equal && a.reference < b.reference)
    }
}

extension KeyWord {
    /// The word of a slot; words of equal contents are equal.
    static func of(_ row: Row, _ element: IndexShape.Element) -> UInt64 {
        if row.isNull(element.slot) { return 0 }
        switch element.kind {
        case .integer, .boolean, .reference, .entity, .order: return of(Int64(bitPattern: row.rawWord(element.slot)))
        case .double, .float, .date: return of(Double(bitPattern: row.rawWord(element.slot)))
        case .decimal: return row.bytes(element.slot).map { of(Double(String(decoding: $0, as: UTF8.self)) ?? .nan) } ?? 0
        case .string, .uri, .uuid, .binary, .transformable: return row.bytes(element.slot).map { of($0) } ?? 0
        }
    }

    /// Whether equal words mean equal contents: not for long texts and decimals, nor between no value and the least integer.
    static func isDecisive(_ word: UInt64, _ kind: SlotKind) -> Bool {
        kind == .decimal ? false : kind.isVariable ? word & 0xFF != 9 : word != 0
    }

    /// How the contents of a slot stand to each other in two rows.
    static func compare(_ a: Row, _ b: Row, _ element: IndexShape.Element) -> Ordering {
        let (isNullA, isNullB) = (a.isNull(element.slot), b.isNull(element.slot))
        if isNullA || isNullB { return Ordering(isNullA ? 0 : 1, isNullB ? 0 : 1) }
        guard element.kind.isVariable else { return Ordering(of(a, element), of(b, element)) }
        guard let left = a.bytes(element.slot), let right = b.bytes(element.slot) else { return .equal }
        if element.kind == .decimal {
            let (x, y) = (of(a, element), of(b, element))
            if x != y { return Ordering(x, y) }
        }
        return compareBytes(left, right)
    }

    /// A row's place in an array, with its word.
    struct Key {
        let word: UInt64
        let place: Int
    }

    /// Puts rows in order that are in the order of their references.
    ///
    /// - Parameters:
    ///   - isDecisive: Whether equal words mean that the rows go by reference.
    ///   - compare: How two rows with equal words stand to each other, in the order asked for.
    static func order(
        _ rows: [Row], _ element: IndexShape.Element, _ isDecisive: (UInt64) -> Bool, ascending: Bool,
        _ compare: (Row, Row) throws -> Ordering
    ) rethrows -> [Key] {
        let flip: UInt64 = ascending ? 0 : .max
        var keys: [Key] = []
        keys.reserveCapacity(rows.count)
        for (place, row) in rows.enumerated() { keys.append(Key(word: of(row, element) ^ flip, place: place)) }
        try rows.withUnsafeBufferPointer { rows in
            try keys.sort { a, b in
                if a.word != b.word { return a.word < b.word }
                if isDecisive(a.word ^ flip) { return a.place < b.place }
                let ordering = try compare(rows[a.place], rows[b.place])
                return ordering == .less || (ordering == .equal && a.place < b.place)
            }
        }
        return keys
    }
}
