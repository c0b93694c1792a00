import StrataEvaluation
import StrataModel
import StrataSQL

extension SQLiteDialect {
    /// An aggregate over the rows of a subquery, with the core's result; where SQL has another one, `strata_core()` leaves the plan to the
    /// core: `count(*)`, `ifnull(sum(t1.ZCOST), 0)`, `CASE WHEN max(t1.ZRATE) > 9e999 THEN strata_core() ELSE min(t1.ZRATE) END`.
    static func aggregate(
        _ function: AggregateFunction, of operand: SQLExpression?, inOrder order: [SQLText], in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        guard let (sql, kind) = aggregate(function, operand) else { return nil }
        return SQLExpression(sql, kind: kind, details: ExpressionDetails(isAggregate: true))
    }

    private static func aggregate(_ function: AggregateFunction, _ operand: SQLExpression?) -> (SQLText, SlotKind)? {
        guard let operand else { return function == .count || function == .countDistinct ? ("count(*)", .integer) : nil }
        if operand.mayHideNaN || (!operand.isColumn && !operand.numbers.isEmpty) { return nil }
        if operand.isExternal && function != .count { return nil }
        let value = operand.sql
        // NaN is a text, which follows all numbers.
        let ifNaN: SQLText = "CASE WHEN max(\(value)) > 9e999 THEN strata_core()"
        switch function {
        case .count: return ("count(\(value))", .integer)
        case .countDistinct: return operand.isColumn && operand.kind != .decimal ? ("count(DISTINCT \(value))", .integer) : nil
        case .sum where operand.isInteger: return ("ifnull(sum(\(value)), 0)", .integer)
        // Integers are added as such, and a sum out of their range is an error, which leaves all to the core.
        case .average where operand.isInteger && operand.isColumn:
            return ("CAST(sum(\(value)) AS REAL) / count(\(value))", .double)
        case .sum where operand.isNumber && operand.isColumn:
            return ("\(ifNaN) WHEN count(\(value)) = 0 THEN 0 ELSE ifnull(sum(\(value)), strata_core()) END", .double)
        case .average where operand.isNumber && operand.isColumn:
            return ("\(ifNaN) WHEN count(\(value)) > 0 THEN ifnull(sum(\(value)) / count(\(value)), strata_core()) END", .double)
        case .min where isOrdered(operand): return ("min(\(value))", operand.kind)
        case .max where isOrdered(operand): return ("max(\(value))", operand.kind)
        case .min where operand.isFloating && operand.isColumn: return ("\(ifNaN) ELSE min(\(value)) END", operand.kind)
        case .max where operand.isFloating && operand.isColumn: return ("\(ifNaN) ELSE max(\(value)) END", operand.kind)
        default: return nil
        }
    }

    private static func isOrdered(_ operand: SQLExpression) -> Bool {
        switch operand.kind {
        case .integer, .boolean, .string, .uri, .uuid, .reference: true
        default: false
        }
    }
}
