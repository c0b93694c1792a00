import StrataSQL

/// Functions that SQL computes as the core does, or by ``CoreFunctions``.
extension SQLiteDialect {
    static func call(
        _ function: QueryFunction, _ arguments: [ResolvedExpression], in compiler: inout ConditionCompiler
    ) -> SQLExpression? {
        switch function {
        case .noIndex: return arguments.count == 1 ? withoutIndex(arguments[0], in: &compiler) : nil
        case .indexedBy: return arguments.first.flatMap { compiler.expression($0) }
        case .cast:
            guard arguments.count == 2, case .string(let name)? = arguments[1].constant else { return nil }
            return compiler.expression(arguments[0]).flatMap { CoreFunctions.cast($0, to: name) }
        default: break
        }
        guard let linked = compiler.operands(arguments, of: function) else { return nil }
        let operands = linked.map(\.operand)
        if let part = function.datePart { return DateFunction.call(part, operands) }
        if operands.contains(where: { $0.kind == .decimal }) {
            var result: SQLExpression? = operands[0]
            if operands.count == 1 { return CoreFunctions.decimal(function, operands) }
            guard operands.count <= 32 else { return nil }
            for (joining, operand) in linked.dropFirst() { result = result.flatMap { CoreFunctions.decimal(joining, [$0, operand]) } }
            return result
        }
        switch (function, operands.count) {
        case (.add, 2), (.subtract, 2), (.multiply, 2), (.divide, 2), (.modulus, 2): return arithmetic(function, operands[0], operands[1])
        case (.negate, 1) where operands[0].isNumber:
            return operation("(0 - ", [operands[0]], "", operands[0].isInteger ? .integer : .double)
        case (.abs, 1) where operands[0].isNumber: return magnitude(operands[0])
        case (.bitwiseAnd, 2) where operands.allSatisfy(\.isCertainlyInteger): return operation("(", operands, " & ", .integer)
        case (.bitwiseOr, 2) where operands.allSatisfy(\.isCertainlyInteger): return operation("(", operands, " | ", .integer)
        case (.leftShift, 2) where operands.allSatisfy(\.isCertainlyInteger): return operation("(", operands, " << ", .integer)
        case (.rightShift, 2) where operands.allSatisfy(\.isCertainlyInteger): return operation("(", operands, " >> ", .integer)
        case (.onesComplement, 1) where operands[0].isCertainlyInteger: return operation("(~", operands, "", .integer)
        case (.now, 0): return constant(.date(Date()))
        // Not of any number of operands, as SQLite limits the depth of expressions.
        case (.add, 3...32), (.subtract, 3...32), (.multiply, 3...32), (.divide, 3...32):
            var result: SQLExpression? = operands[0]
            for (joining, operand) in linked.dropFirst() { result = result.flatMap { arithmetic(joining, $0, operand) } }
            return result
        default: return CoreFunctions.call(function, operands)
        }
    }

    /// Returns the value in a form that no index matches: `+t0.ZAGE`.
    private static func withoutIndex(_ argument: ResolvedExpression, in compiler: inout ConditionCompiler) -> SQLExpression? {
        guard var operand = compiler.expression(argument), operand.isColumn else { return nil }
        operand.sql = "+\(operand.sql)"
        return operand
    }

    /// `(t0.ZAGE + ?)`; SQL's integers become floating-point numbers on overflow, as the core's do.
    private static func arithmetic(_ function: QueryFunction, _ a: SQLExpression, _ b: SQLExpression) -> SQLExpression? {
        let isDated = a.kind == .date || b.kind == .date
        guard isDated || (a.isNumber && b.isNumber) else { return nil }
        let kind: SlotKind = a.isInteger && b.isInteger ? .integer : .double
        switch function {
        case .subtract where a.kind == .date && b.kind == .date: return dated(operation("(", [a, b], " - ", .double))
        case .subtract where a.kind == .date && b.isNumber: return dated(operation("(", [a, b], " - ", .date))
        case .add where isDated && (a.isNumber || b.isNumber): return dated(operation("(", [a, b], " + ", .date))
        case .add where !isDated: return operation("(", [a, b], " + ", kind)
        case .subtract where !isDated: return operation("(", [a, b], " - ", kind)
        case .multiply where !isDated: return operation("(", [a, b], " * ", kind)
        case .divide where !isDated: return operation("(", [a, b], " / ", kind)
        // A computed value may have overflowed, and SQL computes remainders of integers only.
        case .modulus where a.isCertainlyInteger && b.isCertainlyInteger: return operation("(", [a, b], " % ", kind)
        default: return nil
        }
    }

    /// Infinitely distant dates: their difference is NaN in the core, and null in SQL.
    private static func dated(_ result: SQLExpression?) -> SQLExpression? {
        var result = result
        result?.details.mayHideNaN = true
        return result
    }

    private static func operation(
        _ start: StaticString, _ operands: [SQLExpression], _ separator: StaticString, _ kind: SlotKind
    ) -> SQLExpression? {
        if operands.contains(where: { $0.isExternal }) { return nil }
        let sql: SQLText = "\(start)\(operands.map(\.sql), separator: separator))"
        var result = SQLExpression(sql, kind: kind)
        result.derive(from: operands)
        return result
    }

    /// `(CASE WHEN t0.ZAGE < 0 THEN 0 - t0.ZAGE ELSE t0.ZAGE END)`.
    private static func magnitude(_ operand: SQLExpression) -> SQLExpression? {
        // `abs` fails for the least integer.
        let sql: SQLText = "(CASE WHEN \(operand.sql) < 0 THEN 0 - \(operand.sql) ELSE \(operand.sql) END)"
        var result = SQLExpression(sql, kind: operand.kind)
        result.derive(from: [operand])
        return result
    }

    // MARK: - Aggregates

    /// Returns an aggregate over the rows of a subquery, with the core's result; where SQL's differs, `strata_core()` leaves
    /// the plan to the core: `count(*)`, `ifnull(sum(t1.ZCOST), 0)`, `CASE WHEN max(t1.ZRATE) > 9e999 THEN
    /// strata_core() ELSE min(t1.ZRATE) END`.
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
        // NaN is a text, which is greater than all numbers.
        let ifNaN: SQLText = "CASE WHEN max(\(value)) > 9e999 THEN strata_core()"
        if operand.kind == .decimal, let sql = DecimalFunctions.aggregate(function, of: value) {
            // The sum of nothing is no decimal; a sum of decimals that is 0 is an integer.
            return (function == .sum ? "ifnull(\(sql), 0.0)" : sql, .decimal)
        }
        switch function {
        case .count: return ("count(\(value))", .integer)
        case .countDistinct: return operand.isColumn && operand.kind != .decimal ? ("count(DISTINCT \(value))", .integer) : nil
        case .sum where operand.isInteger: return ("ifnull(sum(\(value)), 0)", .integer)
        // Integers are summed as such, and an overflow is an error, which leaves the plan to the core.
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
