import StrataSQL

/// Deletes rows with the versions expected, and their links.
struct RowDeleter {
    unowned let transaction: SQLiteTransaction

    /// Deletes rows in the order of the tables, which visits each page once.
    func delete(_ deletions: [RowDeletion], _ conflicts: inout [StoreConflict]) throws {
        let entities = transaction.store.model.entities
        for (entity, deletions) in Dictionary(grouping: deletions, by: \.entity).sortedByKey() {
            let table = try transaction.table(of: entity)
            let sorted = deletions.sorted { $0.reference < $1.reference }
            let statements = try statements(entities[entity], table)
            for dropper in statements.droppers { for deletion in sorted { try dropper.drop(deletion.reference, transaction) } }
            for deletion in sorted {
                statements.row.bind(deletion.reference, at: 1)
                statements.row.bind(Int64(deletion.expectedVersion), at: 2)
                try statements.row.run(.save)
                if transaction.connection.changes == 0 {
                    conflicts.append(try transaction.stale(entity: entity, reference: deletion.reference))
                }
            }
            for statement in statements.links {
                for deletion in sorted {
                    statement.bind(deletion.reference, at: 1)
                    try statement.run(.save)
                }
            }
            if let last = sorted.last { try transaction.note(last.reference, root: table.root) }
        }
    }

    private func statements(_ entity: EntityDescription, _ table: EntityTable) throws -> DeleteStatements {
        try transaction.connection.storeStatements.writes.delete(entity.index) {
            try DeleteStatements(entity, table, transaction.store, transaction.connection)
        }
    }
}

/// Records the external file in a row's column before the column changes: `SELECT ZPHOTO FROM ZPERSON WHERE Z_PK = ?1`.
struct ExternalDropper {
    private let text: String

    init(_ table: EntityTable, _ column: Column) {
        text = SQLText("SELECT \(identifier: column.name) FROM \(identifier: table.name) WHERE Z_PK = ?1").text
    }

    func drop(_ reference: Int64, _ transaction: SQLiteTransaction) throws {
        let statement = try transaction.connection.statement(text)
        defer { statement.reset() }
        statement.bind(reference, at: 1)
        if try statement.step(.save), let bytes = unsafe statement.blobBytes(0) { unsafe transaction.drop(bytes) }
    }
}
