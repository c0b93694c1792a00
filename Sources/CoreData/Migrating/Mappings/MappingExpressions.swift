import Foundation
import StrataModel
import StrataQuery

/// The expressions of mapping models, and the selectors of their functions.
enum MappingExpressions {
    static var source: NSExpression { NSExpression(forVariable: NSMigrationSourceObjectKey) }
    static var manager: NSExpression { NSExpression(forVariable: NSMigrationManagerKey) }

    static let fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
    static let sourceContext = "sourceContext"
    static let destinations = "destinationInstancesForEntityMappingNamed:sourceInstances:"
    static let relatedDestinations = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    static let sources = "sourceInstancesForEntityMappingNamed:destinationInstances:"

    /// Returns the expression that fetches the objects of an entity that meet a condition.
    static func fetch(_ entity: String, where condition: String?) -> NSExpression {
        let arguments = [entity, condition ?? "TRUEPREDICATE"].map { NSExpression(forConstantValue: $0) }
        let request = call(fetchRequest, arguments)
        return NSFetchRequestExpression.expression(forFetch: request, context: call(sourceContext), countOnly: false)
    }

    /// Returns the expression for the value of a property; `nil` for its default.
    static func value(of property: PropertyMapping, isRelationship: Bool) -> NSExpression? {
        switch property.origin {
        case .defaultValue: return nil
        case .property(let name):
            let value = NSExpression(.keyPath(source, name))
            return isRelationship ? call(relatedDestinations, [NSExpression(forConstantValue: name), value]) : value
        case .expression(let text):
            // A malformed expression is an error where it is evaluated, with the name of the mapping.
            guard let tree = try? QueryExpression(format: text) else { return UnreadableExpression(text) }
            return NSExpression.make(tree)
        }
    }

    private static func call(_ selector: String, _ arguments: [NSExpression] = []) -> NSExpression {
        NSExpression(.call(manager, selector, arguments))
    }
}

/// An expression with malformed text.
final class UnreadableExpression: NSExpression {
    let text: String

    init(_ text: String) {
        self.text = text
        super.init(.constant(nil, .null))
    }

    override var description: String { text }
}
