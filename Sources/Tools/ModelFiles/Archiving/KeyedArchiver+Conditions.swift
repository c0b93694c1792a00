import StrataModel
import StrataQuery
import StrataText

/// What was not seen in an archive that Core Data wrote, so that its form is not known.
struct UnknownForm: Error {}

/// Predicates and expressions, in the forms that archives of Core Data's have: the counterpart of `ExpressionUnarchiver`.
extension KeyedArchiver {
    /// Adds a condition of the format language; returns the reference of nil for none.
    mutating func add(condition text: String?) throws(UnknownForm) -> Object {
        guard let text else { return KeyedArchiver.null }
        guard let predicate = try? QueryPredicate(format: text) else { throw UnknownForm() }
        return try add(predicate)
    }

    /// Adds the expression of a derived attribute: a count of objects is a function there.
    mutating func add(derivation text: String) throws(UnknownForm) -> Object {
        guard let expression = try? QueryExpression(format: text) else { throw UnknownForm() }
        let count = ".@count"
        if case .keyPath(let path) = expression, path.hasSuffix(count) {
            return try add(.function(.count, [.keyPath(String(path.dropLast(count.count)))]))
        }
        return try add(expression)
    }

    /// Adds the condition of a bound.
    mutating func add(bound: Value, of left: QueryExpression, isLower: Bool) throws(UnknownForm) -> Object {
        try add(QueryComparison(left, isLower ? .greaterOrEqual : .lessOrEqual, .constant(bound)))
    }

    mutating func add(_ predicate: QueryPredicate) throws(UnknownForm) -> Object {
        switch predicate {
        case .constant: throw UnknownForm()
        case .and(let parts): return try add(compound: 1, parts)
        case .or(let parts): return try add(compound: 2, parts)
        case .not(let part): return try add(compound: 0, [part])
        case .comparison(let comparison): return try add(comparison)
        }
    }

    private mutating func add(compound type: Int64, _ parts: [QueryPredicate]) throws(UnknownForm) -> Object {
        var members: [Object] = []
        for part in parts { members.append(try add(part)) }
        return add("NSCompoundPredicate", ["NSCompoundPredicateType": .int(type), "NSSubpredicates": list(members)])
    }

    private mutating func add(_ comparison: QueryComparison) throws(UnknownForm) -> Object {
        guard let type = ExpressionUnarchiver.operators.first(where: { $0.value == comparison.operator })?.key else { throw UnknownForm() }
        var sign: [String: Object] = [
            "NSOperatorType": .int(Int64(type)), "NSModifier": .int([.direct: 0, .all: 1, .any: 2][comparison.modifier] ?? 0),
        ]
        let options = Object.int(Int64(comparison.options.rawValue))
        let className: String
        switch type {
        case 0...3:
            (className, sign["NSOptions"], sign["NSVariant"]) = ("NSComparisonPredicateOperator", options, .int(Int64(type)))
        case 4, 5: (className, sign["NSOptions"], sign["NSNegate"]) = ("NSEqualityPredicateOperator", options, .bool(type == 5))
        case 10, 99: (className, sign["NSFlags"]) = ("NSInPredicateOperator", options)
        default: throw UnknownForm()
        }
        let (left, right) = (try add(comparison.left), try add(comparison.right))
        return add(
            "NSComparisonPredicate", ["NSLeftExpression": left, "NSRightExpression": right, "NSPredicateOperator": add(className, sign)])
    }

    mutating func add(_ expression: QueryExpression) throws(UnknownForm) -> Object {
        switch expression {
        case .evaluatedObject: return add("NSSelfExpression", ["NSExpressionType": .int(1)])
        case .variable(let name): return add("NSVariableExpression", ["NSExpressionType": .int(2), "NSVariable": text(name)])
        case .constant(let value):
            guard let constant = add(value) else { throw UnknownForm() }
            return add("NSConstantValueExpression", ["NSExpressionType": .int(0), "NSConstantValue": constant])
        case .keyPath(let path):
            let selector = path.utf8.contains(UInt8(ascii: ".")) ? "valueForKeyPath:" : "valueForKey:"
            return try add(path: path, of: .evaluatedObject, selector, type: 3)
        case .path(let owner, let path): return try add(path: path, of: owner, "valueForKeyPath:", type: 4)
        case .function(let function, let arguments):
            let operand = add(
                "NSConstantValueExpression", ["NSExpressionType": .int(0), "NSConstantValueClassName": text("_NSPredicateUtilities")])
            var members: [Object] = []
            for argument in arguments { members.append(try add(argument)) }
            return add(
                "NSFunctionExpression",
                [
                    "NSExpressionType": .int(4), "NSSelectorName": text(function.rawValue), "NSOperand": operand,
                    "NSArguments": list(members),
                ])
        default: throw UnknownForm()
        }
    }

    private mutating func add(
        path: String, of owner: QueryExpression, _ selector: String, type: Int64
    ) throws(UnknownForm) -> Object {
        let key = add("NSKeyPathSpecifierExpression", ["NSExpressionType": .int(10), "NSKeyPath": text(path)])
        return add(
            "NSKeyPathExpression",
            [
                "NSExpressionType": .int(type), "NSSelectorName": text(selector), "NSOperand": try add(owner),
                "NSArguments": list([key], "NSMutableArray"),
            ])
    }
}
