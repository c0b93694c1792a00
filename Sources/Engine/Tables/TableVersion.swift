import StrataModel
import StrataStore

/// One version of a store of tables; copies share unchanged parts.
struct TableVersion: Sendable {
    var trees: [TreeTable]
    var links: [LinkSet]
    /// The greatest reserved reference of each hierarchy.
    var lastReference: [Int64]
    var metadata: StoreMetadata

    /// Creates a version from what a codec loaded; throws `StoreError` with `corrupt` where a row is in no hierarchy,
    /// or in one twice.
    init(_ contents: TableContents, _ schema: TableSchema, path: String?) throws(StoreError) {
        trees = schema.trees.map { TreeTable($0) }
        links = schema.model.linkTables.map { _ in LinkSet() }
        lastReference = schema.trees.map { _ in 0 }
        metadata = contents.metadata
        for (index, tree) in schema.trees.enumerated() {
            let root = tree.root.index
            var last = max(0, contents.lastReference[root] ?? 0)
            for row in contents.rows[root] ?? [] {
                guard row.reference > 0, tree.root.tree.contains(row.entityIndex), trees[index].rows[row.reference] == nil else {
                    throw StoreError(.corrupt, .open, "duplicate or invalid key: \(row.reference)", path: path, entity: tree.root.name)
                }
                trees[index].put(row, tree)
                last = max(last, row.reference)
            }
            lastReference[index] = last
        }
        for (table, links) in contents.links {
            guard self.links.indices.contains(table), Set(links.map { [$0.first, $0.second] }).count == links.count else {
                throw StoreError(.corrupt, .open, "two objects are linked twice, or in no relationship", path: path)
            }
            self.links[table] = LinkSet(links)
        }
    }

    /// Gives unchanged rows the versions of an older version of the tables, and changed rows later ones.
    mutating func follow(_ old: TableVersion, _ schema: TableSchema) {
        var writer = RowWriter()
        for (index, tree) in schema.trees.enumerated() {
            var replaced: [Row] = []
            trees[index].rows.forEach { row in
                guard let before = old.trees[index].rows[row.reference] else { return true }
                // One with a later version was changed, possibly back; a format without versions has 1 for all.
                if row.version > before.version { return true }
                let isSame = row.hasValues(of: before, schema.model.entities[row.entityIndex].layout)
                replaced.append(isSame ? before : writer.copy(row, version: before.version &+ 1))
                return true
            }
            for row in replaced { trees[index].put(row, tree) }
            lastReference[index] = max(lastReference[index], old.lastReference[index])
        }
    }

    /// Returns the content for a codec to write.
    func contents(_ schema: TableSchema) -> TableContents {
        var contents = TableContents(metadata: metadata)
        for (index, tree) in schema.trees.enumerated() {
            var rows: [Row] = []
            rows.reserveCapacity(trees[index].rows.count)
            trees[index].rows.forEach { row in
                rows.append(row)
                return true
            }
            contents.rows[tree.root.index] = rows
            contents.lastReference[tree.root.index] = lastReference[index]
        }
        for (table, links) in links.enumerated() { contents.links[table] = links.links }
        return contents
    }
}
