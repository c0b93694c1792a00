import StrataEvaluation
import StrataModel
import StrataSQL

extension PostgreSQLDialect {
    /// An aggregate over the rows of a subquery or a group, with the core's result; where it has another one, the statement fails.
    static func aggregate(
        _ function: AggregateFunction, of operand: SQLExpression?, inOrder order: [SQLText], in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        guard let operand else {
            return function == .count || function == .countDistinct ? SQLExpression("count(*)", kind: .integer) : nil
        }
        guard let operand = compiler.settled(operand) else { return nil }
        let value = operand.sql
        // NaN follows all numbers for the server, and gives way to any for the core.
        let unlessNaN: SQLText = "CASE WHEN max(\(value)) = 'NaN' THEN max(\(value))::bigint ELSE"
        let (sql, kind): (SQLText, SlotKind)
        var mayFail = true
        switch function {
        // A sum that leaves the range of numbers fails.
        case .sum where operand.isFloating && !order.isEmpty:
            return compiler.admitFailure() ? SQLExpression("coalesce(\(sum(operand, inOrder: order)), 0)", kind: .double) : nil
        case .average where operand.isFloating && !order.isEmpty:
            guard compiler.admitFailure() else { return nil }
            return SQLExpression("(\(sum(operand, inOrder: order)) / NULLIF(count(\(value)), 0))", kind: .double)
        case .count: (sql, kind, mayFail) = ("count(\(value))", .integer, false)
        case .countDistinct:
            guard operand.isInteger || operand.kind == .string || operand.kind == .uuid || operand.kind == .boolean else { return nil }
            (sql, kind, mayFail) = ("count(DISTINCT \(value))", .integer, false)
        case .sum where operand.isInteger: (sql, kind) = ("coalesce(sum(\(value)), 0)::bigint", .integer)
        case .average where operand.isInteger:
            (sql, kind) = ("(sum(\(value))::bigint::double precision / NULLIF(count(\(value)), 0))", .double)
        case .min where operand.isInteger || operand.isText: (sql, kind, mayFail) = ("min(\(value))", operand.kind, false)
        case .max where operand.isInteger || operand.isText: (sql, kind, mayFail) = ("max(\(value))", operand.kind, false)
        case .min where operand.kind == .boolean: (sql, kind, mayFail) = ("bool_and(\(value))", .boolean, false)
        case .max where operand.kind == .boolean: (sql, kind, mayFail) = ("bool_or(\(value))", .boolean, false)
        case .min where operand.hasNaN: (sql, kind) = ("\(unlessNaN) min(\(value)) END", operand.kind)
        case .max where operand.hasNaN: (sql, kind) = ("\(unlessNaN) max(\(value)) END", operand.kind)
        case .sum, .average, .min, .max, .median, .standardDeviation: return nil
        }
        return !mayFail || compiler.admitFailure() ? SQLExpression(sql, kind: kind, isNumber: true) : nil
    }

    /// The sum in the order in which the core adds up floating-point numbers: `sum(t0."rate" ORDER BY t0."_id")`.
    static func sum(_ operand: SQLExpression, inOrder order: [SQLText]) -> SQLText { "sum(\(operand.sql) ORDER BY \(order))" }
}
