import StrataModel
import StrataQuery
import StrataText

/// Makes predicates and expressions from trees.
struct PredicateMaker {
    /// The arguments of the parser's own variables.
    var arguments: [Any] = []

    func predicate(_ tree: QueryPredicate) -> NSPredicate {
        switch tree {
        case .constant(let truth): NSPredicate(value: truth)
        case .and(let parts): compound(.and, parts)
        case .or(let parts): compound(.or, parts)
        case .not(let part): CompoundPredicate(type: .not, subpredicates: [predicate(part)])
        case .comparison(let comparison):
            NSComparisonPredicate(
                leftExpression: expression(comparison.left), rightExpression: expression(comparison.right),
                modifier: NSComparisonPredicate.Modifier(comparison.modifier), type: NSComparisonPredicate.Operator(comparison.operator),
                options: NSComparisonPredicate.Options(rawValue: UInt(comparison.options.rawValue)))
        }
    }

    /// Returns a compound; one that begins with a compound of its own kind takes the parts of that, as Core Data's parser does.
    private func compound(_ type: NSCompoundPredicate.LogicalType, _ parts: [QueryPredicate]) -> NSPredicate {
        var made = parts.map(predicate)
        if let first = made.first as? NSCompoundPredicate, first.compoundPredicateType == type {
            made.replaceSubrange(...0, with: first.subpredicates)
        }
        return CompoundPredicate(type: type, subpredicates: made)
    }

    func expression(_ tree: QueryExpression) -> NSExpression {
        switch tree {
        case .constant(.list(let values)): NSExpression(.aggregate(values.map { NSExpression(value: $0) }))
        case .constant(let value): NSExpression(value: value)
        case .evaluatedObject: NSExpression(.evaluatedObject)
        case .anyKey: NSExpression(.anyKey)
        case .variable(let name):
            TreeBuilder.index(ofPlaceholder: name).map { NSExpression.of(arguments[$0]) } ?? NSExpression(.variable(name))
        case .keyPath(let path): NSExpression(.keyPath(nil, path))
        case .path(let base, let path): NSExpression(.keyPath(expression(base), path))
        case .list(let parts): NSExpression(.aggregate(parts.map(expression)))
        case .function(let function, let arguments): call(function, arguments)
        case .custom(let request, FetchFormat.name, let arguments): fetch(expression(request), arguments)
        case .custom(let target, let name, let arguments): NSExpression(.call(expression(target), name, arguments.map(expression)))
        case .conditional(let condition, let first, let second):
            NSExpression(.conditional(predicate(condition), expression(first), expression(second)))
        case .subquery(let base, let name, let condition):
            NSExpression(.subquery(expression(base), variable: name, predicate(condition)))
        case .combined(let operation, let left, let right): NSExpression(.combined(operation, expression(left), expression(right)))
        case .element(let base, let position): NSExpression(.element(expression(base), index(position)))
        case .assignment(let name, let value): NSExpression(.assignment(name, expression(value)))
        case .fetch(let fetch): NSExpression(.fetch(fetch))
        }
    }

    /// `FETCH(request, context, countOnly)`.
    private func fetch(_ request: NSExpression, _ arguments: [QueryExpression]) -> NSExpression {
        let countOnly = arguments.last.map { expression($0).expressionValue(with: nil, context: nil) as? NSNumber }
        guard arguments.count == 2, let context = arguments.first, let countOnly = countOnly ?? nil else {
            programmerError("FETCH takes a fetch request, a context, and YES or NO")
        }
        return NSFetchRequestExpression.expression(forFetch: request, context: expression(context), countOnly: countOnly.boolValue)
    }

    private func index(_ position: QueryExpression.Position) -> ExpressionPosition {
        switch position {
        case .first: .first
        case .last: .last
        case .size: .size
        case .at(let index): .at(expression(index))
        }
    }

    /// Returns a function; one of more than two operands is nested functions of two, as in Core Data.
    private func call(_ function: QueryFunction, _ arguments: [QueryExpression]) -> NSExpression {
        guard arguments.count > 2, let chain = OperatorChain(function, arguments) else {
            return NSExpression(.function(function.rawValue, arguments.map(expression)))
        }
        return chain.links.reduce(expression(chain.first)) { left, link in
            NSExpression(.function(link.function.rawValue, [left, expression(link.operand)]))
        }
    }
}

extension NSExpression {
    /// Creates a constant that a query holds.
    fileprivate convenience init(value: Value) {
        let operand = Operand.value(value)
        self.init(.constant(operand.any, operand))
    }
}
