import StrataSQL

/// Detects rows that a trigger or a rule of another program skipped, which the server reports as success: written rows of such a table are
/// counted.
extension SQLText {
    /// Returns the query that counts rows if a table has triggers or rules; it returns no row else.
    ///
    /// `SELECT (SELECT count(*) FROM "s"."person" t0 WHERE …) WHERE EXISTS (…)`.
    static func counting(_ query: SQLText, ifWatched table: QualifiedName) -> SQLText {
        "SELECT (\(query)) WHERE \(isWatched(table))"
    }

    /// Returns the query that fails if a table has triggers or rules, and the number of rows written, `done`, is not that of a query.
    ///
    /// `SELECT CASE WHEN EXISTS (…) THEN 1 / (count(*) = (SELECT count(*) FROM …))::integer END FROM done`.
    ///
    /// - Parameter check: An expression that fails where the rows may not be written.
    static func check(of query: SQLText, ifWatched table: QualifiedName, _ check: SQLText) -> SQLText {
        "SELECT CASE WHEN \(isWatched(table)) THEN 1 / (count(*) = (\(query)))::integer END, \(check) FROM done"
    }

    /// Returns the end of an insertion, ` RETURNING true) SELECT 1 / (count(*) = $1)::integer FROM done`, which fails where rows were
    /// skipped.
    ///
    /// It begins with `WITH done AS (`.
    ///
    /// - Parameter check: An expression that fails where the rows may not be written.
    static func requiring(_ count: Int, _ check: SQLText? = nil) -> SQLText {
        let others = check.map { SQLText(", \($0)") } ?? ""
        return " RETURNING true) SELECT 1 / (count(*) = \(bind: .bigint(Int64(count))))::integer\(others) FROM done"
    }

    private static func isWatched(_ table: QualifiedName) -> SQLText {
        """
        EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = \(relation: table)::pg_catalog.regclass AND (c.relhasrules OR EXISTS \
        (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal AND g.tgname <> \(literal: ExternalTrigger.name))))
        """
    }
}

extension StoreError {
    /// Returns the error of a statement that succeeded without writing all its rows.
    static func passedOver(_ table: QualifiedName, _ operation: StoreError.Operation) -> StoreError {
        StoreError(.denied, operation, "a trigger or a rule of others' passes over rows of the table \(table.name)")
    }
}

extension Connection {
    /// Inserts rows.
    ///
    /// - Throws: `StoreError` with `denied` where it inserted another number of rows.
    func insert(_ count: Int = 1, by sql: SQLText, into table: QualifiedName, _ operation: StoreError.Operation) throws {
        if try execute(sql, operation).affected != count { throw StoreError.passedOver(table, operation) }
    }
}

extension PostgreSQLTransaction {
    /// Maps the failure of a statement that fails where it skips rows, or where a column is of another type.
    ///
    /// - Parameter columns: The columns that ``SQLText/checkingTypes(_:of:)`` checks.
    func explaining(_ table: QualifiedName, _ columns: [WrittenColumn] = []) -> (any Error) -> any Error {
        let skipped = StoreError.passedOver(table, .save)
        return { error in
            guard let failure = PostgreSQLFailure(of: error) else { return error }
            // A division by zero, or a rule that replaces the statement.
            if failure.state == "22012" || failure.state == "0A000" { return skipped }
            let column = failure.isOfType ? columns.first { failure.message.contains("\"\($0.name)\"") } : nil
            return column.map { StoreError.wrongType($0.name, of: table.name, .save, underlying: failure) } ?? error
        }
    }

    /// Runs a write to a table, and maps its failure.
    func explained<T>(_ table: QualifiedName, _ columns: [WrittenColumn] = [], _ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw explaining(table, columns)(error) }
    }

    /// Checks that as many rows were written as were counted before.
    ///
    /// - Parameter counted: The result of ``SQLText/counting(_:ifWatched:)``.
    func check(_ count: Int, _ counted: ResultTable, _ table: QualifiedName) throws {
        if let expected = counted.count > 0 ? counted.integer(0, 0) : nil, expected != Int64(count) {
            throw StoreError.passedOver(table, .save)
        }
    }
}
