import StrataEvaluation
import StrataModel
import StrataSQL

/// An aggregate over the rows of a subquery, with the core's result; where it has another one, the statement fails.
struct AggregateSQL {
    let sql: SQLText
    let kind: SlotKind
    private(set) var mayFail = false
    /// Whether the result may be what is no number.
    private(set) var mayBeNaN = false

    /// The number of rows; `nil` for other functions.
    init?(_ function: AggregateFunction) {
        guard function == .count || function == .countDistinct else { return nil }
        sql = SQLText("count(*)")
        kind = .integer
    }

    /// - Parameter order: In what order the core adds up floating-point numbers; empty where that is not known.
    /// - Returns: `nil` where only the core computes it.
    init?(_ function: AggregateFunction, _ operand: SQLExpression, inOrder order: [SQLText] = []) {
        if operand.isFloating && (function == .sum || function == .average) {
            if order.isEmpty { return nil }
            (sql, kind) = (AggregateSQL.adding(operand, inOrder: order, isAverage: function == .average), .double)
            (mayFail, mayBeNaN) = (true, true)
            return
        }
        let parts: [StaticString]
        switch function {
        case .count: (parts, kind) = (["count(", ")"], .integer)
        case .countDistinct:
            guard operand.isInteger || operand.kind == .string || operand.kind == .uuid || operand.kind == .boolean else { return nil }
            (parts, kind) = (["count(DISTINCT ", ")"], .integer)
        // A sum that is no integer of 64 bits fails.
        case .sum where operand.isInteger: (parts, kind, mayFail) = (["coalesce(sum(", "), 0)::bigint"], .integer, true)
        case .average where operand.isInteger:
            (parts, kind, mayFail) = (["sum(", ")::bigint::double precision / NULLIF(count(", "), 0)"], .double, true)
        case .min where operand.isInteger || operand.isText: (parts, kind) = (["min(", ")"], operand.kind)
        case .max where operand.isInteger || operand.isText: (parts, kind) = (["max(", ")"], operand.kind)
        case .min where operand.kind == .boolean: (parts, kind) = (["bool_and(", ")"], .boolean)
        case .max where operand.kind == .boolean: (parts, kind) = (["bool_or(", ")"], .boolean)
        // What is no number follows all numbers for the server, and gives way to any for the core.
        case .min where operand.isFloating || operand.kind == .date:
            (parts, kind, mayFail) = (["CASE WHEN max(", ") = 'NaN' THEN max(", ")::bigint ELSE min(", ") END"], operand.kind, true)
        case .max where operand.isFloating || operand.kind == .date:
            (parts, kind, mayFail) = (["CASE WHEN max(", ") = 'NaN' THEN max(", ")::bigint ELSE max(", ") END"], operand.kind, true)
        case .sum, .average, .min, .max, .median, .standardDeviation: return nil
        }
        var sql = SQLText()
        for (index, part) in parts.enumerated() {
            if index > 0 { sql.add(operand.sql) }
            sql.add(part)
        }
        self.sql = sql
    }

    /// `coalesce(sum(t1."rate" ORDER BY t1."_id" NULLS FIRST), 0)`, `sum(t1."rate" ORDER BY t1."_id" NULLS FIRST) / NULLIF(count(t1."rate"), 0)`:
    /// a sum that leaves the range of numbers fails.
    private static func adding(_ operand: SQLExpression, inOrder order: [SQLText], isAverage: Bool) -> SQLText {
        var sql = SQLText("\(isAverage ? "sum(" : "coalesce(sum(")\(operand.sql) ORDER BY ")
        sql.add("\(order.map { SQLText("\($0) NULLS FIRST") })")
        if isAverage { sql.add(") / NULLIF(count(\(operand.sql)") }
        sql.add("), 0)")
        return sql
    }
}
