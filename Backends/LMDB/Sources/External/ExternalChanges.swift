import StrataEngine

/// A change set prepared for writing, also several times: large values are in files already.
struct PackedChanges {
    let changes: ChangeSet
    /// The rows with tags, by their indexes in the change set.
    var inserted: [Int: Row] = [:]
    var updated: [Int: Row] = [:]
}

/// Moves large values to files of their own, and collects the files to remove when the transaction ends.
struct ExternalChanges {
    private var files: ExternalWrites
    /// The files that are unreferenced once the transaction is committed.
    var dropped: [String] { files.dropped }

    init(_ directory: ExternalDataDirectory, threshold: Int) { files = ExternalWrites(directory, threshold: threshold) }

    /// Writes the files of new values.
    mutating func pack(_ changes: ChangeSet, _ snapshot: Snapshot) throws -> PackedChanges {
        var packed = PackedChanges(changes: changes)
        let schema = snapshot.schema
        guard schema.externalSlots.contains(where: { !$0.isEmpty }) else { return packed }
        for (index, row) in changes.inserted.enumerated() where !slots(row.entityIndex, schema).isEmpty {
            packed.inserted[index] = try tagged(row, schema, keeping: [:])
        }
        for (index, update) in changes.updated.enumerated() where !slots(update.row.entityIndex, schema).isEmpty {
            var kept = try names(update.row.entityIndex, update.row.reference, snapshot)
            for slot in update.changedSlots {
                if let name = kept.removeValue(forKey: slot) { files.drop(name) }
            }
            packed.updated[index] = try tagged(update.row, schema, keeping: kept)
        }
        for deletion in changes.deleted where !slots(deletion.entity, schema).isEmpty {
            for name in try names(deletion.entity, deletion.reference, snapshot).values { files.drop(name) }
        }
        return packed
    }

    /// Removes the files that the abandoned transaction has written.
    mutating func removeWritten() { files.discard() }

    private func slots(_ entity: EntityIndex, _ schema: StoreSchema) -> [Slot] {
        schema.externalSlots.typedIndices().contains(entity) ? schema.externalSlots[entity] : []
    }

    /// Returns the files that a row in the store references, by slot.
    private func names(_ entity: EntityIndex, _ reference: Int64, _ snapshot: Snapshot) throws -> [Slot: String] {
        let description = snapshot.schema.model.entities[entity]
        guard let stored = try snapshot.stored(reference, in: try snapshot.hierarchy(description.root)), stored.isTagged else { return [:] }
        var names: [Slot: String] = [:]
        for slot in slots(stored.row.entityIndex, snapshot.schema) {
            if let bytes = unsafe stored.row.bytes(slot) { names[slot] = try unsafe snapshot.rows.fileName(bytes, description) }
        }
        return names
    }

    /// Returns the row with tags, `nil` if all of its values are in the row.
    private mutating func tagged(_ row: Row, _ schema: StoreSchema, keeping kept: [Slot: String]) throws -> Row? {
        let external = slots(row.entityIndex, schema)
        guard external.contains(where: { kept[$0] != nil || row.isUnavailable($0) || takesFile(row, $0) }) else { return nil }
        let entity = schema.model.entities[row.entityIndex]
        var writer = RowWriter(forOneRowOf: 4096)
        writer.begin(entity, reference: row.reference, version: row.version)
        for (slot, description) in entity.layout.indexedSlots {
            guard external.contains(slot) else {
                writer.copy(slot, description.kind, from: row)
                continue
            }
            // An unreadable value has a name nevertheless.
            if let name = try kept[slot] ?? newName(row, slot) {
                unsafe ExternalTag.content(forFile: name).withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
            } else if let bytes = unsafe row.bytes(slot) {
                unsafe ExternalTag.content(of: bytes).withUnsafeBytes { unsafe writer.set(bytes: $0, at: slot) }
            }
        }
        return writer.finish()
    }

    private func takesFile(_ row: Row, _ slot: Slot) -> Bool {
        unsafe row.bytes(slot).map { files.takesFile(byteCount: $0.count) } ?? false
    }

    /// Writes the file of a large value.
    private mutating func newName(_ row: Row, _ slot: Slot) throws -> String? {
        if let name = ExternalStorage.nameOfLost(row, slot, in: files.directory) { return name }
        try ExternalStorage.requireAvailable(row, slot, for: .save)
        return try unsafe row.bytes(slot).flatMap { try unsafe files.write($0) }
    }
}
