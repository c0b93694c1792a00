import StrataEngine

/// Rows as they are written to the file: without the values that are in files of their own.
struct ExternalRows {
    /// The values of the rows so far that are in files of their own.
    private(set) var entries: [ExternalSection.Entry] = []
    private let model: ManagedObjectModel
    private let external: ExternalValues
    private let slots: [[Slot]]

    init(_ model: ManagedObjectModel, _ external: ExternalValues) {
        (self.model, self.external) = (model, external)
        slots = model.entities.map(ExternalStorage.slots)
    }

    /// Returns the rows of a hierarchy.
    mutating func rows(_ rows: [Row], root: EntityIndex) throws -> [Row] {
        if model.entities[root].hierarchy.allSatisfy({ slots[$0].isEmpty }) { return rows }
        var stripped = rows
        for (index, row) in rows.enumerated() where !slots[row.entityIndex].isEmpty { stripped[index] = try self.row(row) }
        return stripped
    }

    /// Returns a row, the names of whose values are added to ``entries``.
    mutating func row(_ row: Row) throws -> Row {
        let root = model.entities[row.entityIndex].root
        var moved: Set<Slot> = []
        for slot in slots[row.entityIndex] {
            let location = ExternalValues.Location(root: root, reference: row.reference, slot: slot)
            guard let name = try external.name(of: row, slot, at: location) else { continue }
            moved.insert(slot)
            entries.append(ExternalSection.Entry(root: root.rawValue, reference: row.reference, slot: slot, name: name))
        }
        if moved.isEmpty { return row }
        let layout = model.entities[row.entityIndex].layout
        var writer = RowWriter(forOneRowOf: layout.fixedSize + 64)
        writer.begin(layout, entityIndex: row.entityIndex, reference: row.reference, version: row.version)
        for (slot, description) in layout.indexedSlots where !moved.contains(slot) { writer.copy(slot, description.kind, from: row) }
        return writer.finish()
    }
}
