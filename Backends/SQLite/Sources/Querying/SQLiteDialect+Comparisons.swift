import StrataSQL

/// Comparisons of two expressions.
extension SQLiteDialect {
    /// `t0.ZNAME IS t1.ZNAME`, `(t0.ZAGE + ?) > (t0.ZRATE * ?)` with its guards, or a test of text as ``TextCondition`` makes it.
    static func condition(
        _ left: SQLExpression, _ op: QueryComparison.Operator, other: SQLExpression, options: QueryComparison.Options,
        in compiler: inout ConditionCompiler
    ) -> Condition? {
        if op == .isIn { return condition(other, .contains, other: left, options: options, in: &compiler) }
        if op.isTextual {
            guard left.isText, other.isText else { return nil }
            return Condition(TextCondition.tested(left.sql, op, other.sql, options))
        }
        if left.kind == .decimal || other.kind == .decimal { return decimals(left, op, other) }
        guard areAlike(left, other) else { return nil }
        if left.isText && !options.isEmpty { return folded(left, op, other, options) }
        let numbers = left.numbers + other.numbers
        func bare(_ keywords: StaticString) -> SQLText { "\(left.sql)\(keywords)\(other.sql)" }
        switch op {
        case .equal:
            // Two nulls are equal, unless one represents NaN.
            if left.mayHideNaN || other.mayHideNaN { return nil }
            if numbers.isEmpty { return Condition(bare(" IS "), opposite: bare(" IS NOT ")) }
            let isEqual = guarded(bare(" IS "), numbers)
            guard left.mayHideNil || other.mayHideNil,
                let leftNull = condition(left, .equal, value: .null, options: [], in: &compiler),
                let otherNull = condition(other, .equal, value: .null, options: [], in: &compiler)
            else { return Condition(isEqual) }
            return compiler.any([Condition(isEqual), compiler.all([leftNull, otherNull])])
        case .notEqual: return condition(left, .equal, other: other, options: options, in: &compiler)?.negated
        default: return op.sqlOrder.map { Condition(guarded(bare($0), numbers)) }
        }
    }

    /// Whether SQL compares values of two kinds as the core does.
    private static func areAlike(_ left: SQLExpression, _ right: SQLExpression) -> Bool {
        let haveMagnitudes = (left.isNumber || left.kind == .boolean) && (right.isNumber || right.kind == .boolean)
        if haveMagnitudes || left.isText && right.isText { return true }
        guard left.kind == right.kind else { return false }
        switch left.kind {
        case .uuid, .date: return true
        case .reference: return left.root != nil && left.root == right.root
        case .binary, .transformable: return !left.isExternal && !right.isExternal
        default: return false
        }
    }

    /// `(strata_text(4, 1, t1.ZNAME, t0.ZNAME) OR (t0.ZNAME IS NULL AND t1.ZNAME IS NULL))`.
    private static func folded(
        _ left: SQLExpression, _ op: QueryComparison.Operator, _ other: SQLExpression, _ options: QueryComparison.Options
    ) -> Condition? {
        switch op {
        case .notEqual: return folded(left, .equal, other, options)?.negated
        case .equal:
            let isEqual = TextCondition.tested(left.sql, .equal, other.sql, options)
            return Condition("(\(isEqual) OR (\(left.sql) IS NULL AND \(other.sql) IS NULL))")
        default: return Condition(TextCondition.tested(left.sql, op, other.sql, options))
        }
    }

    // MARK: - Parts

    /// Returns a condition that also requires that columns contain numbers or null: `(… AND typeof(t0.ZRATE) <> 'text')`.
    static func guarded(_ condition: SQLText, _ columns: [SQLText]) -> SQLText {
        if columns.isEmpty { return condition }
        return "(\([condition] + columns.map { "typeof(\($0)) <> 'text'" }, separator: " AND "))"
    }
}
