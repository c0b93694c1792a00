import StrataEvaluation

extension QueryPredicate {
    /// Returns the conjunction, simplified: `name != nil AND name CONTAINS "x"` is the second part alone.
    static func both(_ a: QueryPredicate, _ b: QueryPredicate) -> QueryPredicate {
        switch (a, b) {
        case (.constant(true), let other), (let other, .constant(true)): other
        case (.constant(false), _), (_, .constant(false)): .constant(false)
        default: if case .comparison(let comparison) = a, comparison.isNotNil, b.implies(comparison.left) { b } else { a && b }
        }
    }

    /// Returns the disjunction, simplified by parts that are always or never met.
    static func either(_ a: QueryPredicate, _ b: QueryPredicate) -> QueryPredicate {
        switch (a, b) {
        case (.constant(false), let other), (let other, .constant(false)): other
        case (.constant(true), _), (_, .constant(true)): .constant(true)
        default: a || b
        }
    }

    /// A predicate that is met where this one is not.
    var negated: QueryPredicate {
        switch self {
        case .constant(let truth): return .constant(!truth)
        case .not(let operand): return operand
        case .comparison(var comparison) where comparison.modifier == .direct:
            guard let opposite = comparison.operator.opposite else { return !self }
            comparison.operator = opposite
            return .comparison(comparison)
        default: return !self
        }
    }

    /// Returns `(expression ?? fallback) op constant`, so that a store compares the property itself.
    static func coalesced(
        _ expression: QueryExpression, _ fallback: Value, _ op: QueryComparison.Operator, _ constant: Value
    ) -> QueryPredicate {
        let plain = QueryPredicate.comparison(.init(expression, op, .constant(constant)))
        guard let ofFallback = try? ValueTest.compare(fallback, op, constant, options: []),
            let ofNil = try? ValueTest.compare(.null, op, constant, options: [])
        else { return .comparison(.init(.conditional(expression == nil, .constant(fallback), expression), op, .constant(constant))) }
        if ofFallback == ofNil { return plain }
        return ofFallback ? plain || expression == nil : plain && expression != nil
    }

    /// Returns whether the predicate is met only where an expression, or what a path from it references, has a value.
    private func implies(_ expression: QueryExpression) -> Bool {
        switch self {
        case .constant, .not: false
        case .and(let operands): operands.contains { $0.implies(expression) }
        case .or(let operands): !operands.isEmpty && operands.allSatisfy { $0.implies(expression) }
        case .comparison(let comparison): comparison.requires(expression)
        }
    }
}

extension QueryComparison {
    fileprivate var isNotNil: Bool { `operator` == .notEqual && right == .constant(.null) && modifier == .direct }

    fileprivate func requires(_ expression: QueryExpression) -> Bool {
        guard modifier == .direct, left.isNil(where: expression) else { return false }
        switch (`operator`, right) {
        case (.notEqual, let other): return other == .constant(.null)
        case (.less, _), (.greater, _): return true
        case (.isIn, .constant(.list(let values))), (.between, .constant(.list(let values))): return !values.contains(.null)
        case (_, .constant(let value)): return !value.isNull
        default: return false
        }
    }
}

extension QueryComparison.Operator {
    /// Equality and inequality, which are opposites; orders have none, as nil is in no order.
    fileprivate var opposite: QueryComparison.Operator? {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        default: nil
        }
    }
}

extension QueryExpression {
    /// Returns whether this is nil where `other` is.
    func isNil(where other: QueryExpression) -> Bool {
        if self == other { return true }
        switch self {
        case .keyPath(let path):
            guard case .keyPath(let start) = other else { return false }
            return path.hasPrefix(start + ".") && !path.contains("@")
        case .path(let base, let path):
            if path.contains("@") { return false }
            if case .path(let otherBase, let start) = other, base == otherBase { return path.hasPrefix(start + ".") }
            return base.isNil(where: other)
        case .function(let function, let arguments):
            switch function {
            case .sum, .count, .min, .max, .average, .median, .mode, .standardDeviation, .random, .now, .joined: return false
            default: return arguments.contains { $0.isNil(where: other) }
            }
        default: return false
        }
    }
}
