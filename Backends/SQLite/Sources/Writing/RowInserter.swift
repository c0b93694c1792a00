import CStrataSQLite
import StrataEngine

/// Inserts rows, many with one statement.
struct RowInserter {
    unowned let transaction: SQLiteTransaction
    /// Inserts rows in the order of the tables.
    func insert(_ rows: [Row], _ conflicts: inout [StoreConflict]) throws {
        if rows.count < 2 { return try insertInOrder(rows[...], &conflicts) }
        func order(_ row: Row) -> RowPosition { RowPosition(row.entityIndex, row.reference) }
        if let runs = orderedRuns(rows.count, { order(rows[$0]) }) {
            for run in runs { try insertInOrder(rows[run], &conflicts) }
        } else {
            try insertInOrder(rows.sorted { order($0) < order($1) }[...], &conflicts)
        }
    }

    private func insertInOrder(_ rows: ArraySlice<Row>, _ conflicts: inout [StoreConflict]) throws {
        var rest = rows
        while let index = rest.first?.entityIndex {
            let rows = rest.prefix { $0.entityIndex == index }
            try insert(rows, of: index, &conflicts)
            rest = rest[rows.endIndex...]
        }
    }

    private func insert(_ rows: ArraySlice<Row>, of index: EntityIndex, _ conflicts: inout [StoreConflict]) throws {
        let statements = try statements(of: index)
        defer { statements.clear() }
        var position = rows.startIndex
        while let refusal = try insert(rows, from: position, statements) {
            try refuse(rows[refusal.index], refusal.error, &conflicts)
            position = refusal.index + 1
        }
        try note(rows.last)
    }

    /// Inserts rows of one entity, in ascending order of references, up to the first that is refused.
    ///
    /// - Returns: The number of inserted rows.
    func insertUncontested(_ rows: [Row]) throws -> Int {
        guard let first = rows.first else { return 0 }
        let statements = try statements(of: first.entityIndex)
        defer { statements.clear() }
        let count = try insert(rows[...], from: 0, statements)?.index ?? rows.count
        try note(rows[..<count].last)
        return count
    }

    private var connection: Connection { transaction.connection }

    private func statements(of index: EntityIndex) throws -> InsertStatements {
        try connection.storeStatements.writes.insert(index) {
            try InsertStatements(index, try transaction.table(of: index), transaction.store, connection.triggers)
        }
    }

    /// Records the last row of an entity, whose references ascend.
    private func note(_ row: Row?) throws {
        guard let row else { return }
        try transaction.note(row.reference, root: transaction.store.model.entities[row.entityIndex].root)
    }

    /// Inserts rows from an index on.
    ///
    /// - Returns: The index of the first row that is refused, and the error.
    private func insert(_ rows: ArraySlice<Row>, from start: Int, _ statements: InsertStatements) throws -> (index: Int, error: StoreError)?
    {
        var position = start
        while position < rows.endIndex {
            let size = rows.endIndex - position < statements.size ? 1 : statements.size
            let statement = try size == 1 ? statements.single(connection) : statements.many(connection)
            var parameter = 1
            for row in rows[position..<(position + size)] {
                try bind(row, statements.binder, statement, from: parameter)
                parameter += statements.width
            }
            let code = statement.attempt()
            if code == SQLITE_DONE {
                statement.reset()
                position += size
                continue
            }
            let error = connection.error(code, .save)
            let done = size == 1 ? 0 : connection.changes
            statement.reset()
            guard SQLiteFailure.isConstraint(code), done < size else { throw error }
            return (position + done, error)
        }
        return nil
    }

    @inline(__always)
    private func bind(_ row: Row, _ binder: RowBinder, _ statement: Statement, from first: Int) throws {
        statement.bind(row.reference, at: first)
        statement.bind(Int64(row.version), at: first + 1)
        try binder.bind(row, to: statement, from: first + 2, transaction)
    }

    private func refuse(_ row: Row, _ error: StoreError, _ conflicts: inout [StoreConflict]) throws {
        let found = try transaction.duplicates(of: row)
        if !found.isEmpty {
            conflicts += found
            return
        }
        let conflict = try transaction.stale(entity: row.entityIndex, reference: row.reference)
        guard case .changed = conflict.reason else { throw error }
        conflicts.append(conflict)
    }
}
