import StrataModel
import StrataQuery
import StrataText

/// Unarchives conditions and expressions to the trees of format texts.
///
/// The keys and numbers are those of the archives of Foundation's classes.
struct ExpressionUnarchiver {
    /// The expression of the evaluated object.
    private let evaluated: QueryExpression
    /// The number of predicates and expressions that may still be read, of which an archive may be recursive.
    private var budget: Int
    private var depth = 0
    private let nesting: Int

    init(limits: ModelFileLimits, evaluated: QueryExpression = .evaluatedObject) {
        (budget, nesting) = (limits.elements, limits.nesting)
        self.evaluated = evaluated
    }

    private mutating func enter(_ object: KeyedArchive.Object) throws(ModelFileError) -> String {
        budget -= 1
        depth += 1
        guard budget > 0, depth <= nesting else { throw ModelFileError(.limitExceeded, "it is too large, or nested too deep") }
        guard let name = object.className else { throw malformed("a part has no class") }
        return name
    }

    private func malformed(_ message: String) -> ModelFileError { ModelFileError(.malformedArchive, message) }

    private func unsupported(_ message: String) -> ModelFileError { ModelFileError(.unsupportedExpression, message) }

    // MARK: - Predicates

    mutating func predicate(_ object: KeyedArchive.Object) throws(ModelFileError) -> QueryPredicate {
        let className = try enter(object)
        defer { depth -= 1 }
        switch className {
        case "NSTruePredicate": return .constant(true)
        case "NSFalsePredicate": return .constant(false)
        case "NSComparisonPredicate": return .comparison(try comparison(object))
        case "NSCompoundPredicate":
            var parts: [QueryPredicate] = []
            for part in object.objects("NSSubpredicates") { parts.append(try predicate(part)) }
            switch object.int("NSCompoundPredicateType") ?? 0 {
            case 0 where parts.count == 1: return .not(parts[0])
            case 1: return .and(parts)
            case 2: return .or(parts)
            case let type: throw unsupported("there is no compound predicate of type \(type) with \(parts.count) parts")
            }
        default: throw unsupported("the class \(className) is no predicate")
        }
    }

    private mutating func comparison(_ object: KeyedArchive.Object) throws(ModelFileError) -> QueryComparison {
        guard let sign = object.object("NSPredicateOperator") else { throw malformed("a comparison has no operator") }
        let type = sign.int("NSOperatorType") ?? 0
        guard let how = Self.operators[type] else { throw unsupported("the operator \(type) is not known") }
        let modifier = sign.int("NSModifier") ?? 0
        guard (0...2).contains(modifier) else { throw unsupported("the modifier \(modifier) is not known") }
        let options = QueryComparison.Options(rawValue: (sign.int("NSOptions") ?? sign.int("NSFlags") ?? 0) & 15)
        return QueryComparison(
            try side("NSLeftExpression", of: object), how, try side("NSRightExpression", of: object), options,
            modifier: [.direct, .all, .any][modifier])
    }

    static let operators: [Int: QueryComparison.Operator] = [
        0: .less, 1: .lessOrEqual, 2: .greater, 3: .greaterOrEqual, 4: .equal, 5: .notEqual, 6: .matches, 7: .like, 8: .beginsWith,
        9: .endsWith, 10: .isIn, 99: .contains, 100: .between,
    ]

    private mutating func side(_ key: String, of object: KeyedArchive.Object) throws(ModelFileError) -> QueryExpression {
        guard let expression = object.object(key) else { throw malformed("\(key) is missing") }
        return try self.expression(expression)
    }

    // MARK: - Expressions

    mutating func expression(_ object: KeyedArchive.Object) throws(ModelFileError) -> QueryExpression {
        let className = try enter(object)
        defer { depth -= 1 }
        switch className {
        case "NSSelfExpression": return evaluated
        case "NSAnyKeyExpression": return .anyKey
        case "NSVariableExpression": return .variable(try text("NSVariable", of: object))
        case "NSKeyPathSpecifierExpression": return .keyPath(try text("NSKeyPath", of: object))
        case "NSConstantValueExpression": return try constant(object)
        case "NSAggregateExpression": return .list(try elements(object.list("NSCollection"), of: object))
        case "NSKeyPathExpression", "NSFunctionExpression": return try function(object)
        case "NSSubqueryExpression":
            guard let condition = object.object("NSSubpredicate") else { throw malformed("a subquery has no condition") }
            return .subquery(try side("NSExpression", of: object), variable: try text("NSVariable", of: object), try predicate(condition))
        case "NSTernaryExpression":
            guard let condition = object.object("NSPredicate") else { throw malformed("a ternary expression has no condition") }
            return .conditional(
                try predicate(condition), try side("NSTrueExpression", of: object), try side("NSFalseExpression", of: object))
        case "NSSetExpression":
            let operations: [Int: QueryExpression.SetOperation] = [5: .union, 6: .intersect, 7: .minus]
            guard let operation = object.int("NSExpressionType").flatMap({ operations[$0] }) else {
                throw unsupported("a set expression is of no known type")
            }
            return .combined(operation, try side("NSLeftExpression", of: object), try side("NSRightExpression", of: object))
        default: throw unsupported("expressions of the class \(className) are not supported")
        }
    }

    private func text(_ key: String, of object: KeyedArchive.Object) throws(ModelFileError) -> String {
        guard let text = object.string(key), !text.isEmpty else { throw malformed("\(key) is missing") }
        return text
    }

    private mutating func constant(_ object: KeyedArchive.Object) throws(ModelFileError) -> QueryExpression {
        let key = "NSConstantValue"
        guard let value = object.value(key) else {
            guard object.string("NSConstantValueClassName") == nil else { throw unsupported("a class is no constant") }
            return .constant(.null)
        }
        if let value = object.constant(key) { return .constant(value) }
        guard let held = object.object(of: value), held.className != "NSNull" else { return .constant(.null) }
        guard held.className?.hasSuffix("Array") == true || held.className?.hasSuffix("Set") == true else {
            throw unsupported("constants of the class \(held.className ?? "of no name") are not supported")
        }
        return .list(try elements(held.members, of: held))
    }

    /// Returns the elements of a list: expressions, or plain constants.
    private mutating func elements(
        _ values: [KeyedArchive.Value], of owner: KeyedArchive.Object
    ) throws(ModelFileError) -> [QueryExpression] {
        var elements: [QueryExpression] = []
        for value in values {
            if let object = owner.object(of: value), object.className?.hasSuffix("Expression") == true {
                elements.append(try expression(object))
            } else if let constant = owner.constant(of: value) {
                elements.append(.constant(constant))
            } else {
                throw malformed("an element of a list is no value")
            }
        }
        return elements
    }

    /// Returns a function, or a path, which is the function `valueForKeyPath:` of its operand.
    private mutating func function(_ object: KeyedArchive.Object) throws(ModelFileError) -> QueryExpression {
        let arguments = try elements(object.list("NSArguments"), of: object)
        let selector = object.string("NSSelectorName") ?? "valueForKeyPath:"
        let operand = object.object("NSOperand")
        if selector == "valueForKeyPath:" || selector == "valueForKey:" {
            guard case .keyPath(let path)? = arguments.first else { throw malformed("a path is no text") }
            let owner = try operand.map { operand throws(ModelFileError) in try expression(operand) } ?? evaluated
            return owner == .evaluatedObject ? .keyPath(path) : .path(owner, path)
        }
        guard let operand, operand.string("NSConstantValueClassName") == nil else {
            guard let function = QueryFunction(selector: selector) else { throw unsupported("there is no function \(selector)") }
            return .function(function, arguments)
        }
        return .custom(try expression(operand), selector, arguments)
    }
}
