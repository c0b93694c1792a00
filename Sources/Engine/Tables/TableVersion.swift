/// One version of a store of tables; copies share unchanged parts.
struct TableVersion: Sendable {
    var hierarchies: [HierarchyTable]
    var links: [LinkSet]
    /// The greatest reserved reference of each hierarchy.
    var lastReference: [Int64]
    var metadata: StoreMetadata
    var history: HistoryTable

    /// Creates a version from what a codec loaded; throws `StoreError` with `corrupt` where a row is in no hierarchy,
    /// or in one twice.
    init(_ contents: TableContents, _ schema: TableSchema, path: String?) throws(StoreError) {
        hierarchies = schema.hierarchies.map { HierarchyTable($0) }
        links = schema.model.linkTables.map { _ in LinkSet() }
        lastReference = schema.hierarchies.map { _ in 0 }
        metadata = contents.metadata
        // A file has the history in its metadata.
        history = HistoryTable(metadata.historyRecords)
        metadata.historyRecords = []
        for (index, hierarchy) in schema.hierarchies.enumerated() {
            let root = hierarchy.root.index
            var last = max(0, contents.lastReference[root] ?? 0)
            for row in contents.rows[root] ?? [] {
                guard row.reference > 0, hierarchy.root.hierarchy.contains(row.entityIndex), hierarchies[index].rows[row.reference] == nil
                else {
                    throw StoreError(.corrupt, .open, "duplicate or invalid key: \(row.reference)", path: path, entity: hierarchy.root.name)
                }
                hierarchies[index].put(row, hierarchy)
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
        for (index, hierarchy) in schema.hierarchies.enumerated() {
            var replaced: [Row] = []
            hierarchies[index].rows.forEach { row in
                guard let before = old.hierarchies[index].rows[row.reference] else { return true }
                // One with a later version was changed, possibly back; a format without versions has 1 for all.
                if row.version > before.version { return true }
                let isSame = row.hasValues(of: before, schema.model.entities[row.entityIndex].layout)
                replaced.append(isSame ? before : writer.copy(row, version: before.version &+ 1))
                return true
            }
            for row in replaced { hierarchies[index].put(row, hierarchy) }
            lastReference[index] = max(lastReference[index], old.lastReference[index])
        }
    }

    /// Returns the content for a codec to write.
    func contents(_ schema: TableSchema) -> TableContents {
        var contents = TableContents(metadata: metadata)
        contents.metadata.historyRecords = history.records
        for (index, hierarchy) in schema.hierarchies.enumerated() {
            var rows: [Row] = []
            rows.reserveCapacity(hierarchies[index].rows.count)
            hierarchies[index].rows.forEach { row in
                rows.append(row)
                return true
            }
            contents.rows[hierarchy.root.index] = rows
            contents.lastReference[hierarchy.root.index] = lastReference[index]
        }
        for (table, links) in links.enumerated() { contents.links[table] = links.links }
        return contents
    }
}
