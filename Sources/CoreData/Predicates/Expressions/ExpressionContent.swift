import Foundation
import StrataQuery

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

extension NSExpression {
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

/// The index of an element in a collection.
enum ExpressionPosition {
    case first, last, size
    case at(NSExpression)
}

/// A closure of an expression; a class, so that an expression equals itself.
final class ExpressionBlock {
    let run: (Any?, [Any], NSMutableDictionary?) -> Any

    init(_ run: @escaping (Any?, [Any], NSMutableDictionary?) -> Any) { self.run = run }
}
