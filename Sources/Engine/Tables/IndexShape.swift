/// An entry of an index: a row, and a word that is less than another row's only where the row's key is.
struct IndexEntry: Sendable {
    let word: UInt64
    let reference: Int64
}

/// The definition of an index: slots of the rows of an entity and its sub-entities.
///
/// Rows without a value come first, NaN after all numbers, text and bytes are ordered by bytes, and rows with equal
/// keys by reference.
struct IndexShape: Sendable {
    /// The indexes of the entities whose rows are in the index.
    let entities: Range<EntityIndex>
    /// The key, the most significant slot first, which is ascending.
    let elements: [IndexDescription.Element]

    func holds(_ row: Row) -> Bool { entities.contains(row.entityIndex) }

    func entry(of row: Row) -> IndexEntry { IndexEntry(word: KeyWord.of(row, elements[0]), reference: row.reference) }

    func areEqual(_ a: Row, _ b: Row) -> Bool { elements.allSatisfy { a.slot($0.slot, $0.kind, equals: b) } }

    /// Returns whether a row has another entry than the row that it replaces.
    func isMoved(from old: Row?, to new: Row?) -> Bool {
        switch (old.map(holds) ?? false, new.map(holds) ?? false) {
        case (false, false): false
        case (true, true): if let old, let new { !areEqual(old, new) } else { false }
        default: true
        }
    }

    func compare(_ a: Row, _ b: Row) -> Ordering {
        for element in elements {
            let ordering = KeyWord.compare(a, b, element)
            if ordering != .equal { return element.isAscending ? ordering : ordering.reversed }
        }
        return .equal
    }

    func isDecisive(_ word: UInt64) -> Bool { elements.count == 1 && KeyWord.isDecisive(word, elements[0].kind) }

    /// Builds the index of all rows of a table.
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
            sorted: KeyWord.sort(rows, by: .init(element: elements[0]), isDecisive: isDecisive, compare).map { key in
                IndexEntry(word: key.word, reference: rows[key.position].reference)
            })
    }
}

/// The order of an index over the rows of a table, which has every row of an entry.
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
