import StrataModel
import StrataStore

/// Deletes rows with the versions expected, and their links.
struct RowDeleter {
    private unowned let transaction: SQLiteTransaction
    private let finder: ConflictFinder
    /// The greatest reference deleted, by the root of the tree.
    private(set) var greatest: [EntityIndex: Int64] = [:]

    init(_ transaction: SQLiteTransaction, _ finder: ConflictFinder) {
        self.transaction = transaction
        self.finder = finder
    }

    /// Deletes rows in the order of the tables, which visits each page once.
    mutating func delete(_ deletions: [RowDeletion], _ conflicts: inout [StoreConflict]) throws {
        guard !deletions.isEmpty else { return }
        let entities = transaction.store.model.entities
        var byEntity: [EntityIndex: [RowDeletion]] = [:]
        for deletion in deletions { byEntity[deletion.entity, default: []].append(deletion) }
        for (entity, deletions) in byEntity.sorted(by: { $0.key < $1.key }) {
            let table = try transaction.table(of: entity)
            let sorted = deletions.sorted { $0.reference < $1.reference }
            try dropExternal(sorted, entities[entity], table)
            greatest[table.root] = max(greatest[table.root] ?? 0, sorted.last?.reference ?? 0)
            let statement = try self.statement(table)
            for deletion in sorted {
                statement.bind(deletion.reference, at: 1)
                statement.bind(Int64(deletion.expectedVersion), at: 2)
                try statement.run(.save)
                if transaction.connection.changes == 0 {
                    conflicts.append(try finder.stale(entity: entity, reference: deletion.reference))
                }
            }
            try deleteLinks(of: sorted, entities[entity])
        }
    }

    /// `DELETE FROM ZPERSON WHERE Z_PK = ?1 AND IFNULL(Z_OPT, 0) & 4294967295 = ?2`: the optimistic lock is in the condition.
    private func statement(_ table: EntityTable) throws -> Statement {
        var sql = SQLText("DELETE FROM ")
        sql.add(identifier: table.name)
        sql.add(" WHERE Z_PK = ?1 AND IFNULL(Z_OPT, 0) & 4294967295 = ?2")
        return try transaction.connection.statement(sql.text)
    }

    /// `DELETE FROM Z_1PROJECTS WHERE Z_1MEMBERS = ?1`.
    private func deleteLinks(of deletions: [RowDeletion], _ entity: EntityDescription) throws {
        for link in transaction.store.model.linkTables {
            guard let join = transaction.store.schema.joins[link.index] else { continue }
            for side in [LinkSide.first, .second] {
                let end = transaction.store.model.entities[link.end(side).entity]
                guard entity.isKind(of: end) || end.isKind(of: entity) else { continue }
                var sql = SQLText("DELETE FROM ")
                sql.add(identifier: join.name)
                sql.add(" WHERE ")
                sql.add(identifier: join.column(side))
                sql.add(" = ?1")
                let statement = try transaction.connection.statement(sql.text)
                for deletion in deletions {
                    statement.bind(deletion.reference, at: 1)
                    try statement.run(.save)
                }
            }
        }
    }

    private func dropExternal(_ deletions: [RowDeletion], _ entity: EntityDescription, _ table: EntityTable) throws {
        let columns = Set(table.columns(of: entity.index)).map { table.columns[$0] }.filter { $0.isExternal && $0.isPresent }
        for column in columns {
            let dropper = ExternalDropper(table, column)
            for deletion in deletions { try dropper.drop(deletion.reference, transaction) }
        }
    }
}

/// Notes the file that a row's column names, before the column changes: `SELECT ZPHOTO FROM ZPERSON WHERE Z_PK = ?1`.
struct ExternalDropper {
    private let text: String

    init(_ table: EntityTable, _ column: Column) {
        var sql = SQLText("SELECT ")
        sql.add(identifier: column.name)
        sql.add(" FROM ")
        sql.add(identifier: table.name)
        sql.add(" WHERE Z_PK = ?1")
        text = sql.text
    }

    func drop(_ reference: Int64, _ transaction: SQLiteTransaction) throws {
        let statement = try transaction.connection.statement(text)
        defer { statement.reset() }
        statement.bind(reference, at: 1)
        if try statement.step(.save), let bytes = unsafe statement.blobBytes(0) { unsafe transaction.external.drop(bytes) }
    }
}
