import StrataSQL

/// Updates rows with the versions expected.
///
/// Constraints apply to the result of all changes, but SQLite checks each statement. A row with values that another row
/// still has is therefore written without them first, and gets them after all others were written.
struct RowUpdater {
    unowned let transaction: SQLiteTransaction

    /// Writes rows in the order of the tables, which visits each page once.
    func update(_ updates: [RowUpdate], _ conflicts: inout [StoreConflict]) throws {
        guard !updates.isEmpty else { return }
        let entities = transaction.store.model.entities
        guard updates.allSatisfy({ entities.typedIndices().contains($0.row.entityIndex) }) else {
            throw StoreError(.unknownEntity, .save, "malformed row: unknown entity", path: transaction.store.path)
        }
        let sorted =
            updates.count == 1
            ? updates
            : updates.sorted {
                let (rootA, rootB) = (entities[$0.row.entityIndex].root, entities[$1.row.entityIndex].root)
                return rootA != rootB ? rootA < rootB : $0.row.reference < $1.row.reference
            }
        var delayed: [RowUpdate] = []
        var current: UpdateStatement?
        defer { current?.statement.clear() }
        var shape = UpdateStatement.Shape(entity: -1, slots: [])
        for update in sorted {
            if current == nil || shape.entity != update.row.entityIndex || shape.slots != update.changedSlots {
                shape = UpdateStatement.Shape(entity: update.row.entityIndex, slots: update.changedSlots)
                current?.statement.clear()
                current = try statement(shape)
            }
            guard let current else { continue }
            for dropper in current.droppers { try dropper.drop(update.row.reference, transaction) }
            try write(update, current, &delayed, &conflicts)
        }
        for update in delayed { try complete(update, &conflicts) }
    }

    private func write(
        _ update: RowUpdate, _ prepared: UpdateStatement, _ delayed: inout [RowUpdate], _ conflicts: inout [StoreConflict]
    ) throws {
        let row = update.row
        try prepared.bind(update, transaction)
        if try prepared.statement.runUnlessRefused(.save) == nil {
            if transaction.connection.changes == 0 {
                conflicts.append(try transaction.stale(entity: row.entityIndex, reference: row.reference))
            }
            return
        }
        // Without the values that another row has.
        for (offset, slot) in update.changedSlots.enumerated() where isUnique(slot, of: row.entityIndex) {
            prepared.statement.bindNull(at: offset + 1)
        }
        try prepared.statement.run(.save)
        delayed.append(update)
    }

    private func isUnique(_ slot: Slot, of entity: EntityIndex) -> Bool {
        transaction.store.model.entities[entity].uniquenessConstraints.contains { $0.slots.contains(slot) }
    }

    /// Writes the values that a row was written without: `UPDATE ZPERSON SET ZEMAIL = ? WHERE Z_PK = ?`.
    private func complete(_ update: RowUpdate, _ conflicts: inout [StoreConflict]) throws {
        let entity = transaction.store.model.entities[update.row.entityIndex]
        let slots = update.changedSlots.filter { isUnique($0, of: entity.index) }
        let table = try transaction.table(of: entity.index)
        let binder = try RowBinder(slots, of: entity, table, transaction.store)
        let columns = binder.columns.map { SQLText("\(identifier: $0) = ?") }
        let statement = try transaction.connection.statement(
            SQLText("UPDATE \(table: table.name) SET \(columns) WHERE Z_PK = ?").text)
        defer { statement.clear() }
        try binder.bind(update.row, to: statement, from: 1, transaction)
        statement.bind(update.row.reference, at: binder.columns.count + 1)
        guard let refusal = try statement.runUnlessRefused(.save) else { return }
        let found = try transaction.duplicates(of: update.row)
        if found.isEmpty { throw refusal }
        conflicts += found
    }

    private func statement(_ shape: UpdateStatement.Shape) throws -> UpdateStatement {
        try transaction.connection.storeStatements.writes.update(shape) {
            try UpdateStatement(shape, try transaction.table(of: shape.entity), transaction.store, transaction.connection)
        }
    }
}
