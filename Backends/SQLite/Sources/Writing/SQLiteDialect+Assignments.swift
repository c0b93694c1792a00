import StrataModel
import StrataQuery
import StrataSQL
import StrataStore

/// Computed values of batch updates, where SQL computes what the core does.
///
/// A value that may be something else, or that does not fit its attribute, calls `strata_core()`, which ends the statement: the core then
/// does the whole update, and says what does not fit.
extension SQLiteDialect {
    static var nextVersion: SQLText { "IFNULL(Z_OPT, 0) + 1 & 4294967295" }

    /// What a column is set to, `nil` where only the core computes it:
    /// `CASE WHEN ((t0.ZAGE + ?) BETWEEN ? AND ? OR (t0.ZAGE + ?) IS NULL) THEN (t0.ZAGE + ?) ELSE strata_core() END`.
    static func assignment(_ computation: RowAssignments.Computation, in compiler: inout ConditionCompiler) -> SQLText? {
        let attribute = computation.attribute
        // A subquery could see rows that the statement changed already.
        guard let value = compiler.expression(computation.expression), compiler.scope.isOneTable, !value.isExternal else { return nil }
        let isNeeded = !attribute.isOptional || value.mayHideNaN
        var conditions: [SQLText] = []
        switch (attribute.type, value.kind) {
        case (.integer16, .integer), (.integer32, .integer), (.integer64, .integer):
            // An integer that left the range of integers is a floating-point number.
            if attribute.type == .integer64 && value.isCertainlyInteger { break }
            guard let range = attribute.type.integerRange else { return nil }
            let bounds: SQLText = " BETWEEN \(bind: .integer(range.lowerBound)) AND \(bind: .integer(range.upperBound))"
            conditions = [met(value.sql, bounds, orNull: !isNeeded)]
        case (.double, .integer), (.double, .double), (.double, .float), (.date, .date):
            // What is no number is a text, which follows all numbers; a literal too great for a floating-point number is infinity.
            conditions = value.numbers.map { met($0, " <= 9e999", orNull: !isNeeded) }
        case (.string, .string), (.boolean, .boolean):
            if !value.numbers.isEmpty { return nil }
        default: return nil
        }
        let isMet: SQLText? = conditions.isEmpty ? nil : "CASE WHEN \(conditions, separator: " AND ") THEN \(value.sql)"
        if isNeeded { return "IFNULL(\(isMet.map { "\($0) END" } ?? value.sql), strata_core())" }
        return isMet.map { "\($0) ELSE strata_core() END" } ?? value.sql
    }

    private static func met(_ value: SQLText, _ condition: SQLText, orNull: Bool) -> SQLText {
        orNull ? "(\(value)\(condition) OR \(value) IS NULL)" : "(\(value)\(condition))"
    }
}
