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
        case .variable(let name): values[name] ?? expression
        // The variable of a subquery is its own.
        case .subquery(let base, let name, let condition):
            NSExpression(.subquery(self.expression(base), variable: name, without(name).predicate(condition)))
        default: expression.replacingParts(self.expression, conditions: predicate)
        }
    }

    private func without(_ name: String) -> Substitution {
        var copy = self
        copy.values[name] = nil
        return copy
    }
}
