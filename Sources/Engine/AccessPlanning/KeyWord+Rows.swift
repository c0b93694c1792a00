extension IndexKey {
    /// Creates the key of a row's slot, for an engine that keeps its indexes as keys.
    public init(_ row: Row, _ element: IndexDescription.Element) {
        if row.isNull(element.slot) {
            self = .null
        } else if element.kind.isVariable, element.kind != .decimal {
            self = unsafe row.bytes(element.slot).map { unsafe .bytes(Array($0)) } ?? .null
        } else {
            self = .word(KeyWord.of(row, element))
        }
    }
}

extension KeyWord {
    static func of(_ row: Row, _ element: IndexDescription.Element) -> UInt64 {
        if row.isNull(element.slot) { return 0 }
        switch element.kind {
        case .integer, .boolean, .reference, .entity, .order: return of(Int64(bitPattern: row.rawWord(element.slot)))
        case .double, .float, .date: return of(Double(bitPattern: row.rawWord(element.slot)))
        case .decimal:
            if let number = row.decimal(element.slot)?.nearestDouble { return of(number) }
            return unsafe row.bytes(element.slot).map { unsafe of(Double(String(decoding: $0, as: UTF8.self)) ?? .nan) } ?? 0
        case .string, .uri, .uuid, .binary, .transformable: return unsafe row.bytes(element.slot).map { unsafe of($0) } ?? 0
        }
    }

    /// Returns whether equal words mean equal contents: not for long texts and decimals, nor between null and the least
    /// integer.
    static func isDecisive(_ word: UInt64, _ kind: SlotKind) -> Bool {
        kind == .decimal ? false : kind.isVariable ? word & 0xFF != 9 : word != 0
    }

    /// Compares the contents of a slot in two rows.
    static func compare(_ a: Row, _ b: Row, _ element: IndexDescription.Element) -> Ordering {
        let (isNullA, isNullB) = (a.isNull(element.slot), b.isNull(element.slot))
        if isNullA || isNullB { return Ordering(isNullA ? 0 : 1, isNullB ? 0 : 1) }
        guard element.kind.isVariable else { return Ordering(of(a, element), of(b, element)) }
        guard let left = unsafe a.bytes(element.slot), let right = unsafe b.bytes(element.slot) else { return .equal }
        if element.kind == .decimal {
            let (x, y) = (of(a, element), of(b, element))
            return x != y ? Ordering(x, y) : (a.decimal(element.slot) ?? .nan).sortOrder(b.decimal(element.slot) ?? .nan)
        }
        return unsafe compareBytes(left, right)
    }

    @usableFromInline
    static func areEqual(_ a: Row, _ b: Row, _ elements: ArraySlice<IndexDescription.Element>) -> Bool {
        elements.allSatisfy { compare(a, b, $0) == .equal }
    }

    /// The index of a row in an array, with its word.
    struct Key {
        let word: UInt64
        let position: Int
    }

    /// An order of rows by the words of one slot.
    struct Order {
        let element: IndexDescription.Element
        var isAscending = true
        /// The number of first rows that are needed; `nil` for all.
        var limit: Int?
    }

    /// Sorts rows that are in the order of their references.
    ///
    /// - Parameters:
    ///   - isDecisive: Whether rows with equal words are ordered by reference.
    ///   - compare: Compares two rows with equal words, in the requested order.
    static func sort(
        _ rows: [Row], by order: Order, isDecisive: (UInt64) -> Bool, _ compare: (Row, Row) throws -> Ordering
    ) rethrows -> [Key] {
        let flip: UInt64 = order.isAscending ? 0 : .max
        return try unsafe rows.withUnsafeBufferPointer { rows in
            func precedes(_ a: Key, _ b: Key) throws -> Bool {
                if a.word != b.word { return a.word < b.word }
                if isDecisive(a.word ^ flip) { return a.position < b.position }
                let ordering = try unsafe compare(rows[a.position], rows[b.position])
                return ordering == .less || (ordering == .equal && a.position < b.position)
            }
            func key(_ position: Int) -> Key { unsafe Key(word: of(rows[position], order.element) ^ flip, position: position) }
            if let limit = order.limit, limit < rows.count / 2 {
                return try rows.indices.lazy.map(key).smallest(limit, by: precedes)
            }
            var keys = rows.indices.map(key)
            sortByWord(&keys)
            // Only rows with equal words are read again.
            var start = 0
            while start < keys.count {
                let word = keys[start].word
                var end = start + 1
                while end < keys.count && keys[end].word == word { end += 1 }
                if end - start > 1 && !isDecisive(word ^ flip) { try keys[start..<end].sort(by: precedes) }
                start = end
            }
            return keys
        }
    }

    /// Sorts keys by their words, and those of equal words by position; rows are mostly in the order of a reference already.
    private static func sortByWord(_ keys: inout [Key]) {
        if zip(keys, keys.dropFirst()).allSatisfy({ $0.word <= $1.word }) { return }
        keys.sort { $0.word != $1.word ? $0.word < $1.word : $0.position < $1.position }
    }
}
