import StrataEvaluation
import StrataModel
import StrataQuery

/// Comparisons of two expressions.
extension ConditionCompiler {
    /// `(t0.age + ?) > t0.rank`, or the conditions on bounds and elements that are computed.
    mutating func test(_ test: ResolvedTest) -> Condition? {
        guard test.modifier == .direct else { return nil }
        let options = test.options
        switch (test.left, test.operator, test.right) {
        case (.constant, _, .constant): return nil
        case (.entityName(let path, let names), let op, .constant(let value)): return entityCondition(path, names, op, value, options)
        case (let left, .between, .list(let bounds)) where bounds.count == 2:
            return all([
                self.test(ResolvedTest(left, .greaterOrEqual, bounds[0], options: options)),
                self.test(ResolvedTest(left, .lessOrEqual, bounds[1], options: options)),
            ])
        case (let left, .isIn, .list(let elements)):
            if elements.isEmpty { return truth(false) }
            guard elements.count <= Dialect.longestListOfExpressions else { return nil }
            return any(elements.map { self.test(ResolvedTest(left, .equal, $0, options: options)) })
        case (.list, _, _), (_, _, .list): return nil
        case (.constant(let value), let op, let right):
            guard let mirrored = op.mirrored else { return compared(test.left, op, right, options) }
            return options.isEmpty ? compared(right, mirrored, .constant(value), options) : nil
        case (let left, let op, let right): return compared(left, op, right, options)
        }
    }

    private mutating func compared(
        _ left: ResolvedExpression, _ op: QueryComparison.Operator, _ right: ResolvedExpression, _ options: QueryComparison.Options
    ) -> Condition? {
        guard let a = expression(left) else { return nil }
        if case .constant(let value) = right { return Dialect.condition(a, op, value: value, options: options, in: &self) }
        guard let b = expression(right) else { return nil }
        return Dialect.condition(a, op, other: b, options: options, in: &self)
    }
}
