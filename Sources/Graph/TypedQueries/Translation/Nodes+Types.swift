public import FoundationEssentials
import StrataModel
import StrataQuery

extension PredicateExpressions.TypeCheck: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        switch Cast(from: Input.Output.self, to: Desired.self) {
        case .always: return .predicate(.constant(true))
        case .unlessNil: return .predicate(try translation.expression(input) != nil)
        case .unknown:
            guard Desired.self is ManagedObject.Type, let model = translation.model
            else { throw translation.castError(self, Input.Output.self, Desired.self) }
            // A class represents the entities that name it, or one of its subclasses.
            let names = model.entities.filter { $0.objectClass is Desired.Type }.map(\.name)
            return .predicate(try translation.expression(input).appending("entity.name").isIn(names.map { .string($0) }))
        }
    }
}

extension PredicateExpressions.ConditionalCast: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        guard Cast(from: Input.Output.self, to: Desired.self) != .unknown
        else { throw translation.castError(self, Input.Output.self, Desired.self) }
        return try translation.translated(input)
    }
}

extension PredicateExpressions.ForceCast: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        guard Cast(from: Input.Output.self, to: Desired.self) != .unknown
        else { throw translation.castError(self, Input.Output.self, Desired.self) }
        return try translation.translated(input)
    }
}

extension PredicateExpressions.ExpressionEvaluate: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        guard let inner = try? expression.evaluate(PredicateBindings())
        else { throw translation.error(self, "the expression is not a constant") }
        var arguments: [QueryExpression] = []
        for argument in repeat each input { arguments.append(try translation.expression(argument)) }
        arguments.reverse()
        for variable in repeat each inner.variable { translation.bind(variable, to: arguments.popLast() ?? .evaluatedObject) }
        return try translation.translated(inner.expression)
    }
}

/// Whether a cast succeeds, as far as types determine it.
private enum Cast {
    case always
    case unlessNil
    case unknown

    init<Desired>(from source: Any.Type, to desired: Desired.Type) {
        if source is Desired.Type {
            self = .always
        } else if let optional = source as? any OptionalType.Type, optional.wrappedType is Desired.Type {
            self = .unlessNil
        } else {
            self = .unknown
        }
    }
}

extension Translation {
    fileprivate func castError(_ node: some Any, _ source: Any.Type, _ desired: Any.Type) -> QueryError {
        error(
            node, "types do not determine whether a \(source) is a \(desired): use is and pass the model, or fetch the entity of \(desired)"
        )
    }
}
