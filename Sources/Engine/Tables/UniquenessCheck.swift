/// Finds rows that violate a uniqueness constraint.
enum UniquenessCheck {
    /// Returns the conflicts of changed rows with others, after all changes.
    ///
    /// Of two changed rows the one with the greater reference conflicts with the other.
    static func conflicts(
        _ changes: [HierarchyTable.Change], _ table: HierarchyTable, _ hierarchy: TableSchema.Hierarchy, _ model: ManagedObjectModel
    ) -> [StoreConflict] {
        var conflicts: [StoreConflict] = []
        for constraint in hierarchy.constraints {
            let shape = hierarchy.indexes[constraint.index]
            let changed = changes.compactMap { change -> Row? in
                // Without a value in every slot nothing is compared.
                guard let row = change.new, shape.holds(row), shape.elements.allSatisfy({ !row.isNull($0.slot) }) else { return nil }
                if let old = change.old, shape.areEqual(old, row) { return nil }
                return row
            }
            if changed.isEmpty { continue }
            let index = table.index(constraint.index, hierarchy)
            let order = IndexOrder(shape: shape, rows: table.rows)
            var references: Set<Int64>?
            for row in changed {
                guard let other = self.other(row, shape, index, order) else { continue }
                let known = references ?? Set(changed.map(\.reference))
                references = known
                if known.contains(other), other > row.reference { continue }
                conflicts.append(
                    StoreConflict(
                        entity: row.entityIndex, reference: row.reference, reason: .constraint(constraint.constraint.names, other: other)))
            }
        }
        return conflicts
    }

    /// Returns the least reference of another row with the same key.
    private static func other(_ row: Row, _ shape: IndexShape, _ index: EntryTree<IndexOrder>, _ order: IndexOrder) -> Int64? {
        let entry = shape.entry(of: row)
        var position = index.lowerBound { order.precedes($0, IndexEntry(word: entry.word, reference: row.reference)) }
        // Equal keys are adjacent, by reference: the first of them may be before the row.
        var first: Int64?
        index.forEachReversed(in: 0..<position) { candidate in
            guard candidate.word == entry.word, isEqual(candidate, row, shape, order) else { return false }
            first = candidate.reference
            return true
        }
        if let first { return first }
        position += 1
        index.forEach(in: min(position, index.count)..<index.count) { candidate in
            if candidate.word == entry.word, isEqual(candidate, row, shape, order) { first = candidate.reference }
            return false
        }
        return first
    }

    private static func isEqual(_ entry: IndexEntry, _ row: Row, _ shape: IndexShape, _ order: IndexOrder) -> Bool {
        if shape.isDecisive(entry.word) { return true }
        return order.rows[entry.reference].map { shape.compare($0, row) == .equal } ?? false
    }
}
