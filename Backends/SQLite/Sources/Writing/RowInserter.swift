import CSQLite
import StrataModel
import StrataStore

/// Inserts rows, many with one statement.
///
/// `OR FAIL` keeps the rows of a statement that went in before one was refused, so that SQLite need not keep a journal for the statement
/// besides that of the transaction; the transaction is rolled back then in any case.
struct RowInserter {
    private static let batchSize = 32
    private static let parameterLimit = 16_000

    private unowned let transaction: SQLiteTransaction
    private let finder: ConflictFinder
    /// The greatest reference inserted, by the root of the tree.
    private(set) var greatest: [Int: Int64] = [:]

    init(_ transaction: SQLiteTransaction, _ finder: ConflictFinder) {
        self.transaction = transaction
        self.finder = finder
    }

    /// Inserts rows in the order of the tables.
    mutating func insert(_ rows: [Row], _ conflicts: inout [StoreConflict]) throws {
        var byEntity: [Int: [Row]] = [:]
        for row in rows { byEntity[row.entityIndex, default: []].append(row) }
        for (index, rows) in byEntity.sorted(by: { $0.key < $1.key }) {
            let table = try transaction.table(of: index)
            let entity = transaction.store.model.entities[index]
            var isAscending = true
            for place in rows.indices.dropFirst() where rows[place - 1].reference > rows[place].reference {
                isAscending = false
                break
            }
            let sorted = isAscending ? rows : rows.sorted { $0.reference < $1.reference }
            try insert(sorted, entity, table, &conflicts)
            greatest[entity.root] = max(greatest[entity.root] ?? 0, sorted.last?.reference ?? 0)
        }
    }

    private func insert(
        _ rows: [Row], _ entity: EntityDescription, _ table: EntityTable, _ conflicts: inout [StoreConflict]
    ) throws {
        let binder = try RowBinder(entity.layout.slots.indices, of: entity, table, transaction)
        let width = binder.columns.count + 2
        let size = max(1, min(RowInserter.batchSize, RowInserter.parameterLimit / width))
        var place = 0
        if rows.count >= size, size > 1 {
            let batch = try statement(size, entity, table, binder)
            defer { batch.clear() }
            while rows.count - place >= size {
                for offset in 0..<size { try bind(rows[place + offset], binder, batch, from: 1 + offset * width) }
                let code = batch.attempt()
                if code == SQLITE_DONE {
                    batch.reset()
                    place += size
                    continue
                }
                let error = transaction.connection.error(code, "save")
                let done = transaction.connection.changes
                batch.reset()
                guard ConflictFinder.isConstraint(code), done < size else { throw error }
                try refuse(rows[place + done], error, &conflicts)
                place += done + 1
            }
        }
        let single = try statement(1, entity, table, binder)
        defer { single.clear() }
        for row in rows[place...] {
            try bind(row, binder, single, from: 1)
            let code = single.attempt()
            if code == SQLITE_DONE {
                single.reset()
                continue
            }
            let error = transaction.connection.error(code, "save")
            single.reset()
            guard ConflictFinder.isConstraint(code) else { throw error }
            try refuse(row, error, &conflicts)
        }
    }

    @inline(__always)
    private func bind(_ row: Row, _ binder: RowBinder, _ statement: Statement, from first: Int) throws {
        statement.bind(row.reference, at: first)
        statement.bind(Int64(row.version), at: first + 1)
        try binder.bind(row, to: statement, from: first + 2)
    }

    private func refuse(_ row: Row, _ error: StoreError, _ conflicts: inout [StoreConflict]) throws {
        let found = try finder.duplicates(of: row)
        if !found.isEmpty {
            conflicts += found
            return
        }
        let conflict = try finder.stale(entity: row.entityIndex, reference: row.reference)
        guard case .changed = conflict.reason else { throw error }
        conflicts.append(conflict)
    }

    private func statement(_ count: Int, _ entity: EntityDescription, _ table: EntityTable, _ binder: RowBinder) throws -> Statement {
        var sql = SQLText("INSERT OR FAIL INTO ")
        sql.add(identifier: table.name)
        sql.add(" (Z_PK, Z_OPT, ")
        for column in binder.columns {
            sql.add(identifier: column)
            sql.add(", ")
        }
        sql.add("Z_ENT) VALUES ")
        let number = table.number(of: entity.index)
        sql.add(0..<count, separator: ", ") { sql, _ in
            sql.add("(?, ?, ")
            for _ in binder.columns { sql.add("?, ") }
            sql.add(number: number)
            sql.add(")")
        }
        return try transaction.connection.statement(sql.text)
    }
}
