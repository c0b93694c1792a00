import StrataModel
import StrataStore

/// Deletes rows that have the versions expected, and their links.
struct RowDeleter {
    let transaction: PostgreSQLTransaction

    func delete(_ deletions: [RowDeletion], _ conflicts: inout [StoreConflict]) throws {
        var byEntity: [EntityIndex: [RowDeletion]] = [:]
        for deletion in deletions { byEntity[deletion.entity, default: []].append(deletion) }
        for (entity, deletions) in byEntity.sorted(by: { $0.key < $1.key }) {
            let sorted = deletions.sorted { $0.reference < $1.reference }
            let table = try transaction.table(of: entity)
            let done = try delete(sorted, table)
            transaction.log.note(.delete, table, done)
            if done.count < sorted.count {
                for deletion in sorted where !done.contains(deletion.reference) {
                    conflicts.append(try transaction.stale(entity, deletion.reference, expected: deletion.expectedVersion))
                }
            }
            try deleteLinks(of: sorted.map(\.reference), transaction.model.entities[entity])
        }
    }

    /// ```sql
    /// DELETE FROM "s"."person" t0 USING unnest($1, $2) t1 (id, expected)
    /// WHERE t0."_id" = t1.id AND t0."_version" = t1.expected RETURNING t0."_id"
    /// ```
    private func delete(_ deletions: [RowDeletion], _ table: EntityTable) throws -> Set<Int64> {
        var sql = SQLText("DELETE FROM ")
        sql.add(table.name)
        sql.add(" t0 USING unnest(")
        sql.bind(ArrayValues(deletions.map(\.reference)).parameter)
        sql.add(", ")
        sql.bind(ArrayValues(deletions.map { Int64($0.expectedVersion) }).parameter)
        sql.add(") t1 (id, expected) WHERE ")
        sql.add(column: EntityTable.id)
        sql.add(" = t1.id AND ")
        sql.add(column: EntityTable.version)
        sql.add(" = t1.expected RETURNING ")
        sql.add(column: EntityTable.id)
        return try transaction.references(answeredBy: sql)
    }

    /// `DELETE FROM "s"."person_friends" t0 WHERE t0."person_id" = ANY($1)`.
    func deleteLinks(of references: [Int64], _ entity: EntityDescription) throws {
        for link in transaction.model.linkTables {
            guard let join = transaction.schema.joins[link.index] else { continue }
            for side in [LinkSide.first, .second] {
                let end = transaction.model.entities[link.end(side).entity]
                guard entity.isKind(of: end) || end.isKind(of: entity) else { continue }
                var sql = SQLText("DELETE FROM ")
                sql.add(join.name)
                sql.add(" t0 WHERE ")
                sql.add(column: join.column(side))
                sql.add(" = ANY(")
                sql.bind(ArrayValues(references).parameter)
                sql.add(")")
                if try transaction.connection.execute(sql, .save).affected > 0 { transaction.log.note(linksOf: join) }
            }
        }
    }
}
