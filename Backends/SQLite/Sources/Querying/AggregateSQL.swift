import StrataEvaluation
import StrataModel
import StrataSQL

/// An aggregate over the rows of a subquery, with the core's result; where SQL has another one, `strata_core()` leaves the plan to the core:
/// `count(*)`, `ifnull(sum(t1.ZCOST), 0)`, `CASE WHEN max(t1.ZRATE) > 9e999 THEN strata_core() ELSE min(t1.ZRATE) END`.
struct AggregateSQL {
    let sql: SQLText
    let kind: SlotKind

    init?(_ function: AggregateFunction, _ operand: SQLExpression?) {
        guard let operand else {
            guard function == .count || function == .countDistinct else { return nil }
            (sql, kind) = (SQLText("count(*)"), .integer)
            return
        }
        if operand.mayHideNaN || (!operand.isColumn && !operand.numbers.isEmpty) { return nil }
        if operand.isExternal && function != .count { return nil }
        let template: [StaticString]
        switch function {
        case .count: (template, kind) = (["count(", ")"], .integer)
        case .countDistinct:
            guard operand.isColumn, operand.kind != .decimal else { return nil }
            (template, kind) = (["count(DISTINCT ", ")"], .integer)
        case .sum where operand.isInteger: (template, kind) = (["ifnull(sum(", "), 0)"], .integer)
        // Integers are added as such, and a sum out of their range is an error, which leaves all to the core.
        case .average where operand.isInteger && operand.isColumn: (template, kind) = (["CAST(sum(", ") AS REAL) / count(", ")"], .double)
        case .sum where operand.isNumber && operand.isColumn:
            (template, kind) = (
                ["CASE WHEN max(", ") > 9e999 THEN strata_core() WHEN count(", ") = 0 THEN 0 ELSE ifnull(sum(", "), strata_core()) END"],
                .double
            )
        case .average where operand.isNumber && operand.isColumn:
            (template, kind) = (
                [
                    "CASE WHEN max(", ") > 9e999 THEN strata_core() WHEN count(", ") > 0 THEN ifnull(sum(", ") / count(",
                    "), strata_core()) END",
                ], .double
            )
        case .min where AggregateSQL.isOrdered(operand): (template, kind) = (["min(", ")"], operand.kind)
        case .max where AggregateSQL.isOrdered(operand): (template, kind) = (["max(", ")"], operand.kind)
        // A text among the numbers is what is no number.
        case .min where operand.isFloating && operand.isColumn:
            (template, kind) = (["CASE WHEN max(", ") > 9e999 THEN strata_core() ELSE min(", ") END"], operand.kind)
        case .max where operand.isFloating && operand.isColumn:
            (template, kind) = (["CASE WHEN max(", ") > 9e999 THEN strata_core() ELSE max(", ") END"], operand.kind)
        default: return nil
        }
        var sql = SQLText()
        for (index, part) in template.enumerated() {
            if index > 0 { operand.add(to: &sql) }
            sql.add(part)
        }
        self.sql = sql
    }

    private static func isOrdered(_ operand: SQLExpression) -> Bool {
        switch operand.kind {
        case .integer, .boolean, .string, .uri, .uuid, .reference: true
        default: false
        }
    }
}
