import StrataModel
import StrataQuery

extension NSExpression {
    /// The kind of expression.
    public var expressionType: ExpressionType {
        switch content {
        case .constant: .constantValue
        case .evaluatedObject: .evaluatedObject
        case .anyKey: .anyKey
        case .variable: .variable
        case .keyPath: .keyPath
        case .function, .call, .element: .function
        case .aggregate: .aggregate
        case .combined(.union, _, _): .unionSet
        case .combined(.intersect, _, _): .intersectSet
        case .combined(.minus, _, _): .minusSet
        case .subquery: .subquery
        case .conditional: .conditional
        case .block: .block
        case .assignment: .variableAssignment
        case .fetch, .request: .fetchRequest
        case .own(let type): type
        }
    }

    // Each traps for expressions of another kind, as an exception does on Apple's systems.

    /// The constant, of an expression that is one.
    public var constantValue: Any? {
        if case .constant(let constant, _) = content { constant } else { noPart("constantValue") }
    }

    /// The key path, of an expression that is one.
    public var keyPath: String {
        if case .keyPath(_, let path) = content { path } else { noPart("keyPath") }
    }

    /// The selector, of a function.
    public var function: String {
        switch content {
        case .function(let name, _), .call(_, let name, _): return name
        case .element: return QueryFunction.objectAt.rawValue
        case .keyPath: return "valueForKeyPath:"
        default: noPart("function")
        }
    }

    /// The name of the variable, of a variable, an assignment or a subquery.
    public var variable: String {
        switch content {
        case .variable(let name), .subquery(_, let name, _), .assignment(let name, _): return name
        default: noPart("variable")
        }
    }

    /// The operand of a function or a key path; the evaluated object by default.
    public var operand: NSExpression {
        switch content {
        case .call(let target, _, _): return target
        case .keyPath(let base, _): return base ?? NSExpression(.evaluatedObject)
        case .function, .element: return NSExpression(.evaluatedObject)
        default: noPart("operand")
        }
    }

    /// The arguments, of a function or a closure.
    public var arguments: [NSExpression]? {
        switch content {
        case .function(_, let arguments), .call(_, _, let arguments), .block(_, let arguments): return arguments
        case .element(let base, let index): return [base, index.expression]
        case .keyPath(_, let path): return [NSExpression(forConstantValue: path)]
        default: noPart("arguments")
        }
    }

    /// The expressions of an aggregate, as an array, or the collection that a subquery filters, an expression.
    public var collection: Any {
        switch content {
        case .aggregate(let parts): return parts
        case .subquery(let base, _, _): return base
        default: noPart("collection")
        }
    }

    /// The condition, of a subquery or a conditional.
    public var predicate: NSPredicate {
        switch content {
        case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return predicate
        default: noPart("predicate")
        }
    }

    /// The left collection, of a union, an intersection or a difference.
    public var left: NSExpression {
        if case .combined(_, let left, _) = content { left } else { noPart("leftExpression") }
    }

    /// The right collection, of a union, an intersection or a difference.
    public var right: NSExpression {
        if case .combined(_, _, let right) = content { right } else { noPart("rightExpression") }
    }

    /// The value of a conditional whose condition is met.
    public var `true`: NSExpression {
        if case .conditional(_, let expression, _) = content { expression } else { noPart("trueExpression") }
    }

    /// The value of a conditional whose condition is not met.
    public var `false`: NSExpression {
        if case .conditional(_, _, let expression) = content { expression } else { noPart("falseExpression") }
    }

    /// The closure, of an expression that is one.
    public var expressionBlock: (Any?, [Any], NSMutableDictionary?) -> Any {
        if case .block(let block, _) = content { block.run } else { noPart("expressionBlock") }
    }

    private func noPart(_ name: String) -> Never {
        programmerError(
            "-\(name) only defined for certain kinds of NSExpression; this one is of the kind \(expressionType): \(description)")
    }

    /// Returns the expression of other parts, and of other conditions; one without parts is returned unchanged.
    func replacingParts(
        _ replace: (NSExpression) throws -> NSExpression, conditions: (NSPredicate) throws -> NSPredicate = { $0 }
    ) rethrows -> NSExpression {
        switch content {
        case .constant, .evaluatedObject, .anyKey, .variable, .fetch, .own, .keyPath(nil, _): self
        case .keyPath(let base?, let path): NSExpression(.keyPath(try replace(base), path))
        case .function(let name, let arguments): NSExpression(.function(name, try arguments.map(replace)))
        case .call(let target, let name, let arguments): NSExpression(.call(try replace(target), name, try arguments.map(replace)))
        case .aggregate(let parts): NSExpression(.aggregate(try parts.map(replace)))
        case .combined(let operation, let a, let b): NSExpression(.combined(operation, try replace(a), try replace(b)))
        case .subquery(let base, let name, let condition):
            NSExpression(.subquery(try replace(base), variable: name, try conditions(condition)))
        case .conditional(let condition, let a, let b):
            NSExpression(.conditional(try conditions(condition), try replace(a), try replace(b)))
        case .block(let block, let arguments): NSExpression(.block(block, try arguments.map(replace)))
        case .element(let base, .at(let index)): NSExpression(.element(try replace(base), .at(try replace(index))))
        case .element(let base, let index): NSExpression(.element(try replace(base), index))
        case .assignment(let name, let value): NSExpression(.assignment(name, try replace(value)))
        case .request(let request, let context, let countOnly):
            NSFetchRequestExpression.expression(forFetch: try replace(request), context: try replace(context), countOnly: countOnly)
        }
    }
}

enum ExpressionContent {
    /// A constant, and its operand.
    case constant(Any?, Operand)
    case evaluatedObject
    case anyKey
    case variable(String)
    /// A path from another expression's value, from the evaluated object without one.
    case keyPath(NSExpression?, String)
    /// A function of the language, or a registered one, by its selector.
    case function(String, [NSExpression])
    /// A function of a target: `FUNCTION(target, "selector:", arguments)`.
    case call(NSExpression, String, [NSExpression])
    case aggregate([NSExpression])
    case combined(QueryExpression.SetOperation, NSExpression, NSExpression)
    case subquery(NSExpression, variable: String, NSPredicate)
    case conditional(NSPredicate, NSExpression, NSExpression)
    case block(ExpressionBlock, [NSExpression])
    case element(NSExpression, ExpressionPosition)
    case assignment(String, NSExpression)
    case fetch(QueryFetch)
    /// A fetch of a request, by a context, of objects or of their number.
    case request(NSExpression, context: NSExpression, countOnly: Bool)
    /// The content of a subclass.
    case own(NSExpression.ExpressionType)
}

/// The index of an element in a collection.
enum ExpressionPosition {
    case first, last, size
    case at(NSExpression)

    /// The index as an argument of a function.
    fileprivate var expression: NSExpression {
        switch self {
        case .first: NSExpression(forConstantValue: "FIRST")
        case .last: NSExpression(forConstantValue: "LAST")
        case .size: NSExpression(forConstantValue: "SIZE")
        case .at(let index): index
        }
    }
}

/// A closure of an expression; a class, so that an expression equals itself.
final class ExpressionBlock {
    let run: (Any?, [Any], NSMutableDictionary?) -> Any

    init(_ run: @escaping (Any?, [Any], NSMutableDictionary?) -> Any) { self.run = run }
}
