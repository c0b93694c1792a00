import StrataEvaluation
import StrataSQL

extension ConditionCompiler {
    /// The condition, or `nil` where only the core decides it: then nothing is joined for it.
    mutating func compile(_ predicate: ResolvedPredicate) -> SQLText? {
        let before = scope
        if let condition = condition(predicate), condition.isExact { return condition.sql }
        scope = before
        return nil
    }

    /// The expression, or `nil` where only the core computes it: then nothing is joined for it.
    mutating func compile(_ expression: ResolvedExpression) -> SQLExpression? {
        let before = scope
        let compiled = self.expression(expression)
        if compiled == nil { scope = before }
        return compiled
    }
}
