import StrataStore

extension InterruptedSaveRecovery {
    /// Applies the changes of an interrupted save to the store, which they have not reached.
    ///
    /// - Parameter adapting: Whether they are adapted to a store that has changed meanwhile: changed rows are
    ///   overwritten whatever their version, and deleted rows stay deleted.
    /// - Throws: `StoreError` with `inDoubt` where they do not fit the store.
    func apply(_ save: PreparedSaveFile, to writer: StoreWriter, adapting: Bool = false) throws {
        guard var changes = try? unsafe save.changes.withUnsafeBytes({ try unsafe ChangeSetCoding.decode($0, model: model) }) else {
            throw StoreError.interruptedSave("was made with another version of the model", store.path, operation)
        }
        if adapting || store.capabilities.isAtomic { try adoptVersions(&changes, droppingMissing: adapting) }
        // The save's own reservation of these references was lost with it.
        let greatest = Dictionary(grouping: changes.inserted) { model.entities[$0.entityIndex].root }
            .mapValues { rows in rows.reduce(0) { max($0, $1.reference) } }
        for (root, greatest) in greatest.sortedByKey() {
            let next = try writer.transaction.reserveReferences(1, root: root)
            if next < greatest { _ = try writer.transaction.reserveReferences(Int(greatest - next), root: root) }
        }
        let conflicts = try writer.apply(changes)
        guard conflicts.isEmpty else {
            throw StoreError.interruptedSave("no longer fits the store", store.path, operation, conflicts: conflicts)
        }
        if let record = save.history { try writer.transaction.append(record) }
    }

    /// Sets the expected versions of changes to the store's current ones.
    ///
    /// Formats need not keep versions, and no other process can have changed a store that is written as a whole.
    private func adoptVersions(_ changes: inout ChangeSet, droppingMissing: Bool) throws {
        let versions = try store.read { reader in
            try changes.references(model).reduce(into: [EntityIndex: [Int64: UInt32]]()) { versions, hierarchy in
                let rows = try reader.rows(root: hierarchy.key, references: hierarchy.value)
                versions[hierarchy.key] = Dictionary(rows.map { ($0.reference, $0.version) }) { first, _ in first }
            }
        }
        var writer = RowWriter()
        changes.updated = changes.updated.compactMap { update in
            guard let version = versions[model.entities[update.row.entityIndex].root]?[update.row.reference] else {
                return droppingMissing ? nil : update
            }
            return RowUpdate(row: writer.copy(update.row, version: version &+ 1), changedSlots: update.changedSlots)
        }
        changes.deleted = changes.deleted.compactMap { deletion in
            let version = versions[model.entities[deletion.entity].root]?[deletion.reference]
            if version == nil && droppingMissing { return nil }
            return version.map { deletion.expecting(version: $0) } ?? deletion
        }
    }
}
