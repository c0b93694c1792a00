/// One version of a store of tables; copies share unchanged parts.
struct TableVersion: Sendable {
    var hierarchies: [HierarchyTable]
    var links: [LinkSet]
    /// The greatest reserved reference of each hierarchy.
    var lastReference: [Int64]
    var metadata: StoreMetadata
    var history: HistoryTable
    /// The damage that was found in the file; its rows are missing then.
    let damage: TableDamage

    /// Creates a version from what a codec loaded; throws `StoreError` with `corrupt` where a row is in no hierarchy,
    /// or in one twice.
    init(_ contents: TableContents, _ schema: TableSchema, path: String?) throws(StoreError) {
        let damage = TableDamage(path: path)
        self.damage = damage
        hierarchies = schema.hierarchies.map { hierarchy in
            guard let source = contents.blocks[hierarchy.root.index] else { return HierarchyTable(hierarchy) }
            return HierarchyTable(hierarchy, RowTable(source, damage), counts: contents.counts)
        }
        links = schema.model.linkTables.map { table in
            contents.laterLinks[table.index].map { LinkSet(later: $0, damage) } ?? LinkSet()
        }
        lastReference = schema.hierarchies.map { _ in 0 }
        metadata = contents.metadata
        // A file has the history in its metadata, where a damaged one stays.
        history = HistoryTable(metadata.historyRecords)
        if history.records != nil { metadata.historyRecords = [] }
        for (index, hierarchy) in schema.hierarchies.enumerated() {
            let root = hierarchy.root.index
            var last = max(0, contents.lastReference[root] ?? 0)
            for row in contents.rows[root] ?? [] {
                guard row.reference > 0, hierarchy.root.hierarchy.contains(row.entityIndex),
                    contents.blocks[root] != nil || hierarchies[index].rows[row.reference] == nil
                else {
                    throw StoreError(.corrupt, .open, "duplicate or invalid key: \(row.reference)", path: path, entity: hierarchy.root.name)
                }
                hierarchies[index].put(row, hierarchy)
                last = max(last, row.reference)
            }
            lastReference[index] = last
        }
        for (table, links) in contents.links {
            guard self.links.indices.contains(table), LinkSet.areDistinct(links) else { throw LinkSet.notDistinct(path: path) }
            self.links[table] = LinkSet(links)
        }
        for save in contents.saves { try replay(save, schema, path: path) }
        try damage.check()
    }

    /// Applies a save that was appended to the store's file, but for its metadata.
    private mutating func replay(_ save: TableSave, _ schema: TableSchema, path: String?) throws(StoreError) {
        for step in save.steps {
            switch step {
            case .changes(let changes):
                for deletion in changes.deleted {
                    guard let hierarchy = schema.hierarchyIndex(of: deletion.entity) else { continue }
                    remove(deletion.reference, hierarchy, schema)
                }
                for row in changes.updated.map(\.row) + changes.inserted {
                    guard row.reference > 0, let hierarchy = schema.hierarchyIndex(of: row.entityIndex) else {
                        throw StoreError(.corrupt, .open, "duplicate or invalid key: \(row.reference)", path: path)
                    }
                    hierarchies[hierarchy].put(row, schema.hierarchies[hierarchy])
                    lastReference[hierarchy] = max(lastReference[hierarchy], row.reference)
                }
                try apply(changes.links, path: path)
            case .record(let record): _ = try history.append(record, path: path)
            case .deleteHistory(let mark): try history.delete(through: mark, path: path)
            }
        }
        for (root, last) in save.lastReference {
            guard let hierarchy = schema.hierarchyIndex(of: root) else { continue }
            lastReference[hierarchy] = max(lastReference[hierarchy], last)
        }
    }

    /// Removes a row and its links, leaving the indexes to `reindex`.
    mutating func remove(_ reference: Int64, _ hierarchy: Int, _ schema: TableSchema) {
        hierarchies[hierarchy].remove(reference, schema.hierarchies[hierarchy])
        for end in schema.hierarchies[hierarchy].links { links[end.table].removeLinks(of: reference, on: end.side) }
    }

    mutating func apply(_ changes: [LinkChange], path: String?) throws(StoreError) {
        for change in changes {
            guard links.indices.contains(change.table) else {
                throw StoreError(.unknownKey, .save, "the model has no link table \(change.table)", path: path)
            }
            switch change.kind {
            case .put: links[change.table].put(change.link)
            case .remove: links[change.table].remove(change.link)
            case .order: links[change.table].order(change.link)
            }
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
    ///
    /// - Throws: `StoreError` with `corrupt` where the file of the tables is damaged.
    func contents(_ schema: TableSchema) throws(StoreError) -> TableContents {
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
        try damage.check()
        return contents
    }
}
