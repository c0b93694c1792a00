public import FoundationEssentials
import StrataModel
import StrataQuery

extension PredicateExpressions.SequenceContains: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        switch try translation.translated(sequence) {
        case .range(let lower, let upper, let includesUpper):
            return .predicate(try translation.comparison(self, element, within: lower, upper, includesUpper: includesUpper))
        case .expression(.constant(.list(let values))):
            let element = try translation.translated(element)
            return .predicate(try translation.comparison(self, element, .isIn, .expression(.constant(.list(values)))))
        case let collection:
            guard LHS.Output.elementIsManaged || LHS.Output.self is any StringProtocol.Type
            else { throw translation.error(self, "\(LHS.Output.self) is neither text nor the destinations of a relationship") }
            let objects = try translation.collection(collection, of: sequence)
            return .predicate(.comparison(.init(objects, .contains, try translation.expression(element))))
        }
    }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .predicate(try translation.text(self, base, .contains, other))
    }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .predicate(try translation.text(self, base, .beginsWith, prefix))
    }
}

extension PredicateExpressions.StringContainsRegex: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        guard let constant = regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex>
        else { throw translation.error(self, "the regular expression is not a literal") }
        // A query's expression matches from end to end.
        let pattern = #"[\s\S]*(?:"# + constant.value.stringRepresentation + #")[\s\S]*"#
        return .predicate(.comparison(.init(try translation.expression(subject), .matches, .constant(.string(pattern)))))
    }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        let elements = try translation.translated(sequence)
        if let tests = try translation.tests(elements, variable, test) {
            return .predicate(tests.reduce(.constant(false), QueryPredicate.either))
        }
        let matching = try translation.subquery(self, try translation.collection(elements, of: sequence), variable, test)
        return .predicate(matching.appending("@count") > .int(0))
    }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        let elements = try translation.translated(sequence)
        if let tests = try translation.tests(elements, variable, test) {
            return .predicate(tests.reduce(.constant(true), QueryPredicate.both))
        }
        let failing = try translation.subquery(self, try translation.collection(elements, of: sequence), variable, test, isNegated: true)
        return .predicate(failing.appending("@count") == .int(0))
    }
}

extension PredicateExpressions.Filter: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        .expression(try translation.subquery(self, try translation.collection(sequence), variable, filter))
    }
}

extension PredicateExpressions.SequenceMinimum: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        // Of constants the fallback computes it; other types with a least element are texts and data.
        throw translation.error(self, "the least element of \(Elements.Output.self) is no value that a query computes")
    }
}

extension PredicateExpressions.SequenceMaximum: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        throw translation.error(self, "the greatest element of \(Elements.Output.self) is no value that a query computes")
    }
}

extension PredicateExpressions.CollectionIndexSubscript: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        let (collection, index) = (try translation.collection(wrapped), try translation.expression(index))
        if case .constant(.list) = collection { return .expression(.function(.objectAt, [collection, index])) }
        guard Wrapped.Output.elementIsManaged, Index.Output.self == Int.self
        else { throw translation.error(self, "\(Wrapped.Output.self) has no elements that a query could count off") }
        return .expression(.element(collection, .at(index)))
    }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        throw translation.error(self, "no query takes a part of a collection or of text")
    }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        throw translation.error(self, "no query looks into a dictionary")
    }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableNode {
    func translated(by translation: inout Translation) throws(QueryError) -> Translated {
        throw translation.error(self, "no query looks into a dictionary")
    }
}

extension Translation {
    fileprivate mutating func text<Base: PredicateExpression>(
        _ node: some PredicateExpression, _ base: Base, _ op: QueryComparison.Operator, _ other: some PredicateExpression
    ) throws(QueryError) -> QueryPredicate {
        guard Base.Output.self is any StringProtocol.Type else { throw error(node, "\(Base.Output.self) is no text") }
        return try comparison(node, base, op, other)
    }

    /// Returns the test of each element of a constant sequence; `nil` for any other sequence.
    fileprivate mutating func tests<Element>(
        _ sequence: Translated, _ variable: PredicateExpressions.Variable<Element>, _ test: some PredicateExpression
    ) throws(QueryError) -> [QueryPredicate]? {
        guard case .list(let values)? = sequence.constant else { return nil }
        var tests: [QueryPredicate] = []
        for value in values {
            bind(variable, to: .constant(value))
            tests.append(try predicate(test))
        }
        return tests
    }

    fileprivate mutating func subquery<Element>(
        _ node: some PredicateExpression, _ collection: QueryExpression, _ variable: PredicateExpressions.Variable<Element>,
        _ test: some PredicateExpression, isNegated: Bool = false
    ) throws(QueryError) -> QueryExpression {
        guard Element.self is ManagedObject.Type else { throw error(node, "\(Element.self) is not the destination of a relationship") }
        let name = newVariable()
        bind(variable, to: .variable(name))
        let condition = try predicate(test)
        return .subquery(collection, variable: name, isNegated ? condition.negated : condition)
    }
}
