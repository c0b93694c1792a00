import StrataSQL

/// Updates rows that have the versions expected, those with the same changed slots in one statement.
struct RowUpdater {
    private struct Shape: Hashable {
        let entity: EntityIndex
        let slots: [Slot]
    }

    let transaction: PostgreSQLTransaction

    func update(_ updates: [RowUpdate], _ conflicts: inout [StoreConflict]) throws {
        let byShape = Dictionary(grouping: updates) { Shape(entity: $0.row.entityIndex, slots: $0.changedSlots) }
        for (shape, updates) in byShape.sorted(by: { ($0.key.entity, $0.key.slots.count) < ($1.key.entity, $1.key.slots.count) }) {
            let sorted = updates.sorted { $0.row.reference < $1.row.reference }
            let done = try update(sorted, shape)
            transaction.log.note(.update, try transaction.table(of: shape.entity), done)
            if done.count == sorted.count { continue }
            for update in sorted where !done.contains(update.row.reference) {
                conflicts.append(try transaction.stale(shape.entity, update.row.reference, expected: update.expectedVersion))
            }
        }
    }

    /// ```sql
    /// UPDATE "s"."person" t0 SET "age" = t1.c0, "_version" = t1.next FROM unnest($1, $2, $3, $4) t1 (id, expected, next, c0)
    /// WHERE t0."_id" = t1.id AND t0."_version" = t1.expected AND … = 1 RETURNING t0."_id"
    /// ```
    private func update(_ updates: [RowUpdate], _ shape: Shape) throws -> Set<Int64> {
        let table = try transaction.table(of: shape.entity)
        let columns = shape.slots.map { ($0, table.column($0, of: shape.entity)) }
        var arrays = columns.map { ArrayValues($0.1.type) }
        for (index, (slot, column)) in columns.enumerated() {
            for update in updates { try arrays[index].append { try transaction.put(slot, of: update.row, column, to: &$0) } }
        }
        let names = columns.indices.map { SQLText("c\(number: $0)") }
        let keys = [
            ArrayValues(updates.map(\.row.reference)), ArrayValues(updates.map { Int64($0.expectedVersion) }),
            ArrayValues(updates.map { Int64($0.row.version) }),
        ]
        let values = zip(columns, names).map { SQLText("\(identifier: $0.1.name) = t1.\($1)") }
        let written = columns.map { WrittenColumn($0.1) } + [WrittenColumn(name: EntityTable.version, type: .bigint)]
        let sql: SQLText = """
            UPDATE \(table.name) t0 SET \(values + ["\(identifier: EntityTable.version) = t1.next"]) \
            FROM unnest(\((keys + arrays).map { "\(bind: $0.parameter)" })) t1 (\(["id", "expected", "next"] + names)) \
            WHERE \(column: EntityTable.id) = t1.id AND \(column: EntityTable.version) = t1.expected \
            AND \(SQLText.checkingTypes(written, of: table.name)) = 1 RETURNING \(column: EntityTable.id)
            """
        return try transaction.references(answeredBy: sql, table, written)
    }
}
