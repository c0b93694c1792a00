public import FoundationEssentials
import StrataQuery

extension PredicateExpressions.Arithmetic: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        let function: QueryFunction =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw translation.error(self, "no query says this")
            }
        return .expression(.chain(try translation.expression(lhs), function, try translation.expression(rhs)))
    }
}

extension PredicateExpressions.IntDivision: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .expression(.chain(try translation.expression(lhs), .divide, try translation.expression(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .expression(.chain(try translation.expression(lhs), .divide, try translation.expression(rhs)))
    }
}

extension PredicateExpressions.IntRemainder: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .expression(.chain(try translation.expression(lhs), .modulus, try translation.expression(rhs)))
    }
}

extension PredicateExpressions.UnaryMinus: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .expression(.function(.negate, [try translation.expression(wrapped)]))
    }
}
