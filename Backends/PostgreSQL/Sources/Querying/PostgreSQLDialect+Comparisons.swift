import StrataSQL

/// Comparisons of two expressions.
extension PostgreSQLDialect {
    static func condition(
        _ left: SQLExpression, _ op: QueryComparison.Operator, value: Value, options: QueryComparison.Options,
        in compiler: inout ConditionCompiler
    ) -> Condition? {
        guard options.isEmpty, let a = compiler.settled(left) else { return nil }
        switch (op, value) {
        case (.between, .list(let bounds)) where bounds.count == 2:
            let parts = [compared(a, .greaterOrEqual, bounds[0], in: &compiler), compared(a, .lessOrEqual, bounds[1], in: &compiler)]
            return compiler.all(parts.map { $0.map { Condition($0) } })
        case (.isIn, .list(let elements)) where !elements.isEmpty && elements.count <= longestListOfExpressions:
            return compiler.any(elements.map { compared(a, .equal, $0, in: &compiler).map { Condition($0) } })
        default: return compared(a, op, value, in: &compiler).map { Condition($0) }
        }
    }

    static func condition(
        _ left: SQLExpression, _ op: QueryComparison.Operator, other: SQLExpression, options: QueryComparison.Options,
        in compiler: inout ConditionCompiler
    ) -> Condition? {
        guard options.isEmpty, let a = compiler.settled(left), let b = compiler.settled(other) else { return nil }
        return compared(a, op, b, in: &compiler).map { Condition($0) }
    }

    // MARK: - With a constant

    private static func compared(
        _ a: SQLExpression, _ op: QueryComparison.Operator, _ value: Value, in compiler: inout ConditionCompiler
    ) -> SQLText? {
        if value.isNull {
            switch op {
            case .equal: return infix(a.sql, " IS NULL")
            case .notEqual: return infix(a.sql, " IS NOT NULL")
            default: return SQLText("false")
            }
        }
        switch (a.kind, value) {
        case (.integer, .double(let number)):
            guard let (op, bound) = whole(op, number), let b = constant(.int(bound)) else { return nil }
            return compared(a, op, b, in: &compiler)
        case (.double, .int(let number)), (.float, .int(let number)):
            guard let double = Double(exactly: number), let b = constant(.double(double)) else { return nil }
            return compared(a, op, b, in: &compiler)
        default: return constant(value).flatMap { compared(a, op, $0, in: &compiler) }
        }
    }

    /// Returns the comparison of an integer with the integer next to a fraction; `nil` where there is none.
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

    private static func compared(
        _ a: SQLExpression, _ op: QueryComparison.Operator, _ b: SQLExpression, in compiler: inout ConditionCompiler
    ) -> SQLText? {
        if op.isTextual || op == .isIn { return textual(a, op, b) }
        var (a, b) = (a, b)
        if a.isNumber && b.isNumber && a.isInteger != b.isInteger {
            guard compiler.admitFailure() else { return nil }
            (a, b) = (a.asEqualFloating, b.asEqualFloating)
        }
        guard areAlike(a, b) else { return nil }
        guard let word = op == .equal || op == .notEqual ? " IS NOT DISTINCT FROM " : op.sqlOrder else { return nil }
        // NaN equals itself and is the greatest number to the server.
        let greatest = op == .less || op == .lessOrEqual ? b : a
        let isNumber: SQLText = greatest.mayBeNaN ? " AND \(greatest.sql) IS DISTINCT FROM 'NaN'" : ""
        let sql: SQLText = "(\(a.sql)\(word)\(b.sql)\(isNumber))"
        return op == .notEqual ? infix(sql, " IS NOT TRUE") : sql
    }

    private static func infix(_ sql: SQLText, _ end: StaticString) -> SQLText { SQLText("(\(sql)\(end))") }

    /// Whether the server compares values of two kinds as the core does.
    private static func areAlike(_ a: SQLExpression, _ b: SQLExpression) -> Bool {
        // The server converts integers to decimals.
        if (a.kind == .decimal || b.kind == .decimal) && [a, b].allSatisfy({ $0.kind == .decimal || $0.isInteger }) { return true }
        if a.isInteger && b.isInteger || a.isFloating && b.isFloating || a.isText && b.isText { return true }
        guard a.kind == b.kind else { return false }
        switch a.kind {
        case .date, .boolean, .uuid, .binary: return true
        case .reference: return a.root != nil && a.root == b.root
        default: return false
        }
    }

    /// `strpos(t0."name", t0."nickname") > 0`, `starts_with(…)`, `right(t0."name", char_length(t0."nickname")) = t0."nickname"`.
    private static func textual(_ a: SQLExpression, _ op: QueryComparison.Operator, _ b: SQLExpression) -> SQLText? {
        guard a.isText, b.isText else { return nil }
        let (text, part) = op == .isIn ? (b, a) : (a, b)
        switch op {
        case .contains, .isIn: return SQLText("(strpos(\(text.sql), \(part.sql)) > 0)")
        case .beginsWith: return SQLText("starts_with(\(text.sql), \(part.sql))")
        case .endsWith:
            let length = SQLText("char_length(\(part.sql))")
            let end = SQLText("right(\(text.sql), \(length))")
            return SQLText("(\(end) = \(part.sql))")
        default: return nil
        }
    }
}
