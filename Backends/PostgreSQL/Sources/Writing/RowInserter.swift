import StrataModel
import StrataStore

/// Inserts rows by copying them in.
struct RowInserter {
    let transaction: PostgreSQLTransaction

    private static let pieceSize = 64 << 10
    /// What a copy in the binary format begins with: a signature, no flags, no more header.
    private static let header = [UInt8]("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

    func insert(_ rows: [Row]) throws {
        if rows.isEmpty { return }
        var byEntity: [EntityIndex: [Row]] = [:]
        for row in rows { byEntity[row.entityIndex, default: []].append(row) }
        for (entity, rows) in byEntity.sorted(by: { $0.key < $1.key }) { try insert(rows, of: entity) }
    }

    /// `COPY "s"."person" ("_id", "_entity", "_version", "name") FROM STDIN (FORMAT binary)`.
    private func insert(_ rows: [Row], of entity: EntityIndex) throws {
        let table = try transaction.table(of: entity)
        let columns = transaction.model.entities[entity].layout.placedSlots.map { ($0.slot, table.column($0.slot, of: entity)) }
        var sql = SQLText("COPY ")
        sql.add(table.name)
        sql.add(" (")
        let names = [EntityTable.id, EntityTable.entity, EntityTable.version] + columns.map(\.1.name)
        sql.add(names, separator: ", ") { $0.add(identifier: $1) }
        sql.add(") FROM STDIN (FORMAT binary)")
        let encoder = RowEncoder(model: transaction.model, schema: transaction.schema)
        let number = Int32(truncatingIfNeeded: table.number(of: entity))
        try transaction.connection.copy(sql, .save) { send in
            var buffer = BinaryBuffer()
            buffer.put(raw: RowInserter.header)
            for row in rows {
                buffer.put(Int16(truncatingIfNeeded: names.count))
                buffer.put(field: row.reference)
                buffer.put(field: number)
                buffer.put(field: Int64(row.version))
                for (slot, column) in columns { try encoder.put(slot, of: row, column, to: &buffer) }
                if buffer.count >= RowInserter.pieceSize {
                    try send(buffer)
                    buffer.removeAll()
                }
            }
            buffer.put(Int16(-1))
            try send(buffer)
        }
        transaction.log.note(.insert, table, rows.lazy.map(\.reference))
        if let greatest = rows.map(\.reference).max() {
            try transaction.references.note(greatest, table, transaction.connection)
        }
    }
}
