import StrataModel
import StrataSQL
import StrataStore

/// Updates rows that have the versions expected, those of one shape in one statement.
struct RowUpdater {
    private struct Shape: Hashable {
        let entity: EntityIndex
        let slots: [Slot]
    }

    let transaction: PostgreSQLTransaction

    func update(_ updates: [RowUpdate], _ conflicts: inout [StoreConflict]) throws {
        var byShape: [Shape: [RowUpdate]] = [:]
        for update in updates { byShape[Shape(entity: update.row.entityIndex, slots: update.changedSlots), default: []].append(update) }
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
    /// WHERE t0."_id" = t1.id AND t0."_version" = t1.expected RETURNING t0."_id"
    /// ```
    private func update(_ updates: [RowUpdate], _ shape: Shape) throws -> Set<Int64> {
        let table = try transaction.table(of: shape.entity)
        let encoder = RowEncoder(model: transaction.model, schema: transaction.schema)
        let columns = shape.slots.map { ($0, table.column($0, of: shape.entity)) }
        var arrays = columns.map { ArrayValues($0.1.type) }
        for (index, (slot, column)) in columns.enumerated() {
            for update in updates { try arrays[index].append { try encoder.put(slot, of: update.row, column, to: &$0) } }
        }
        var sql = SQLText("UPDATE \(table.name) t0 SET ")
        for (index, (_, column)) in columns.enumerated() { sql.add("\(identifier: column.name) = t1.c\(number: index), ") }
        sql.add("\(identifier: EntityTable.version) = t1.next FROM unnest(")
        sql.add("\(bind: ArrayValues(updates.map(\.row.reference)).parameter), ")
        sql.add("\(bind: ArrayValues(updates.map { Int64($0.expectedVersion) }).parameter), ")
        sql.add("\(bind: ArrayValues(updates.map { Int64($0.row.version) }).parameter)")
        for array in arrays { sql.add(", \(bind: array.parameter)") }
        sql.add(") t1 (id, expected, next")
        for index in columns.indices { sql.add(", c\(number: index)") }
        sql.add(") WHERE \(column: EntityTable.id) = t1.id AND \(column: EntityTable.version) = t1.expected RETURNING ")
        sql.add("\(column: EntityTable.id)")
        return try transaction.references(answeredBy: sql, table)
    }
}
