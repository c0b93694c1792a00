import StrataEvaluation
import StrataModel
import StrataQuery
import StrataSQL

/// Comparisons of two expressions.
extension PredicateCompiler {
    /// `t0.ZNAME IS t1.ZNAME`, `(t0.ZAGE + ?) > (t0.ZRATE * ?)` with its guards, or a test of text as ``TextCondition`` makes it.
    mutating func test(_ test: ResolvedTest, _ negated: Bool) -> SQLText? {
        guard test.modifier == .direct else { return nil }
        switch (test.left, test.operator, test.right) {
        case (.constant, _, .constant): return nil
        case (.entityName(let path, let names), let op, .constant(let value)):
            return entityName(path, names, op, value, test.options, negated)
        case (let left, .between, .list(let bounds)) where bounds.count == 2:
            return both(left, .greaterOrEqual, bounds[0], .lessOrEqual, bounds[1], test.options, negated)
        case (let left, .isIn, .list(let elements)): return anyOf(left, elements, test.options, negated)
        case (.list, _, _), (_, _, .list): return nil
        case (let left, .isIn, .constant(.string)): return textual(test.right, .contains, left, test.options, negated)
        case (let left, let op, .constant(let value)):
            guard let left = expression(left) else { return nil }
            return compare(left, op, value, test.options, negated)
        case (.constant(let value), let op, let right):
            guard let mirrored = op.mirrored else {
                return textual(.constant(value), op, right, test.options, negated)
            }
            guard test.options.isEmpty, let right = expression(right) else { return nil }
            return compare(right, mirrored, value, test.options, negated)
        case (let left, let op, let right):
            if op == .isIn { return textual(right, .contains, left, test.options, negated) }
            guard let left = expression(left), let right = expression(right) else { return nil }
            return compare(left, op, right, test.options, negated)
        }
    }

    /// `(… >= … AND … <= …)`, for bounds that are computed.
    private mutating func both(
        _ left: ResolvedExpression, _ op: QueryComparison.Operator, _ right: ResolvedExpression, _ otherOp: QueryComparison.Operator,
        _ otherRight: ResolvedExpression, _ options: QueryComparison.Options, _ negated: Bool
    ) -> SQLText? {
        guard let first = test(ResolvedTest(left, op, right, options), negated),
            let second = test(ResolvedTest(left, otherOp, otherRight, options), negated)
        else { return nil }
        return PredicateCompiler.join([first, second], negated ? " OR " : " AND ")
    }

    /// `(… IS … OR … IS …)`, for elements that are computed.
    private mutating func anyOf(
        _ left: ResolvedExpression, _ elements: [ResolvedExpression], _ options: QueryComparison.Options, _ negated: Bool
    ) -> SQLText? {
        if elements.isEmpty { return truth(negated) }
        var parts: [SQLText] = []
        for element in elements {
            guard let part = test(ResolvedTest(left, .equal, element, options), negated) else { return nil }
            parts.append(part)
        }
        return PredicateCompiler.join(parts[...], negated ? " AND " : " OR ")
    }

    /// Text tested by a pattern, either of which may be a constant.
    private mutating func textual(
        _ left: ResolvedExpression, _ op: QueryComparison.Operator, _ right: ResolvedExpression, _ options: QueryComparison.Options,
        _ negated: Bool
    ) -> SQLText? {
        guard op.isTextual, let text = textOperand(left), let pattern = textOperand(right) else { return nil }
        return settled(TextCondition.tested(text, op, pattern, options), negated)
    }

    private mutating func textOperand(_ expression: ResolvedExpression) -> SQLText? {
        if let value = expression.constant {
            guard let text = value.text else { return nil }
            var sql = SQLText()
            sql.bind(.text(text))
            return sql
        }
        guard let compiled = self.expression(expression), compiled.isText else { return nil }
        return compiled.sql
    }

    // MARK: - Two values in SQL

    func compare(
        _ left: SQLExpression, _ op: QueryComparison.Operator, _ right: SQLExpression, _ options: QueryComparison.Options, _ negated: Bool
    ) -> SQLText? {
        if op.isTextual {
            guard left.isText, right.isText else { return nil }
            return settled(TextCondition.tested(left.sql, op, right.sql, options), negated)
        }
        guard PredicateCompiler.areAlike(left, right) else { return nil }
        if left.isText && !options.isEmpty { return folded(left, op, right, options, negated) }
        let numbers = left.numbers + right.numbers
        func bare(_ keywords: StaticString) -> SQLText {
            var sql = left.sql
            sql.add(keywords)
            right.add(to: &sql)
            return sql
        }
        switch op {
        case .equal, .notEqual:
            // Two nulls are equal, unless one stands for a number that is none.
            if left.mayHideNaN || right.mayHideNaN { return nil }
            let isEqual = (op == .equal) != negated
            if numbers.isEmpty { return bare(isEqual ? " IS " : " IS NOT ") }
            if left.mayHideNil || right.mayHideNil, let leftNull = null(left, false), let rightNull = null(right, false) {
                let bothNull = PredicateCompiler.join([leftNull, rightNull], " AND ")
                return settled(PredicateCompiler.join([guarded(bare(" IS "), numbers), bothNull], " OR "), !isEqual)
            }
            return settled(guarded(bare(" IS "), numbers), !isEqual)
        case .less: return settled(guarded(bare(" < "), numbers), negated)
        case .lessOrEqual: return settled(guarded(bare(" <= "), numbers), negated)
        case .greater: return settled(guarded(bare(" > "), numbers), negated)
        case .greaterOrEqual: return settled(guarded(bare(" >= "), numbers), negated)
        default: return nil
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
    private func folded(
        _ left: SQLExpression, _ op: QueryComparison.Operator, _ right: SQLExpression, _ options: QueryComparison.Options, _ negated: Bool
    ) -> SQLText? {
        switch op {
        case .notEqual: return folded(left, .equal, right, options, !negated)
        case .equal:
            var sql = SQLText("(")
            sql.add(TextCondition.tested(left.sql, .equal, right.sql, options))
            sql.add(" OR (")
            left.add(to: &sql)
            sql.add(" IS NULL AND ")
            right.add(to: &sql)
            sql.add(" IS NULL))")
            return settled(sql, negated)
        default: return settled(TextCondition.tested(left.sql, op, right.sql, options), negated)
        }
    }
}
