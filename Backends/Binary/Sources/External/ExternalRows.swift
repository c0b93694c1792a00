import StrataEngine

/// The rows of a store as they are written to the file: without the values that are in files of their own.
struct ExternalRows {
    private(set) var entries: [ExternalSection.Entry] = []
    private(set) var rows: [EntityIndex: [Row]]

    init(_ contents: TableContents, _ model: ManagedObjectModel, _ external: ExternalValues) throws {
        rows = contents.rows
        let slots = model.entities.map(ExternalStorage.slots)
        for root in contents.rows.keys.sorted() where model.entities[root].hierarchy.contains(where: { !slots[$0].isEmpty }) {
            for (index, row) in (contents.rows[root] ?? []).enumerated() {
                var moved: Set<Slot> = []
                for slot in slots[row.entityIndex] {
                    let location = ExternalValues.Location(root: root, reference: row.reference, slot: slot)
                    guard let name = try external.name(of: row, slot, at: location) else { continue }
                    moved.insert(slot)
                    entries.append(ExternalSection.Entry(root: root.rawValue, reference: row.reference, slot: slot, name: name))
                }
                if !moved.isEmpty { rows[root]?[index] = ExternalRows.row(row, without: moved, model) }
            }
        }
    }

    private static func row(_ row: Row, without moved: Set<Slot>, _ model: ManagedObjectModel) -> Row {
        let layout = model.entities[row.entityIndex].layout
        var writer = RowWriter(forOneRowOf: layout.fixedSize + 64)
        writer.begin(layout, entityIndex: row.entityIndex, reference: row.reference, version: row.version)
        for (slot, description) in layout.indexedSlots where !moved.contains(slot) { writer.copy(slot, description.kind, from: row) }
        return writer.finish()
    }
}
