import StrataEvaluation
import StrataModel
import StrataSQL

/// An aggregate over the rows of a subquery, with the core's result; where it has another one, the statement fails.
struct AggregateSQL {
    let sql: SQLText
    let kind: SlotKind
    private(set) var mayFail = false
    /// Whether the result may be NaN.
    private(set) var mayBeNaN = false

    /// The number of rows; `nil` for other functions.
    init?(_ function: AggregateFunction) {
        guard function == .count || function == .countDistinct else { return nil }
        (sql, kind) = ("count(*)", .integer)
    }

    /// - Parameter order: In what order the core adds up floating-point numbers; empty where that is not known.
    /// - Returns: `nil` where only the core computes it.
    init?(_ function: AggregateFunction, _ operand: SQLExpression, inOrder order: [SQLText] = []) {
        let value = operand.sql
        let isFloating = operand.isFloating || operand.kind == .date
        // NaN follows all numbers for the server, and gives way to any for the core.
        let unlessNaN: SQLText = "CASE WHEN max(\(value)) = 'NaN' THEN max(\(value))::bigint ELSE"
        // A sum that leaves the range of numbers fails.
        let sum: SQLText = "sum(\(value) ORDER BY \(order.map { SQLText("\($0) NULLS FIRST") }))"
        switch function {
        case .sum where operand.isFloating && !order.isEmpty:
            (sql, kind, mayFail, mayBeNaN) = ("coalesce(\(sum), 0)", .double, true, true)
        case .average where operand.isFloating && !order.isEmpty:
            (sql, kind, mayFail, mayBeNaN) = ("\(sum) / NULLIF(count(\(value)), 0)", .double, true, true)
        case .count: (sql, kind) = ("count(\(value))", .integer)
        case .countDistinct:
            guard operand.isInteger || operand.kind == .string || operand.kind == .uuid || operand.kind == .boolean else { return nil }
            (sql, kind) = ("count(DISTINCT \(value))", .integer)
        case .sum where operand.isInteger: (sql, kind, mayFail) = ("coalesce(sum(\(value)), 0)::bigint", .integer, true)
        case .average where operand.isInteger:
            (sql, kind, mayFail) = ("sum(\(value))::bigint::double precision / NULLIF(count(\(value)), 0)", .double, true)
        case .min where operand.isInteger || operand.isText: (sql, kind) = ("min(\(value))", operand.kind)
        case .max where operand.isInteger || operand.isText: (sql, kind) = ("max(\(value))", operand.kind)
        case .min where operand.kind == .boolean: (sql, kind) = ("bool_and(\(value))", .boolean)
        case .max where operand.kind == .boolean: (sql, kind) = ("bool_or(\(value))", .boolean)
        case .min where isFloating: (sql, kind, mayFail) = ("\(unlessNaN) min(\(value)) END", operand.kind, true)
        case .max where isFloating: (sql, kind, mayFail) = ("\(unlessNaN) max(\(value)) END", operand.kind, true)
        case .sum, .average, .min, .max, .median, .standardDeviation: return nil
        }
    }
}
