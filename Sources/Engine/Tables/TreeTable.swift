/// One version of the rows of an entity hierarchy, with their indexes.
struct HierarchyTable: Sendable {
    struct Change {
        let old: Row?
        let new: Row?
    }

    private(set) var rows = RowTable()
    /// The number of objects of each entity of the hierarchy, the root first.
    private var counts: [Int]
    private var indexes: [LazyIndex]

    init(_ hierarchy: TableSchema.Hierarchy) {
        counts = Array(repeating: 0, count: hierarchy.root.hierarchy.count)
        indexes = hierarchy.indexes.map { _ in LazyIndex() }
    }

    /// Creates a table of rows in a file, without reading them.
    init(_ hierarchy: TableSchema.Hierarchy, _ rows: RowTable, counts: [EntityIndex: Int]) {
        self.init(hierarchy)
        self.rows = rows
        self.counts = hierarchy.root.hierarchy.map { counts[$0] ?? 0 }
    }

    func count(_ entities: Range<EntityIndex>, _ hierarchy: TableSchema.Hierarchy) -> Int {
        let start = hierarchy.root.index
        return counts[(start.distance(to: entities.lowerBound))..<(start.distance(to: entities.upperBound))].reduce(0, +)
    }

    func index(_ position: Int, _ hierarchy: TableSchema.Hierarchy) -> EntryTree<IndexOrder> {
        indexes[position].made ?? indexes[position].tree(hierarchy.indexes[position], rows)
    }

    /// Replaces an older row, leaving the indexes to ``reindex(_:from:_:)``.
    mutating func put(_ row: Row, _ hierarchy: TableSchema.Hierarchy) {
        if let old = rows.put(row) { counts[hierarchy.root.index.distance(to: old.entityIndex)] -= 1 }
        counts[hierarchy.root.index.distance(to: row.entityIndex)] += 1
    }

    /// Removes a row, leaving the indexes to ``reindex(_:from:_:)``.
    mutating func remove(_ reference: Int64, _ hierarchy: TableSchema.Hierarchy) {
        if let old = rows.remove(reference) { counts[hierarchy.root.index.distance(to: old.entityIndex)] -= 1 }
    }

    /// Updates the indexes that were built; those with many changes are built again on demand.
    mutating func reindex(_ changes: [Change], from base: RowTable, _ hierarchy: TableSchema.Hierarchy) {
        let isSmall = changes.count < 64 || changes.count * 4 < rows.count
        for (position, shape) in hierarchy.indexes.enumerated() {
            guard isSmall, indexes[position].isMade else {
                indexes[position] = LazyIndex()
                continue
            }
            let relevant = changes.indices.filter { shape.isMoved(from: changes[$0].old, to: changes[$0].new) }
            if relevant.isEmpty { continue }
            let isOwn = isKnownUniquelyReferenced(&indexes[position])
            guard var index = isOwn ? indexes[position].take() : indexes[position].made else { continue }
            let (before, after) = (IndexOrder(shape: shape, rows: base), IndexOrder(shape: shape, rows: rows))
            for change in relevant {
                if let row = changes[change].old, shape.holds(row) { index.remove(shape.entry(of: row), before) }
            }
            for change in relevant {
                if let row = changes[change].new, shape.holds(row) { index.put(shape.entry(of: row), after) }
            }
            indexes[position] = LazyIndex(index)
        }
    }
}
