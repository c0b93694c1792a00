import StrataModel
import StrataStore

extension ChangeSet {
    /// Returns the references of the updated and deleted rows of some entities, by the root of their hierarchy.
    func references(
        _ model: ManagedObjectModel, where isIncluded: (EntityIndex) -> Bool = { _ in true }
    ) -> [EntityIndex: [Int64]] {
        let changed = updated.map { ($0.row.entityIndex, $0.row.reference) } + deleted.map { ($0.entity, $0.reference) }
        return changed.reduce(into: [:]) { references, row in
            if isIncluded(row.0) { references[model.entities[row.0].root, default: []].append(row.1) }
        }
    }
}

extension Row {
    /// Returns whether a row comes before another one in an order that does not depend on the store.
    static func precede(_ a: Row, _ b: Row) -> Bool { (a.entityIndex, a.reference) < (b.entityIndex, b.reference) }
}

extension RowWriter {
    /// Begins a row with some slots of another one, written anew, so that unused bytes are not kept.
    mutating func begin(_ entity: EntityDescription, with row: Row, version: UInt32, slots isKept: (Slot) -> Bool) {
        begin(entity, reference: row.reference, version: version)
        for (slot, description) in entity.layout.indexedSlots where isKept(slot) { copy(slot, description.kind, from: row) }
    }
}
