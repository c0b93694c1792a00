/// Sorts rows: by words of the first key where it is a slot of the row, and by whole keys where words are equal.
@usableFromInline
enum RowSorting {
    /// Returns the indices of rows, which are in ascending order of reference, in the order of a plan; throws
    /// `UnavailableValue` where the order needs a value that could not be read.
    ///
    /// - Parameter limit: The number of first rows that are needed; `nil` for all.
    /// - Complexity: O(n log n) comparisons, with a limit mostly O(n).
    @usableFromInline
    static func positions(_ rows: [Row], _ sorts: [ResolvedSort], _ resolver: any RowResolver, first limit: Int? = nil) throws -> [Int] {
        for slot in bytesSlots(sorts) { for row in rows { try row.requireAvailable(slot, .binary) } }
        let order = RowOrder(sorts)
        let first = sorts[0]
        guard first.path.steps.isEmpty, first.options.isEmpty, let slot = first.path.leafSlot else {
            // Texts are folded or collated once each.
            if sorts.contains(where: { !$0.options.isEmpty }) {
                return try order.sorted(Array(rows.indices), first: limit) { (rows[$0], resolver) }
            }
            func precedes(_ a: Int, _ b: Int) throws -> Bool {
                try order.compare(rows[a], with: resolver, to: rows[b], with: resolver) == .less
            }
            if let limit, limit < rows.count / 2 { return try rows.indices.smallest(limit, by: precedes) }
            return try rows.indices.sorted(by: precedes)
        }
        let element = IndexDescription.Element(slot: slot, kind: first.path.leafKind)
        let wordOrder = KeyWord.Order(element: element, isAscending: first.ascending, limit: limit)
        guard sorts.count > 1 else {
            let keys = KeyWord.sort(rows, by: wordOrder, isDecisive: { KeyWord.isDecisive($0, element.kind) }) { a, b in
                let ordering = KeyWord.compare(a, b, element)
                return wordOrder.isAscending ? ordering : ordering.reversed
            }
            return keys.map(\.position)
        }
        return try KeyWord.sort(rows, by: wordOrder, isDecisive: { _ in false }) { a, b in
            try order.compare(a, with: resolver, to: b, with: resolver)
        }.map(\.position)
    }

    /// Returns whether an order depends on bytes that may be lost, as an index over them omits such rows.
    @usableFromInline
    static func needsAvailableBytes(_ sorts: [ResolvedSort]) -> Bool { !bytesSlots(sorts).isEmpty }

    private static func bytesSlots(_ sorts: [ResolvedSort]) -> [Slot] {
        sorts.compactMap { sort in
            [.binary, .transformable].contains(sort.path.leafKind) && sort.path.steps.isEmpty ? sort.path.leafSlot : nil
        }
    }
}
