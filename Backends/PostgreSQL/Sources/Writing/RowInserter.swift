import StrataSQL
import Synchronization

/// Inserts rows: a few by a prepared statement, more by COPY.
struct RowInserter {
    let transaction: PostgreSQLTransaction

    private static let pieceSize = 64 << 10
    /// The maximum number of rows for a statement: COPY costs one more round trip, and planning.
    private static let mostByStatement = 16
    /// The start of COPY's binary format: a signature, no flags, no header extension.
    private static let header = [UInt8]("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00] + [UInt8](repeating: 0, count: 8)

    func insert(_ rows: [Row]) throws {
        for (entity, rows) in Dictionary(grouping: rows, by: \.entityIndex).sortedByKey() { try insert(rows, of: entity) }
    }

    private func insert(_ rows: [Row], of entity: EntityIndex) throws {
        let table = try transaction.table(of: entity)
        let columns = transaction.model.entities[entity].layout.indexedSlots.map { ($0.slot, table.column($0.slot, of: entity)) }
        if try rows.count > RowInserter.mostByStatement || !postponeInsertion(rows, table, of: entity, columns),
            try copy(rows, table, of: entity, columns).affected < rows.count
        {
            throw StoreError.passedOver(table.name, .save)
        }
        transaction.log.note(.insert, table, rows.lazy.map(\.reference))
        if let greatest = rows.map(\.reference).max() {
            try transaction.references.note(greatest, table, transaction.connection)
        }
    }

    /// `"s"."person" ("_id", "_entity", "_version", "name")`.
    private func target(_ table: EntityTable, _ columns: [(Slot, Column)]) -> SQLText {
        let names = [EntityTable.id, EntityTable.entity, EntityTable.version] + columns.map(\.1.name)
        return "\(table.name) (\(identifiers: names))"
    }

    /// Returns a statement that inserts rows, and fails where one of them was skipped.
    ///
    /// ```sql
    /// WITH done AS (INSERT INTO "s"."person" ("_id", "_entity", "_version", "name") SELECT * FROM unnest($1, $2, $3, $4) RETURNING true)
    /// SELECT 1 / (count(*) = $5)::integer, … FROM done
    /// ```
    private func insertion(_ count: Int, of values: [SQLParameter], _ table: EntityTable, _ columns: [(Slot, Column)]) -> SQLText {
        let values = values.map { SQLText("\(bind: $0)") }
        let end = SQLText.requiring(count, .checkingTypes(written(columns), of: table.name))
        return "WITH done AS (INSERT INTO \(target(table, columns)) SELECT * FROM unnest(\(values))\(end)"
    }

    private func written(_ columns: [(Slot, Column)]) -> [WrittenColumn] { WrittenColumn.identity + columns.map { WrittenColumn($0.1) } }

    /// Postpones a statement that inserts rows.
    ///
    /// - Returns: Whether the rows were small enough for one.
    private func postponeInsertion(_ rows: [Row], _ table: EntityTable, of entity: EntityIndex, _ columns: [(Slot, Column)]) throws -> Bool
    {
        let number = Int32(truncatingIfNeeded: table.number(of: entity))
        var entities = ArrayValues(.integer)
        var arrays = columns.map { ArrayValues($0.1.type) }
        for row in rows {
            entities.append { $0.put(field: number) }
            for (index, (slot, column)) in columns.enumerated() {
                try arrays[index].append { try transaction.put(slot, of: row, column, to: &$0) }
            }
            if arrays.reduce(0, { $0 + $1.fields.count }) > RowInserter.pieceSize { return false }
        }
        let keys = [ArrayValues(rows.map(\.reference)), entities, ArrayValues(rows.map { Int64($0.version) })]
        let values = (keys + arrays).map(\.parameter)
        let sql = transaction.store.statements.insertion(of: entity, values + [.bigint(Int64(rows.count))]) {
            insertion(rows.count, of: values, table, columns)
        }
        try transaction.connection.postpone(sql, .save, transaction.explaining(table.name, written(columns)))
        return true
    }

    /// `SELECT …; COPY "s"."person" ("_id", "_entity", "_version", "name") FROM STDIN (FORMAT binary)`: the types are checked in the same message.
    private func copy(
        _ rows: [Row], _ table: EntityTable, of entity: EntityIndex, _ columns: [(Slot, Column)]
    ) throws -> ResultTable {
        let number = Int32(truncatingIfNeeded: table.number(of: entity))
        let written = written(columns)
        let sql: SQLText = """
            SELECT \(SQLText.checkingTypes(written, of: table.name)); COPY \(target(table, columns)) FROM STDIN (FORMAT binary)
            """
        return try transaction.explained(table.name, written) {
            try transaction.connection.copy(sql, .save) { try put(rows, number, columns, $0) }
        }
    }

    private func put(_ rows: [Row], _ number: Int32, _ columns: [(Slot, Column)], _ send: (BinaryBuffer) throws -> Void) throws {
        var buffer = BinaryBuffer()
        buffer.put(raw: RowInserter.header)
        for row in rows {
            buffer.put(Int16(truncatingIfNeeded: columns.count + 3))
            buffer.put(field: row.reference)
            buffer.put(field: number)
            buffer.put(field: Int64(row.version))
            for (slot, column) in columns { try transaction.put(slot, of: row, column, to: &buffer) }
            if buffer.count >= RowInserter.pieceSize {
                try send(buffer)
                buffer.removeAll()
            }
        }
        buffer.put(Int16(-1))
        try send(buffer)
    }
}
