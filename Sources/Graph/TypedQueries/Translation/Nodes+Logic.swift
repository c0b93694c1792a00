public import FoundationEssentials
import StrataModel
import StrataQuery

extension PredicateExpressions.Conjunction: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .predicate(.both(try translation.predicate(lhs), try translation.predicate(rhs)))
    }
}

extension PredicateExpressions.Disjunction: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .predicate(.either(try translation.predicate(lhs), try translation.predicate(rhs)))
    }
}

extension PredicateExpressions.Negation: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .predicate(try translation.predicate(wrapped).negated)
    }
}

extension PredicateExpressions.Conditional: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        let condition = try translation.predicate(test)
        guard If.Output.self == Bool.self else {
            return .expression(.conditional(condition, try translation.expression(trueBranch), try translation.expression(falseBranch)))
        }
        let (a, b) = (try translation.predicate(trueBranch), try translation.predicate(falseBranch))
        return .predicate(.either(.both(condition, a), .both(condition.negated, b)))
    }
}

extension PredicateExpressions.OptionalFlatMap: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        let value = try translation.expression(wrapped)
        translation.bind(variable, to: value)
        let hasValue: QueryPredicate = value != nil
        switch try translation.translated(transform) {
        case .predicate(let predicate): return .optionalPredicate(predicate, where: hasValue)
        case .optionalPredicate(let predicate, let condition): return .optionalPredicate(predicate, where: .both(hasValue, condition))
        case .expression(let result) where result.isNil(where: value): return .expression(result)
        case let result:
            guard let result = result.expression else { throw translation.error(self, "a range is no single value") }
            return .expression(.conditional(hasValue, result, .constant(.null)))
        }
    }
}

extension PredicateExpressions.NilCoalesce: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        let (value, fallback) = (try translation.translated(lhs), try translation.translated(rhs))
        switch (value, fallback) {
        case (.optionalPredicate(let predicate, let condition), _):
            let otherwise = try translation.predicate(fallback, of: rhs)
            return .predicate(.either(.both(condition, predicate), .both(condition.negated, otherwise)))
        case (.expression(let expression), .predicate(let otherwise)):
            return .predicate(.either(expression == .bool(true), .both(expression == nil, otherwise)))
        case (.expression(let expression), .expression(.constant(let constant))): return .coalesced(expression, constant)
        default:
            guard let value = value.expression, let fallback = fallback.expression
            else { throw translation.error(self, "a range is no single value") }
            return .expression(.conditional(value == nil, fallback, value))
        }
    }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        switch try translation.translated(inner) {
        case .optionalPredicate(let predicate, let condition): .predicate(.both(condition, predicate))
        case let value: value
        }
    }
}
