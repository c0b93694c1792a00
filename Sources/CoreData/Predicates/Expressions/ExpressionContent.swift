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
