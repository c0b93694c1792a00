public import FoundationEssentials
import StrataEvaluation

extension PredicateExpressions.Equal: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .predicate(try translation.comparison(self, lhs, .equal, rhs))
    }
}

extension PredicateExpressions.NotEqual: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .predicate(try translation.comparison(self, lhs, .notEqual, rhs))
    }
}

extension PredicateExpressions.Comparison: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        let op: QueryComparison.Operator =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw translation.error(self, "no query says this")
            }
        return .predicate(try translation.comparison(self, lhs, op, rhs))
    }
}

extension PredicateExpressions.ClosedRange: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .range(lower: try translation.expression(lower), upper: try translation.expression(upper), includesUpper: true)
    }
}

extension PredicateExpressions.Range: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .range(lower: try translation.expression(lower), upper: try translation.expression(upper), includesUpper: false)
    }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        guard case .range(let lower, let upper, let includesUpper) = try translation.translated(range)
        else { throw translation.error(self, "the range is of a kind that no query knows") }
        return .predicate(try translation.comparison(self, element, within: lower, upper, includesUpper: includesUpper))
    }
}

extension Translation {
    mutating func comparison(
        _ node: some PredicateExpression, _ left: some PredicateExpression, _ op: QueryComparison.Operator,
        _ right: some PredicateExpression
    ) throws(QueryError) -> QueryPredicate {
        try comparison(node, try translated(left), op, try translated(right))
    }

    func comparison(
        _ node: some PredicateExpression, _ left: Translated, _ op: QueryComparison.Operator, _ right: Translated
    ) throws(QueryError) -> QueryPredicate {
        // Constants are the right operands, as stores expect.
        if left.constant != nil, right.constant == nil, let mirrored = op.mirrored { return try comparison(node, right, mirrored, left) }
        switch (left, right, op) {
        case (.predicate(let a), .predicate(let b), .equal): return (a && b) || (a.negated && b.negated)
        case (.predicate(let a), .predicate(let b), .notEqual): return (a && b.negated) || (a.negated && b)
        case (.predicate(let a), .expression(.constant(.bool(let truth))), .equal): return truth ? a : a.negated
        case (.predicate(let a), .expression(.constant(.bool(let truth))), .notEqual): return truth ? a.negated : a
        case (.optionalPredicate(let a, let condition), .expression(.constant(let value)), .equal):
            switch value {
            case .null: return condition.negated
            case .bool(let truth): return .both(condition, truth ? a : a.negated)
            default: return .constant(false)
            }
        case (.optionalPredicate, .expression(.constant), .notEqual): return try comparison(node, left, .equal, right).negated
        case (.coalesced(let expression, let fallback), .expression(.constant(let constant)), _):
            return .coalesced(expression, fallback, op, constant)
        default:
            guard let left = left.expression, let right = right.expression else { throw error(node, "no query compares ranges") }
            return .comparison(.init(left, op, right))
        }
    }

    mutating func comparison(
        _ node: some PredicateExpression, _ element: some PredicateExpression, within lower: QueryExpression?, _ upper: QueryExpression?,
        includesUpper: Bool
    ) throws(QueryError) -> QueryPredicate {
        let element = try translated(element)
        if case .expression(let value) = element, includesUpper, case .constant(let low)? = lower, case .constant(let high)? = upper {
            return value.between(low, high)
        }
        let above = try lower.map { bound throws(QueryError) in try comparison(node, element, .greaterOrEqual, .expression(bound)) }
        let below = try upper.map { bound throws(QueryError) in
            try comparison(node, element, includesUpper ? .lessOrEqual : .less, .expression(bound))
        }
        return .both(above ?? .constant(true), below ?? .constant(true))
    }
}
