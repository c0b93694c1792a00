import StrataSQL

/// Finds rows that have the same values as another row in the attributes of a uniqueness constraint.
struct DuplicateFinder {
    let transaction: PostgreSQLTransaction

    /// Returns the conflicts of changes that were written; the server checks the constraints at the end of the transaction.
    func conflicts(_ changes: ChangeSet) throws -> [StoreConflict] {
        var entities: [EntityIndex: [Row]] = [:]
        /// The position of each row among the changes: of two equal ones, the later is the conflict.
        var positions: [EntityIndex: [Int64: Int]] = [:]
        let model = transaction.model
        func add(_ row: Row) {
            let root = model.entities[row.entityIndex].root
            positions[root, default: [:]][row.reference] = positions[root]?.count ?? 0
            entities[row.entityIndex, default: []].append(row)
        }
        for update in changes.updated {
            let constraints = model.entities[update.row.entityIndex].uniquenessConstraints
            if constraints.contains(where: { $0.slots.contains(where: update.changedSlots.contains) }) { add(update.row) }
        }
        for row in changes.inserted where !model.entities[row.entityIndex].uniquenessConstraints.isEmpty { add(row) }
        var conflicts: [StoreConflict] = []
        for (index, rows) in entities.sortedByKey() {
            let entity = model.entities[index]
            for constraint in entity.uniquenessConstraints {
                let complete = rows.filter { row in constraint.slots.allSatisfy { !row.isNull($0) } }
                if complete.isEmpty { continue }
                for (reference, other) in try pairs(complete.map(\.reference), constraint, entity) {
                    let known = positions[entity.root] ?? [:]
                    if let position = known[other], position > known[reference] ?? 0 { continue }
                    conflicts.append(
                        StoreConflict(entity: index, reference: reference, reason: .constraint(constraint.names, other: other)))
                }
            }
        }
        return conflicts
    }

    /// ```sql
    /// SELECT t0."_id", min(t1."_id") FROM "s"."person" t0 JOIN "s"."person" t1 ON t1."email" = t0."email" AND t1."_id" <> t0."_id"
    /// WHERE t0."_id" = ANY($1) AND t1."_entity" IN (1, 2) GROUP BY t0."_id" ORDER BY t0."_id"
    /// ```
    private func pairs(
        _ references: [Int64], _ constraint: UniquenessConstraint, _ entity: EntityDescription
    ) throws -> [(Int64, Int64)] {
        let table = try transaction.table(of: entity.index)
        let conditions = constraint.slots.flatMap { slot -> [SQLText] in
            let column = table.column(slot, of: entity.index)
            let areEqual: SQLText = "\(column: column.name, of: 1) = \(column: column.name)"
            guard constraint.slots.count > 1, column.type == .text || column.type == .bytea else { return [areEqual] }
            // The hash in an index over several columns, see ``LongKeyIndexing``.
            let hashes = [1, 0].map { SQLText.hash(column.type == .text ? .text : .bytes, of: "\(column: column.name, of: $0)") }
            return [areEqual, "\(hashes, separator: " = ")"]
        }
        let key: SQLText = "\(column: EntityTable.id)"
        let numbers = transaction.model.entities[constraint.declaringEntity].hierarchy.map { table.number(of: $0) }
        let sql: SQLText = """
            SELECT \(key), min(\(column: EntityTable.id, of: 1)) FROM \(table.name) t0 JOIN \(table.name) t1 \
            ON \(conditions, separator: " AND ") AND \(column: EntityTable.id, of: 1) <> \(key) \
            WHERE \(key) = ANY(\(bind: ArrayValues(references).parameter)) \
            AND \(column: EntityTable.entity, of: 1) IN (\(numbers: numbers)) GROUP BY \(key) ORDER BY \(key)
            """
        let result = try transaction.connection.execute(sql, .save)
        return (0..<result.count).compactMap { row in
            guard let mine = result.integer(row, 0), let other = result.integer(row, 1) else { return nil }
            return (mine, other)
        }
    }
}
