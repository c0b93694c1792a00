import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Comparisons of two expressions.
extension ConditionCompiler {
    /// `(t0."age" + $1) > t0."rank"`, `t0."name" IS NOT DISTINCT FROM t0."title"`.
    mutating func testCondition(_ test: ResolvedTest) -> Condition? {
        guard test.modifier == .direct, test.options.isEmpty else { return nil }
        switch (test.left, test.operator, test.right) {
        case (.constant, _, .constant): return nil
        case (let left, .between, .list(let bounds)) where bounds.count == 2:
            return all([compared(left, .greaterOrEqual, bounds[0]), compared(left, .lessOrEqual, bounds[1])], " AND ")
        case (let left, .between, .constant(.list(let bounds))) where bounds.count == 2:
            return all(
                [compared(left, .greaterOrEqual, .constant(bounds[0])), compared(left, .lessOrEqual, .constant(bounds[1]))], " AND ")
        case (let left, .isIn, .list(let elements)) where !elements.isEmpty && elements.count <= 32:
            return all(elements.map { compared(left, .equal, $0) }, " OR ")
        case (let left, .isIn, .constant(.list(let elements))) where !elements.isEmpty && elements.count <= 32:
            return all(elements.map { compared(left, .equal, .constant($0)) }, " OR ")
        case (.constant(let value), let op, let right) where op.mirrored != nil:
            guard let mirrored = op.mirrored else { return nil }
            return compared(right, mirrored, .constant(value)).map { Condition(sql: $0, isExact: true) }
        default: return compared(test.left, test.operator, test.right).map { Condition(sql: $0, isExact: true) }
        }
    }

    /// The comparison of a path with another.
    mutating func pathCondition(_ comparison: ResolvedComparison) -> Condition? {
        guard case .path(let right) = comparison.right, comparison.options.isEmpty else { return nil }
        return compared(.path(comparison.left), comparison.operator, .path(right)).map { Condition(sql: $0, isExact: true) }
    }

    private func all(_ parts: [SQLText?], _ joining: StaticString) -> Condition? {
        var sql = SQLText("(")
        let known = parts.compactMap(\.self)
        guard known.count == parts.count else { return nil }
        sql.add(known, separator: joining) { $0.add($1) }
        sql.add(")")
        return Condition(sql: sql, isExact: true)
    }

    private mutating func compared(
        _ left: ResolvedExpression, _ op: QueryComparison.Operator, _ right: ResolvedExpression
    ) -> SQLText? {
        guard let a = expression(left).flatMap({ settled($0) }) else { return nil }
        if case .constant(let value) = right { return compared(a, op, value) }
        guard let b = expression(right).flatMap({ settled($0) }) else { return nil }
        return compared(a, op, b)
    }

    /// A value that is null where the core's is nil, and nowhere else.
    mutating func settled(_ expression: SQLExpression) -> SQLExpression? {
        if expression.isColumn || !expression.mayBeNaN { return expression }
        return admitFailure() ? expression.withoutNaN : nil
    }

    // MARK: - With a constant

    private mutating func compared(_ a: SQLExpression, _ op: QueryComparison.Operator, _ value: Value) -> SQLText? {
        if value.isNull {
            switch op {
            case .equal: return infix(a.sql, " IS NULL")
            case .notEqual: return infix(a.sql, " IS NOT NULL")
            default: return SQLText("false")
            }
        }
        switch (a.kind, value) {
        case (.integer, .double(let number)):
            guard let (op, bound) = ConditionCompiler.whole(op, number), let b = SQLExpression.constant(.int(bound)) else { return nil }
            return compared(a, op, b)
        case (.double, .int(let number)), (.float, .int(let number)):
            guard let double = Double(exactly: number), let b = SQLExpression.constant(.double(double)) else { return nil }
            return compared(a, op, b)
        default: return SQLExpression.constant(value).flatMap { compared(a, op, $0) }
        }
    }

    /// The comparison of an integer with the whole number next to another one; `nil` where there is none.
    private static func whole(_ op: QueryComparison.Operator, _ number: Double) -> (QueryComparison.Operator, Int64)? {
        let bound: Double
        switch op {
        case .less, .greaterOrEqual: bound = number.rounded(.up)
        case .lessOrEqual, .greater: bound = number.rounded(.down)
        default: bound = number
        }
        return Int64(exactly: bound).map { (op, $0) }
    }

    // MARK: - Two values

    private mutating func compared(_ a: SQLExpression, _ op: QueryComparison.Operator, _ b: SQLExpression) -> SQLText? {
        if op.isTextual || op == .isIn { return textual(a, op, b) }
        var (a, b) = (a, b)
        if a.isNumber && b.isNumber && a.isInteger != b.isInteger {
            guard admitFailure() else { return nil }
            (a, b) = (a.asEqualFloating, b.asEqualFloating)
        }
        guard ConditionCompiler.areAlike(a, b) else { return nil }
        var sql = SQLText("(")
        sql.add(a.sql)
        switch op {
        case .equal, .notEqual: sql.add(" IS NOT DISTINCT FROM ")
        case .less: sql.add(" < ")
        case .lessOrEqual: sql.add(" <= ")
        case .greater: sql.add(" > ")
        case .greaterOrEqual: sql.add(" >= ")
        default: return nil
        }
        sql.add(b.sql)
        // What is no number equals itself for the server, and follows all numbers.
        let greatest: SQLExpression? =
            switch op {
            case .less, .lessOrEqual: b
            default: a
            }
        if let greatest, greatest.mayBeNaN {
            sql.add(" AND ")
            sql.add(greatest.sql)
            sql.add(" IS DISTINCT FROM 'NaN'")
        }
        sql.add(")")
        return op == .notEqual ? infix(sql, " IS NOT TRUE") : sql
    }

    private func infix(_ sql: SQLText, _ end: StaticString) -> SQLText {
        var text = SQLText("(")
        text.add(sql)
        text.add(end)
        text.add(")")
        return text
    }

    /// Whether the server compares values of two kinds as the core does.
    private static func areAlike(_ a: SQLExpression, _ b: SQLExpression) -> Bool {
        if a.isInteger && b.isInteger || a.isFloating && b.isFloating || a.isText && b.isText { return true }
        guard a.kind == b.kind else { return false }
        switch a.kind {
        case .date, .boolean, .uuid, .binary: return true
        case .reference: return a.root != nil && a.root == b.root
        default: return false
        }
    }

    /// `strpos(t0."name", t0."nickname") > 0`, `starts_with(…)`, `right(t0."name", char_length(t0."nickname")) = t0."nickname"`.
    private func textual(_ a: SQLExpression, _ op: QueryComparison.Operator, _ b: SQLExpression) -> SQLText? {
        guard a.isText, b.isText else { return nil }
        let (text, part) = op == .isIn ? (b, a) : (a, b)
        switch op {
        case .contains, .isIn: return ConditionCompiler.infix("(strpos(", text, ", ", part, ") > 0)", .boolean).sql
        case .beginsWith: return ConditionCompiler.infix("starts_with(", text, ", ", part, ")", .boolean).sql
        case .endsWith:
            let length = ConditionCompiler.apply("char_length(", part, ")", .integer)
            let end = ConditionCompiler.infix("right(", text, ", ", length, ")", .string)
            return ConditionCompiler.infix("(", end, " = ", part, ")", .boolean).sql
        default: return nil
        }
    }
}
