import StrataEvaluation
import StrataModel
import StrataQuery

/// One evaluation of a predicate or an expression for an object, in memory.
struct Evaluation {
    let object: Any?
    private let root: Operand
    private var bindings: [String: Operand]
    private let context: NSMutableDictionary?

    init(of object: Any?, bindings: [String: Any]? = nil, context: NSMutableDictionary? = nil) {
        self.object = object
        root = Operand(object)
        self.bindings = bindings?.mapValues { Operand($0) } ?? [:]
        self.context = context
    }

    // MARK: - Expressions

    mutating func value(of expression: NSExpression) -> Operand { expression.value(in: &self) }

    mutating func value(of content: ExpressionContent, of expression: NSExpression) -> Operand {
        switch content {
        case .constant(_, let operand): return operand
        case .evaluatedObject: return root
        case .anyKey: return everyAttribute
        case .variable(let name): return variable(name)
        case .keyPath(let base, let path): return (base.map { value(of: $0) } ?? root).value(forKeyPath: path)
        case .function(let name, let arguments): return ExpressionFunction.value(name, values(of: arguments))
        case .call(let target, let name, let arguments): return ExpressionFunction.value(name, values(of: [target] + arguments))
        case .aggregate(let parts): return Operand(list: values(of: parts))
        case .combined(let operation, let left, let right): return Operand.combine(operation, value(of: left), value(of: right))
        case .subquery(let base, let name, let predicate): return subquery(value(of: base), name, predicate)
        case .conditional(let predicate, let first, let second): return value(of: holds(predicate) ? first : second)
        case .block(let block, let arguments):
            return Operand(block.run(object, values(of: arguments).map { $0.any ?? NSNull() }, context))
        case .element(let base, let index): return element(value(of: base), index)
        case .assignment(let name, let expression):
            let value = value(of: expression)
            bindings[name] = value
            return value
        case .request(let request, let context, let countOnly):
            return FetchedValue.value(of: value(of: request), in: value(of: context), countOnly: countOnly)
        case .fetch, .own:
            programmerError("\(expression) cannot be evaluated in memory: it needs a context to fetch with")
        }
    }

    private mutating func values(of expressions: [NSExpression]) -> [Operand] { expressions.map { value(of: $0) } }

    private func variable(_ name: String) -> Operand {
        if let value = bindings[name] { return value }
        if let value = context?.object(forKey: name) { return Operand(value) }
        programmerError("Can't get value for '\(name)' in bindings \(bindings.keys.sorted()).")
    }

    private var everyAttribute: Operand {
        guard let object, let attributes = Operand.attributes(of: object) else { return root.elements.map { Operand(list: $0) } ?? root }
        return Operand(list: attributes)
    }

    private mutating func subquery(_ collection: Operand, _ name: String, _ predicate: NSPredicate) -> Operand {
        let outer = bindings[name]
        defer { bindings[name] = outer }
        let found = (collection.elements ?? []).filter { element in
            bindings[name] = element
            return holds(predicate)
        }
        return Operand(list: found)
    }

    private mutating func element(_ collection: Operand, _ index: ExpressionPosition) -> Operand {
        switch index {
        case .first: return collection.elements?.first ?? .null
        case .last: return collection.elements?.last ?? .null
        case .size: return .value(.int(Int64(collection.elements?.count ?? 0)))
        case .at(let index): return ExpressionFunction.value(QueryFunction.objectAt.rawValue, [collection, value(of: index)])
        }
    }

    // MARK: - Predicates

    mutating func holds(_ predicate: NSPredicate) -> Bool {
        if let compound = predicate as? NSCompoundPredicate { return holds(compound) }
        if let comparison = predicate as? NSComparisonPredicate, type(of: predicate) == NSComparisonPredicate.self {
            return holds(comparison)
        }
        return predicate.evaluate(with: object, substitutionVariables: bindings.mapValues { $0.any ?? NSNull() })
    }

    private mutating func holds(_ compound: NSCompoundPredicate) -> Bool {
        switch compound.compoundPredicateType {
        case .and: compound.subpredicates.allSatisfy { holds($0) }
        case .or: compound.subpredicates.contains { holds($0) }
        case .not: compound.subpredicates.first.map { !holds($0) } ?? true
        }
    }

    mutating func holds(_ comparison: NSComparisonPredicate) -> Bool {
        let (left, right) = (value(of: comparison.leftExpression), value(of: comparison.rightExpression))
        guard let op = comparison.queryOperator else {
            return ExpressionFunction.value(comparison.customName, [left, right]).compares(.equal, .value(.bool(true)), [])
        }
        let options = comparison.options.textOptions
        switch (comparison.comparisonPredicateModifier, comparison.leftExpression.content) {
        case (.direct, .anyKey), (.any, _): return Evaluation.parts(left).contains { passes($0) }
        case (.all, _): return Evaluation.parts(left).allSatisfy { passes($0) }
        case (.direct, _): return passes(left)
        }
        func passes(_ left: Operand) -> Bool {
            guard let prepared = comparison.preparedText, let text = left.value?.text else { return left.compares(op, right, options) }
            do { return try prepared.passes(text) } catch { Operand.refuse(error) }
        }
    }

    /// Returns the operands of ANY and ALL: the elements of collections at any depth, nothing for nil.
    private static func parts(_ operand: Operand) -> [Operand] {
        guard let elements = operand.elements else { return operand.isNull ? [] : [operand] }
        return elements.flatMap { element in
            if case .object = element { return [element] }
            return element.elements.map { $0.flatMap { parts($0) } } ?? [element]
        }
    }
}
