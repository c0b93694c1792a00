import StrataSQL

/// The conflicts of changes that SQLite refused or that matched no row.
extension SQLiteTransaction {
    /// Returns the conflict of a change whose row does not have the version expected.
    func stale(entity: EntityIndex, reference: Int64) throws -> StoreConflict {
        let root = store.model.entities[entity].root
        let row = try reader().row(root: root, reference: reference)
        return StoreConflict(entity: entity, reference: reference, reason: row.map { .changed($0) } ?? .deleted)
    }

    /// Returns the conflicts of a row that has the unique values of another row.
    func duplicates(of row: Row) throws -> [StoreConflict] {
        let entity = store.model.entities[row.entityIndex]
        let table = try table(of: row.entityIndex)
        return try entity.uniquenessConstraints.compactMap { constraint in
            guard !constraint.slots.contains(where: { row.isNull($0) }), let other = try other(than: row, constraint, entity, table) else {
                return nil
            }
            return StoreConflict(entity: entity.index, reference: row.reference, reason: .constraint(constraint.names, other: other))
        }
    }

    /// `SELECT Z_PK FROM ZPERSON WHERE ZEMAIL = ? AND Z_PK <> ? AND +Z_ENT IN (1, 2) LIMIT 1`: the row with the duplicate key.
    private func other(
        than row: Row, _ constraint: UniquenessConstraint, _ entity: EntityDescription, _ table: EntityTable
    ) throws -> Int64? {
        let binder = try RowBinder(constraint.slots, of: entity, table, store)
        let declaring = store.model.entities[constraint.declaringEntity]
        let conditions: [SQLText] =
            binder.columns.map { "\(identifier: $0) = ?" }
            + ["Z_PK <> ?", "+Z_ENT IN (\(numbers: declaring.hierarchy.map { table.number(of: $0) }))"]
        let sql: SQLText = "SELECT Z_PK FROM \(table: table.name) WHERE \(conditions, separator: " AND ") LIMIT 1"
        let statement = try connection.statement(sql.text)
        defer { statement.clear() }
        try binder.bind(row, to: statement, from: 1, self)
        statement.bind(row.reference, at: binder.columns.count + 1)
        return try statement.step(.save) ? statement.integer(0) : nil
    }
}
