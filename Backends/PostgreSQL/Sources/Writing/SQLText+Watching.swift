import StrataSQL

/// Detects rows that a trigger or a rule of another program skipped, which the server reports as success: written rows of such a table are
/// counted.
extension SQLText {
    /// The query that counts rows if a table has triggers or rules; it returns no row else.
    ///
    /// `SELECT (SELECT count(*) FROM "s"."person" t0 WHERE …) WHERE EXISTS (…)`.
    static func counting(_ query: SQLText, ifWatched table: QualifiedName) -> SQLText {
        "SELECT (\(query)) WHERE \(isWatched(table))"
    }

    /// The query that fails if a table has triggers or rules, and the number of rows written, `done`, is not that of a query.
    ///
    /// `SELECT CASE WHEN EXISTS (…) THEN 1 / (count(*) = (SELECT count(*) FROM …))::integer END FROM done`.
    static func check(of query: SQLText, ifWatched table: QualifiedName) -> SQLText {
        "SELECT CASE WHEN \(isWatched(table)) THEN 1 / (count(*) = (\(query)))::integer END FROM done"
    }

    /// The end of an insertion, ` RETURNING true) SELECT 1 / (count(*) = $1)::integer FROM done`, which fails where rows were skipped.
    ///
    /// It begins with `WITH done AS (`.
    static func requiring(_ count: Int) -> SQLText {
        " RETURNING true) SELECT 1 / (count(*) = \(bind: .bigint(Int64(count))))::integer FROM done"
    }

    private static func isWatched(_ table: QualifiedName) -> SQLText {
        """
        EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = \(relation: table)::pg_catalog.regclass AND (c.relhasrules OR EXISTS \
        (SELECT FROM pg_catalog.pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal)))
        """
    }
}

extension StoreError {
    /// The error of a statement that succeeded without writing all its rows.
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
    /// Maps the failure of a statement that fails where it skips rows.
    func explaining(_ table: QualifiedName) -> (any Error) -> any Error {
        let failure = StoreError.passedOver(table, .save)
        return { error in
            // A division by zero, or a rule that replaces the statement.
            let state = PostgreSQLFailure(of: error)?.state
            return state == "22012" || state == "0A000" ? failure : error
        }
    }

    /// Runs a write to a table, and maps its failure.
    func explained<T>(_ table: QualifiedName, _ body: () throws -> T) throws -> T {
        do { return try body() } catch { throw explaining(table)(error) }
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
