import StrataSQL

/// Deletes rows that have the versions expected, and their links.
struct RowDeleter {
    let transaction: PostgreSQLTransaction

    func delete(_ deletions: [RowDeletion], _ conflicts: inout [StoreConflict]) throws {
        for (entity, deletions) in Dictionary(grouping: deletions, by: \.entity).sortedByKey() {
            let sorted = deletions.sorted { $0.reference < $1.reference }
            let table = try transaction.table(of: entity)
            // Links are deleted first: foreign keys would delete them with the rows, without a report.
            try deleteLinks(of: sorted.map(\.reference), transaction.model.entities[entity])
            let done = try delete(sorted, table)
            transaction.log.note(.delete, table, done)
            if done.count < sorted.count {
                for deletion in sorted where !done.contains(deletion.reference) {
                    conflicts.append(try transaction.stale(entity, deletion.reference, expected: deletion.expectedVersion))
                }
            }
        }
    }

    /// The number of rows from which an array of references is used, for which the server plans anew each time.
    private static let many = 16

    private func delete(_ deletions: [RowDeletion], _ table: EntityTable) throws -> Set<Int64> {
        guard deletions.count >= RowDeleter.many, let version = deletions.first?.expectedVersion,
            deletions.allSatisfy({ $0.expectedVersion == version })
        else { return try transaction.references(answeredBy: deletion(of: deletions, table), table) }
        return try transaction.references(answeredBy: deletion(of: deletions.map(\.reference), version, table), table)
    }

    /// ```sql
    /// DELETE FROM "s"."person" t0 USING unnest($1, $2) t1 (id, expected)
    /// WHERE t0."_id" = t1.id AND t0."_version" = t1.expected RETURNING t0."_id"
    /// ```
    private func deletion(of deletions: [RowDeletion], _ table: EntityTable) -> SQLText {
        let references = ArrayValues(deletions.map(\.reference)), versions = ArrayValues(deletions.map { Int64($0.expectedVersion) })
        return """
            DELETE FROM \(table.name) t0 USING unnest(\(bind: references.parameter), \(bind: versions.parameter)) t1 (id, expected) \
            WHERE \(column: EntityTable.id) = t1.id AND \(column: EntityTable.version) = t1.expected \
            RETURNING \(column: EntityTable.id)
            """
    }

    /// Returns the statement for rows of one version, without a join, for which the server would read other rows, too:
    /// `DELETE FROM "s"."person" t0 WHERE t0."_id" = ANY($1) AND t0."_version" = $2 RETURNING t0."_id"`.
    private func deletion(of references: [Int64], _ version: UInt32, _ table: EntityTable) -> SQLText {
        let version = SQLText("\(column: EntityTable.version) = \(bind: .bigint(Int64(version)))")
        return "DELETE\(table.rows(references)) AND \(version) RETURNING \(column: EntityTable.id)"
    }

    /// Deletes the links of objects in one round trip: `DELETE FROM "s"."person_friends" t0 WHERE t0."person_id" = ANY($1)`.
    ///
    /// - Parameter areGone: Whether the rows are deleted already, which may have deleted their links.
    func deleteLinks(of references: [Int64], _ entity: EntityDescription, areGone: Bool = false) throws {
        let parameter = ArrayValues(references).parameter
        let joins = transaction.schema.links(of: entity, in: transaction.model)
        if joins.isEmpty { return }
        let statements = joins.flatMap { join, side in
            let rows: SQLText = "\(join.name) t0 WHERE \(column: join.column(side)) = ANY(\(bind: parameter))"
            return [SQLText.counting("SELECT count(*) FROM \(rows)", ifWatched: join.name), "DELETE FROM \(rows)"]
        }
        let answers = try transaction.connection.execute(statements, .save)
        for (index, (join, _)) in joins.enumerated() {
            let affected = try answers.result(2 * index + 1, .save).affected
            try transaction.check(affected, answers.result(2 * index, .save), join.name)
            if affected > 0 || areGone { transaction.log.note(linksOf: join) }
        }
    }
}
