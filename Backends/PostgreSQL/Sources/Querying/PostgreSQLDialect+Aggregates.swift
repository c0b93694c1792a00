import StrataSQL

/// Groups and their aggregates, where the server computes them as the core does.
extension PostgreSQLDialect {
    static func groups(
        _ plan: GroupPlan, by keys: [SQLExpression], _ operands: [SQLExpression?], in compiler: inout ConditionCompiler
    ) -> GroupColumns? {
        let aggregates = zip(plan.aggregates.map(\.function), operands)
        for case (let function, let operand?) in aggregates {
            guard computes(function, operand, isWhole: plan.isWhole, &compiler) else { return nil }
        }
        var condition: Condition?
        if let tested = plan.condition {
            compiler.columns = keys.map { $0.kind == .decimal ? nil : $0 }
            for (function, operand) in aggregates {
                compiler.columns.append(aggregate(function, of: operand, inOrder: [objectOrder], in: &compiler))
            }
            condition = compiler.condition(tested)
        }
        return GroupColumns(
            by: keys.map(\.sql), keys.map { [GroupColumn($0.selected, .key, kind: $0.kind)] + $0.zeroCheck },
            aggregates.map(columns), having: condition)
    }

    /// The order of the objects, in which the core sums.
    private static var objectOrder: SQLText { "\(column: keyColumn)" }

    private static func computes(
        _ function: GroupPlan.Function, _ operand: SQLExpression, isWhole: Bool, _ compiler: inout ConditionCompiler
    ) -> Bool {
        switch function {
        case .count: true
        // A sum out of the range of its type fails.
        case .sum, .average: operand.isInteger || operand.kind == .decimal || operand.isFloating && compiler.admitFailure()
        case .min, .max: operand.kind != .uuid && operand.kind != .uri && operand.kind != .reference
        case .countDistinct: isWhole && !operand.hasNaN && operand.kind != .decimal && operand.kind != .uri
        case .median: isWhole && operand.isNumber
        case .standardDeviation: false
        }
    }

    /// Returns the columns of an aggregate: `count(*)`, `sum(t0."rate" ORDER BY t0."_id"), count(t0."rate")`, `max(t0."name")`.
    private static func columns(_ function: GroupPlan.Function, _ operand: SQLExpression?) -> [GroupColumn] {
        guard let operand else { return [GroupColumn("count(*)", .count)] }
        let count = GroupColumn(operand.applied("count("), .count)
        switch function {
        // The sum is null only without values.
        case .sum where operand.isInteger: return [GroupColumn(sum(operand.sql), .sum), GroupColumn(operand.applied("sum("), .presence)]
        case .sum where operand.kind == .decimal, .average where operand.kind == .decimal:
            return [GroupColumn(operand.applied("pg_catalog.numeric_out(sum(", "))::text"), .sum, kind: .decimal), count]
        case .min where operand.kind == .decimal, .max where operand.kind == .decimal:
            let best: StaticString = function == .min ? "pg_catalog.numeric_out(min(" : "pg_catalog.numeric_out(max("
            return [
                GroupColumn(operand.applied(best, "))::text"), function == .min ? .minimum : .maximum, kind: .decimal),
                // NaN is the greatest number to the server, and no extreme beside another to the core.
                GroupColumn("bool_or(\(operand.sql) = 'NaN')", .check, kind: .boolean),
            ]
        case .sum, .average:
            let total = operand.isFloating ? sum(operand, inOrder: [objectOrder]) : sum(operand.sql)
            return [GroupColumn(total, .sum, kind: operand.kind), count]
        case .countDistinct: return [GroupColumn(operand.applied("count(DISTINCT "), .count)]
        case .median:
            let middle: StaticString = "percentile_disc(0.5) WITHIN GROUP (ORDER BY "
            return [
                GroupColumn(operand.applied(middle), .median, kind: operand.kind),
                GroupColumn(operand.applied(middle, " DESC)"), .median, kind: operand.kind), count,
            ] + (operand.hasNaN ? [GroupColumn(operand.hasOddNumbers, .check, kind: .boolean)] : [])
        case .min:
            let least = operand.applied(operand.kind == .boolean ? "bool_and(" : "min(")
            return [GroupColumn(least, .minimum, kind: operand.kind)] + operand.zeroCheck
        case .max:
            let greatest = operand.applied(operand.kind == .boolean ? "bool_or(" : "max(")
            return [GroupColumn(greatest, .maximum, kind: operand.kind)] + operand.zeroCheck
        case .count, .standardDeviation: return [count]
        }
    }

    /// Returns the sum where it is an integer of 64 bits, else null:
    /// `CASE WHEN sum(c) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN sum(c)::bigint END`.
    private static func sum(_ column: SQLText) -> SQLText {
        "CASE WHEN sum(\(column)) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN sum(\(column))::bigint END"
    }

    // MARK: - In subqueries

    /// Returns an aggregate over the rows of a subquery or a group; the statement fails where the core's result would differ.
    static func aggregate(
        _ function: AggregateFunction, of operand: SQLExpression?, inOrder order: [SQLText], in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        guard let operand else {
            return function == .count || function == .countDistinct ? SQLExpression("count(*)", kind: .integer) : nil
        }
        guard let operand = compiler.settled(operand) else { return nil }
        let value = operand.sql
        // NaN is the greatest number to the server, and never the result of the core's minimum or maximum beside another.
        let unlessNaN: SQLText = "CASE WHEN max(\(value)) = 'NaN' THEN max(\(value))::bigint ELSE"
        let (sql, kind): (SQLText, SlotKind)
        var mayFail = true
        switch function {
        // A sum out of the range of its type fails.
        case .sum where operand.isFloating && !order.isEmpty:
            return compiler.admitFailure() ? SQLExpression("coalesce(\(sum(operand, inOrder: order)), 0)", kind: .double) : nil
        case .average where operand.isFloating && !order.isEmpty:
            guard compiler.admitFailure() else { return nil }
            return SQLExpression("(\(sum(operand, inOrder: order)) / NULLIF(count(\(value)), 0))", kind: .double)
        case .count: (sql, kind, mayFail) = ("count(\(value))", .integer, false)
        case .countDistinct:
            guard operand.isInteger || operand.kind == .string || operand.kind == .uuid || operand.kind == .boolean else { return nil }
            (sql, kind, mayFail) = ("count(DISTINCT \(value))", .integer, false)
        // NaN is met by the sum, too.
        case .sum where operand.kind == .decimal:
            let total = SQLExpression("coalesce(sum(\(value)), 0)", kind: .decimal)
            return compiler.admitFailure() ? total.withoutNaN : nil
        case .min where operand.kind == .decimal: (sql, kind) = ("\(unlessNaN) min(\(value)) END", .decimal)
        case .max where operand.kind == .decimal: (sql, kind) = ("\(unlessNaN) max(\(value)) END", .decimal)
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

    /// Returns the sum in the order in which the core sums floating-point numbers: `sum(t0."rate" ORDER BY t0."_id")`.
    static func sum(_ operand: SQLExpression, inOrder order: [SQLText]) -> SQLText { "sum(\(operand.sql) ORDER BY \(order))" }
}

extension SQLExpression {
    /// The column as it is selected.
    fileprivate var selected: SQLText { kind == .decimal ? applied("pg_catalog.numeric_out(", ")::text") : sql }

    /// Returns the column between a function's parentheses.
    fileprivate func applied(_ start: StaticString, _ end: StaticString = ")") -> SQLText { "\(start)\(sql)\(end)" }

    /// Whether values include NaN, which the core orders differently, or a negative zero, which the core distinguishes from zero.
    fileprivate var hasOddNumbers: SQLText { "bool_or(\(sql) = 'NaN' OR \(sql) = 0 AND \(sql)::text = '-0')" }

    /// Whether values include a negative zero: the core decides which of two zeros is the key or the result.
    fileprivate var zeroCheck: [GroupColumn] {
        hasNaN ? [GroupColumn("bool_or(\(sql) = 0 AND \(sql)::text = '-0')", .check, kind: .boolean)] : []
    }
}
