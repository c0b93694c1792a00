import StrataModel
import StrataStore

extension StoreWriter {
    /// Records the changes of the store's triggers.
    ///
    /// Those of Core Data's derived attributes count inserted and deleted rows a second time: the values computed here
    /// are written again.
    func recordOwnChanges() throws {
        let changes = transaction.takeOwnChanges()
        if changes.isEmpty { return }
        var properties: [RowID: Set<String>] = [:]
        for change in changes {
            properties[RowID(change.object.entity, change.object.reference, model), default: []].insert(change.property)
        }
        try addImages(ofOwnChanges: properties)
        let inserted = Dictionary(applied.inserted.indices.map { (id(applied.inserted[$0]), $0) }) { first, _ in first }
        let updated = Dictionary(applied.updated.indices.map { (id(applied.updated[$0].row), $0) }) { first, _ in first }
        var mended: [RowUpdate] = []
        for (root, ids) in Dictionary(grouping: properties.keys, by: \.root) {
            let rows = try transaction.read { try model.checked(try $0.rows(root: root, references: ids.map(\.reference)), .save) }
            for row in rows {
                let id = id(row)
                let (new, changed) = (inserted[id], updated[id])
                let computed = new.map { applied.inserted[$0] } ?? changed.map { applied.updated[$0].row } ?? derived[id]?.row
                let update = computed.flatMap { mend(row, as: $0) }
                if let update { mended.append(update) }
                let now = update?.row ?? row
                if let new { applied.inserted[new] = now }
                if let changed { applied.updated[changed] = RowUpdate(row: now, changedSlots: applied.updated[changed].changedSlots) }
                if new == nil && changed == nil {
                    let attributes = model.entities[row.entityIndex].attributes.filter { properties[id]?.contains($0.name) == true }
                    note(now, Set(attributes.compactMap(\.slot)))
                }
            }
        }
        try entry.put(mended, in: transaction, .save)
        _ = transaction.takeOwnChanges()
    }

    /// Returns the update of a row to its computed derived values; `nil` where it has them.
    private func mend(_ row: Row, as computed: Row) -> RowUpdate? {
        let entity = model.entities[row.entityIndex]
        let wrong = entity.derivedAttributes.filter { attribute in
            attribute.slot.map { !row.slot($0, attribute.slotKind, equals: computed) } ?? false
        }
        let slots = wrong.compactMap(\.slot)
        if slots.isEmpty { return nil }
        var writer = RowWriter(forOneRowOf: row.byteCount + computed.byteCount)
        writer.begin(entity, reference: row.reference, version: row.version)
        for (slot, description) in entity.layout.indexedSlots {
            writer.copy(slot, description.kind, from: slots.contains(slot) ? computed : row)
        }
        return RowUpdate(row: writer.finish(), changedSlots: slots.sorted(), keepsVersion: true)
    }
}
