import StrataModel
import StrataStore

extension StoreWriter {
    /// How many rows are read at once.
    private static let imageBatch = 2048

    /// Adds the before-images of what changes will update, delete and link, where the history keeps them.
    ///
    /// - Complexity: A read of each such row, and of each link that may exist.
    func addImages(changedBy changes: ChangeSet) throws {
        guard var images, !changes.updated.isEmpty || !changes.deleted.isEmpty || !changes.links.isEmpty else { return }
        // Copies would double the bytes.
        self.images = nil
        defer { self.images = images }
        try transaction.read { reader in
            try addRows(changedBy: changes, reader, to: &images)
            try addLinks(changedBy: changes, reader, to: &images)
        }
    }

    private func addRows(changedBy changes: ChangeSet, _ reader: any StoreReader, to images: inout HistoryValuesWriter) throws {
        let updates = Dictionary(changes.updated.map { (id($0.row), $0.row) }) { first, _ in first }
        let deleted = changes.deleted.map { RowID($0.entity, $0.reference, model) }
        var orders = MemberOrders(model)
        for (root, ids) in Dictionary(grouping: updates.keys + deleted, by: \.root).sortedByKey() {
            for some in ids.map(\.reference).sorted().slices(of: StoreWriter.imageBatch) {
                let rows = try model.checked(reader.rows(root: root, references: Array(some)), .save)
                for row in rows.sorted(by: { $0.reference < $1.reference }) {
                    if !entry.store.capabilities.keepsOrderKeys { orders.add(row, replacedBy: updates[id(row)]) }
                    guard let new = updates[id(row)] else {
                        images.add(row, slots: nil)
                        continue
                    }
                    let slots = model.entities[row.entityIndex].layout.indexedSlots
                        .filter { !row.slot($0.slot, $0.description.kind, equals: new) }.map(\.slot)
                    images.add(row, slots: slots)
                }
            }
        }
        for (row, slot) in try orders.members(reader) { images.add(row, slots: [slot]) }
    }

    private func addLinks(changedBy changes: ChangeSet, _ reader: any StoreReader, to images: inout HistoryValuesWriter) throws {
        let inserted = Set(changes.links.isEmpty ? [] : changes.inserted.map { id($0) })
        for (index, changed) in Dictionary(grouping: changes.links, by: \.table).sortedByKey() {
            let table = model.linkTables[index]
            func isNew(_ side: LinkSide, _ link: Link) -> Bool {
                inserted.contains(RowID(table.end(side).entity, link.reference(side), model))
            }
            // New objects have no links yet.
            let pairs = inserted.isEmpty ? changed.map(\.link) : changed.map(\.link).filter { !isNew(.first, $0) && !isNew(.second, $0) }
            let found = pairs.isEmpty ? [] : try reader.links(of: table, .pairs(pairs))
            let existing = Dictionary(found.map { (LinkID($0, index), $0) }) { first, _ in first }
            var orders = LinkOrders(table)
            for change in changed {
                if let link = existing[LinkID(change.link, index)] {
                    images.add(link, of: table, existed: true)
                    orders.add(link)
                } else if change.kind == .put {
                    images.add(change.link, of: table, existed: false)
                }
            }
            if !entry.store.capabilities.keepsOrderKeys {
                for link in try orders.links(reader) { images.add(link, of: table, existed: true) }
            }
        }
        // Deleting a row removes its links.
        for table in changes.deleted.isEmpty ? [] : model.linkTables {
            for side in [LinkSide.first, .second] {
                let hierarchy = model.entities[table.end(side).entity].hierarchy
                let owners = changes.deleted.filter { hierarchy.contains($0.entity) }.map(\.reference)
                if owners.isEmpty { continue }
                var orders = LinkOrders(table)
                for link in try reader.links(of: table, .owners(side, owners)) {
                    images.add(link, of: table, existed: true)
                    orders.add(link)
                }
                if !entry.store.capabilities.keepsOrderKeys {
                    for link in try orders.links(reader) { images.add(link, of: table, existed: true) }
                }
            }
        }
    }

    /// Adds the before-images of rows that the store's triggers have changed, from the last commit.
    func addImages(ofOwnChanges properties: [RowID: Set<String>]) throws {
        guard var images else { return }
        self.images = nil
        defer { self.images = images }
        try entry.store.read { reader in
            for (root, ids) in Dictionary(grouping: properties.keys, by: \.root).sortedByKey() {
                for row in try model.checked(reader.rows(root: root, references: ids.map(\.reference)), .save) {
                    let attributes = model.entities[row.entityIndex].attributes.filter { properties[id(row)]?.contains($0.name) == true }
                    images.add(row, slots: attributes.compactMap(\.slot))
                }
            }
        }
    }
}

extension LinkID {
    init(_ link: Link, _ table: Int) { self.init(table: table, first: link.first, second: link.second) }
}
