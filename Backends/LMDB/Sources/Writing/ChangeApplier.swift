import StrataEngine

/// Writes a change set in a transaction: checks it against the rows first, then writes rows, indexes and links.
struct ChangeApplier {
    let snapshot: Snapshot
    let packed: PackedChanges

    private var schema: StoreSchema { snapshot.schema }
    private var path: String { snapshot.rows.path }

    /// Applies the changes, or returns conflicts, after which the transaction can only be rolled back.
    func apply() throws -> [StoreConflict] {
        var indexes = schema.indexes.map(IndexChanges.init)
        let conflicts = try check(&indexes)
        return conflicts.isEmpty ? try write(&indexes) : conflicts
    }

    /// Applies the changes, or returns conflicts; writes nothing and returns `nil` if they violate a constraint.
    func applyUncontested() throws -> [StoreConflict]? {
        var indexes = schema.indexes.map(IndexChanges.init)
        let conflicts = try check(&indexes)
        if !conflicts.isEmpty { return conflicts }
        for number in indexes.indices where indexes[number].index.isUnique {
            indexes[number].addInserted(packed.changes.inserted)
            if try unsafe indexes[number].areContested(snapshot.transaction) { return nil }
        }
        return try write(&indexes, areUncontested: true)
    }

    private func write(_ indexes: inout [IndexChanges], areUncontested: Bool = false) throws -> [StoreConflict] {
        var conflicts = try writeRows()
        if !conflicts.isEmpty { return conflicts }
        for number in indexes.indices {
            // One after the other, without keeping them: the keys of all new rows in all indexes are large.
            if !indexes[number].hasInserted { indexes[number].addInserted(packed.changes.inserted) }
            conflicts += try write(&indexes[number], areUncontested)
            indexes[number] = IndexChanges(indexes[number].index)
        }
        let links = unsafe LinkStorage(transaction: snapshot.transaction, schema: schema)
        for deletion in packed.changes.deleted { try links.removeAll(of: deletion.reference, entity: deletion.entity) }
        if !packed.changes.links.isEmpty { try links.apply(packed.changes.links, path: path) }
        if let metadata = packed.changes.metadata {
            try unsafe Records.put(snapshot.transaction, schema.store, Names.metadata, metadata.record())
        }
        return conflicts
    }

    // MARK: - Checking

    private func root(of entity: EntityIndex) throws -> EntityIndex {
        guard schema.model.entities.typedIndices().contains(entity) else {
            throw StoreError(.unknownEntity, .save, "the model has no entity \(entity)", path: path)
        }
        return schema.model.entities[entity].root
    }

    private func hierarchy(of entity: EntityIndex) throws -> StoreSchema.Hierarchy { try snapshot.hierarchy(root(of: entity)) }

    /// Compares row versions and collects index changes of updates and deletions before anything is written.
    private func check(_ indexes: inout [IndexChanges]) throws -> [StoreConflict] {
        for row in packed.changes.inserted where row.reference <= 0 {
            throw StoreError(.wrongValue, .save, "a row's reference is \(row.reference)", path: path)
        }
        return packed.changes.updated.isEmpty && packed.changes.deleted.isEmpty ? [] : try checkStored(&indexes)
    }

    private func checkStored(_ indexes: inout [IndexChanges]) throws -> [StoreConflict] {
        var conflicts: [StoreConflict] = []
        var encoder = KeyEncoder()
        func row(_ entity: EntityIndex, _ reference: Int64, _ version: UInt32) throws -> StoredRow? {
            guard let stored = try snapshot.stored(reference, in: try hierarchy(of: entity)) else {
                conflicts.append(StoreConflict(entity: entity, reference: reference, reason: .deleted))
                return nil
            }
            if stored.row.version == version { return stored }
            conflicts.append(StoreConflict(entity: entity, reference: reference, reason: .changed(try snapshot.rows.copy(stored))))
            return nil
        }
        for update in packed.changes.updated {
            let new = update.row
            guard let stored = try row(new.entityIndex, new.reference, update.expectedVersion) else { continue }
            let changed = Set(update.changedSlots)
            for number in indexes.indices {
                let index = indexes[number].index
                guard index.entities.contains(new.entityIndex), index.elements.contains(where: { changed.contains($0.slot) }) else {
                    continue
                }
                if let old = try snapshot.rows.expanded(stored, for: index) {
                    if index.elements.allSatisfy({ old.slot($0.slot, $0.kind, equals: new) }) { continue }
                    indexes[number].removals.add(old, index, &encoder)
                } else {
                    indexes[number].lost.insert(new.reference)
                    try index.requireAvailable(new)
                }
                indexes[number].additions.add(new, index, &encoder)
            }
        }
        for deletion in packed.changes.deleted {
            guard let stored = try row(deletion.entity, deletion.reference, deletion.expectedVersion) else { continue }
            for number in indexes.indices where indexes[number].index.entities.contains(stored.row.entityIndex) {
                let index = indexes[number].index
                if let old = try snapshot.rows.expanded(stored, for: index) {
                    indexes[number].removals.add(old, index, &encoder)
                } else {
                    indexes[number].lost.insert(deletion.reference)
                }
            }
        }
        return conflicts
    }

    // MARK: - Writing

    private func writeRows() throws -> [StoreConflict] {
        let storage = unsafe RowStorage(transaction: snapshot.transaction, schema: schema)
        let changes = packed.changes
        try inOrder(changes.deleted, storage, { ($0.entity, $0.reference) }) { _, deletion, position in
            try storage.remove(deletion.reference, at: position)
        }
        try inOrder(changes.updated, storage, { ($0.row.entityIndex, $0.row.reference) }) { number, update, position in
            try storage.replace(update.row, tagged: packed.updated[number], at: position)
        }
        var taken: [Row] = []
        try inOrder(changes.inserted, storage, { ($0.entityIndex, $0.reference) }) { number, row, position in
            if try !storage.insert(row, tagged: packed.inserted[number], at: position) { taken.append(row) }
        }
        return try taken.map { row in
            let stored = try snapshot.stored(row.reference, in: try hierarchy(of: row.entityIndex))
            let reason: StoreConflict.Reason = try stored.map { .changed(try snapshot.rows.copy($0)) } ?? .deleted
            return StoreConflict(entity: row.entityIndex, reference: row.reference, reason: reason)
        }
    }

    /// Visits changes by hierarchy and reference: neighbours in the file are written together.
    private func inOrder<Change>(
        _ changes: [Change], _ storage: RowStorage, _ key: (Change) -> (entity: EntityIndex, reference: Int64),
        _ body: (Int, Change, RowStorage.Position) throws -> Void
    ) throws {
        if changes.count < 2 {
            for change in changes { try body(0, change, storage.position(hierarchy(of: key(change).entity))) }
            return
        }
        try inOrderOfMany(changes, storage, key, body)
    }

    private func inOrderOfMany<Change>(
        _ changes: [Change], _ storage: RowStorage, _ key: (Change) -> (entity: EntityIndex, reference: Int64),
        _ body: (Int, Change, RowStorage.Position) throws -> Void
    ) throws {
        func order(_ change: Change) throws -> RowPosition {
            let (entity, reference) = key(change)
            return RowPosition(try root(of: entity), reference)
        }
        var current: RowStorage.Position?
        func visit(_ number: Int) throws {
            let root = try root(of: key(changes[number]).entity)
            let position =
                if let current, current.hierarchy.root == root { current } else { try storage.position(try snapshot.hierarchy(root)) }
            current = position
            try body(number, changes[number], position)
        }
        if let runs = try orderedRuns(changes.count, { try order(changes[$0]) }) {
            for number in runs.joined() { try visit(number) }
        } else {
            let ranks = try changes.enumerated().map { (order: try order($1), number: $0) }.sorted { $0.order < $1.order }
            for (_, number) in ranks { try visit(number) }
        }
    }

    /// Writes an index's changes and returns the rows with values that violate a constraint.
    private func write(_ changes: inout IndexChanges, _ isUncontested: Bool) throws -> [StoreConflict] {
        let index = changes.index
        let hierarchy = try hierarchy(of: index.entities.lowerBound)
        let collisions = try unsafe changes.write(snapshot.transaction, path, isUncontested: isUncontested) { a, b in
            try snapshot.haveEqualValues(a, b, of: index, in: hierarchy)
        }
        guard case .unique(let names) = index.kind else { return [] }
        return try collisions.map { reference, other in
            let entity = try snapshot.stored(reference, in: hierarchy)?.row.entityIndex ?? index.entities.lowerBound
            return StoreConflict(entity: entity, reference: reference, reason: .constraint(names, other: other))
        }
    }
}
