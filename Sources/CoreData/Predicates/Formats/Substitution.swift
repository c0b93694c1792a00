import Foundation

/// Replaces variables by values.
struct Substitution {
    private var values: [String: NSExpression]

    init(_ variables: [String: Any]) { values = variables.mapValues { NSExpression.of($0) } }

    func predicate(_ predicate: NSPredicate) -> NSPredicate {
        switch predicate {
        case let compound as NSCompoundPredicate:
            CompoundPredicate(type: compound.compoundPredicateType, subpredicates: compound.subpredicates.map(self.predicate))
        case let comparison as NSComparisonPredicate:
            comparison.with(expression(comparison.leftExpression), expression(comparison.rightExpression))
        default: predicate.truth == nil ? bound(predicate) : predicate
        }
    }

    /// Returns a block predicate with the values among its variables.
    private func bound(_ predicate: NSPredicate) -> NSPredicate {
        let constants = values.mapValues { $0.expressionValue(with: nil, context: nil) ?? NSNull() }
        return NSPredicate { object, bindings in
            predicate.evaluate(with: object, substitutionVariables: constants.merging(bindings ?? [:]) { _, given in given })
        }
    }

    func expression(_ expression: NSExpression) -> NSExpression {
        switch expression.content {
        case .constant, .evaluatedObject, .anyKey, .fetch, .own, .keyPath(nil, _): expression
        case .variable(let name): values[name] ?? expression
        case .keyPath(let base?, let path): NSExpression(.keyPath(self.expression(base), path))
        case .function(let name, let arguments): NSExpression(.function(name, arguments.map(self.expression)))
        case .call(let target, let name, let arguments):
            NSExpression(.call(self.expression(target), name, arguments.map(self.expression)))
        case .aggregate(let parts): NSExpression(.aggregate(parts.map(self.expression)))
        case .combined(let operation, let a, let b): NSExpression(.combined(operation, self.expression(a), self.expression(b)))
        case .subquery(let base, let name, let condition):
            // The variable of a subquery is its own.
            NSExpression(.subquery(self.expression(base), variable: name, without(name).predicate(condition)))
        case .conditional(let condition, let a, let b):
            NSExpression(.conditional(predicate(condition), self.expression(a), self.expression(b)))
        case .block(let block, let arguments): NSExpression(.block(block, arguments.map(self.expression)))
        case .element(let base, .at(let index)): NSExpression(.element(self.expression(base), .at(self.expression(index))))
        case .element(let base, let index): NSExpression(.element(self.expression(base), index))
        case .assignment(let name, let value): NSExpression(.assignment(name, self.expression(value)))
        case .request(let request, let context, let countOnly):
            NSFetchRequestExpression.expression(
                forFetch: self.expression(request), context: self.expression(context), countOnly: countOnly)
        }
    }

    private func without(_ name: String) -> Substitution {
        var copy = self
        copy.values[name] = nil
        return copy
    }
}
