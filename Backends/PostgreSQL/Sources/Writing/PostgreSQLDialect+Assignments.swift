import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// Computed values of batch updates, where the server computes what the core does.
///
/// A value that does not fit its attribute makes the statement fail: the core then does the whole update, and says what does not fit.
extension PostgreSQLDialect {
    static var nextVersion: SQLText { "(\(column: versionColumn) + 1) & 4294967295" }

    /// What a column is set to, `(t0."age" + $1)::smallint::bigint`; `nil` where only the core computes it.
    static func assignment(_ computation: RowAssignments.Computation, in compiler: inout ConditionCompiler) -> SQLText? {
        let attribute = computation.attribute
        guard let value = compiler.expression(computation.expression)?.withoutNaN else { return nil }
        let (end, absence): (StaticString, StaticString)
        switch (attribute.type, value.kind) {
        case (.integer16, .integer): (end, absence) = (")::smallint::bigint", "")
        case (.integer32, .integer): (end, absence) = (")::integer::bigint", "")
        case (.integer64, .integer): (end, absence) = (")", "")
        case (.double, .integer), (.double, .double), (.double, .float), (.date, .date):
            // Which of two zeros is the least or the greatest of a collection is the core's to say.
            if computation.expression.goesThroughCollections { return nil }
            (end, absence) = (")::double precision", "::double precision")
        case (.string, .string), (.boolean, .boolean): return attribute.isOptional ? value.sql : nil
        default: return nil
        }
        let sql = SQLText("(\(value.sql)\(end)")
        if attribute.isOptional { return sql }
        // There is no such reference: a value that is missing fails.
        return SQLText("coalesce(\(sql), (\(column: keyColumn) + 9223372036854775807)\(absence))")
    }
}

extension ResolvedExpression {
    fileprivate var goesThroughCollections: Bool {
        var isFound = false
        forEachCollection { _ in isFound = true }
        return isFound
    }
}
