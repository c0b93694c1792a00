import CStrataSQLite
import StrataModel
import StrataStore

/// Inserts rows, many with one statement.
///
/// `OR FAIL` keeps the rows of a statement that went in before one was refused, so that SQLite need not keep a journal for the statement
/// besides that of the transaction; the transaction is rolled back then in any case. What the statement says of conflicts holds for the
/// triggers that it calls too, though, and those of Core Data's replace what is there: with triggers, each row is inserted by a
/// statement that says nothing of conflicts.
struct RowInserter {
    private static let batchSize = 32
    private static let parameterLimit = 16_000

    private unowned let transaction: SQLiteTransaction
    private let finder: ConflictFinder
    /// The greatest reference inserted, by the root of the tree.
    private(set) var greatest: [EntityIndex: Int64] = [:]

    init(_ transaction: SQLiteTransaction, _ finder: ConflictFinder) {
        self.transaction = transaction
        self.finder = finder
    }

    /// Inserts rows in the order of the tables.
    mutating func insert(_ rows: [Row], _ conflicts: inout [StoreConflict]) throws {
        guard let first = rows.first else { return }
        if rows.allSatisfy({ $0.entityIndex == first.entityIndex }) { return try insert(rows, of: first.entityIndex, &conflicts) }
        for (index, rows) in Dictionary(grouping: rows, by: \.entityIndex).sorted(by: { $0.key < $1.key }) {
            try insert(rows, of: index, &conflicts)
        }
    }

    private mutating func insert(_ rows: [Row], of index: EntityIndex, _ conflicts: inout [StoreConflict]) throws {
        let isAscending = zip(rows, rows.dropFirst()).allSatisfy { $0.reference <= $1.reference }
        let rows = isAscending ? rows : rows.sorted { $0.reference < $1.reference }
        let statements = try Statements(index, transaction)
        defer { statements.clear() }
        var place = 0
        while let refusal = try insert(rows, from: place, statements) {
            try refuse(rows[refusal.place], refusal.error, &conflicts)
            place = refusal.place + 1
        }
        note(rows.last)
    }

    /// Inserts rows of one entity, references ascending, up to the first that is refused.
    ///
    /// - Returns: How many rows were inserted.
    mutating func insertUncontested(_ rows: [Row]) throws -> Int {
        guard let first = rows.first else { return 0 }
        let statements = try Statements(first.entityIndex, transaction)
        defer { statements.clear() }
        let count = try insert(rows, from: 0, statements)?.place ?? rows.count
        note(rows[..<count].last)
        return count
    }

    private mutating func note(_ row: Row?) {
        guard let row else { return }
        let root = transaction.store.model.entities[row.entityIndex].root
        greatest[root] = max(greatest[root] ?? 0, row.reference)
    }

    /// Inserts rows from a place on.
    ///
    /// - Returns: The place of the first row that is refused, and why.
    private func insert(_ rows: [Row], from start: Int, _ statements: Statements) throws -> (place: Int, error: StoreError)? {
        var place = start
        while place < rows.count {
            let size = rows.count - place < statements.size ? 1 : statements.size
            let statement = size == 1 ? statements.single : statements.many
            var parameter = 1
            for row in rows[place..<(place + size)] {
                try bind(row, statements.binder, statement, from: parameter)
                parameter += statements.width
            }
            let code = statement.attempt()
            if code == SQLITE_DONE {
                statement.reset()
                place += size
                continue
            }
            let error = transaction.connection.error(code, .save)
            let done = size == 1 ? 0 : transaction.connection.changes
            statement.reset()
            guard ConflictFinder.isConstraint(code), done < size else { throw error }
            return (place + done, error)
        }
        return nil
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

    /// The statements that insert rows of one entity, one or many at a time.
    private struct Statements {
        let binder: RowBinder
        /// The number of a row's parameters.
        let width: Int
        /// The number of rows that ``many`` inserts.
        let size: Int
        let single: Statement
        let many: Statement

        init(_ index: EntityIndex, _ transaction: SQLiteTransaction) throws {
            let table = try transaction.table(of: index)
            let entity = transaction.store.model.entities[index]
            binder = try RowBinder(entity.layout.slots.places(Slot.self), of: entity, table, transaction)
            width = binder.columns.count + 2
            let hasTriggers = transaction.connection.triggers?.tables.contains(table.name.uppercased()) == true
            size = hasTriggers ? 1 : max(1, min(RowInserter.batchSize, RowInserter.parameterLimit / width))
            let number = table.number(of: index)
            let keywords: StaticString = hasTriggers ? "INSERT INTO " : "INSERT OR FAIL INTO "
            single = try transaction.connection.statement(Statements.text(keywords, 1, table, number, binder.columns))
            many =
                size == 1
                ? single : try transaction.connection.statement(Statements.text(keywords, size, table, number, binder.columns))
        }

        func clear() {
            single.clear()
            many.clear()
        }

        /// `INSERT OR FAIL INTO ZDEPT (Z_PK, Z_OPT, ZTITLE, Z_ENT) VALUES (?, ?, ?, 3), (?, ?, ?, 3) …`.
        private static func text(
            _ keywords: StaticString, _ count: Int, _ table: EntityTable, _ number: Int, _ columns: [String]
        ) -> String {
            var sql = SQLText(keywords)
            sql.add(identifier: table.name)
            sql.add(" (Z_PK, Z_OPT, ")
            for column in columns {
                sql.add(identifier: column)
                sql.add(", ")
            }
            sql.add("Z_ENT) VALUES ")
            sql.add(0..<count, separator: ", ") { sql, _ in
                sql.add("(?, ?, ")
                for _ in columns { sql.add("?, ") }
                sql.add(number: number)
                sql.add(")")
            }
            return sql.text
        }
    }
}
