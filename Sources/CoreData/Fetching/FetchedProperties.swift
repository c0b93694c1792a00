import Foundation
import StrataGraph
import StrataModel
import StrataQuery

/// The properties of dictionary results.
enum FetchedProperties {
    /// Returns the descriptions for names, properties and expressions; throws for unsupported expressions.
    static func descriptions(_ properties: [Any], _ entity: EntityDescription) throws -> [ExpressionDescription] {
        try properties.map { property in
            switch property {
            case let name as String: return ExpressionDescription(name)
            case let expression as NSExpressionDescription:
                guard let tree = try expression.expression?.tree() else {
                    programmerError("Invalid expression description: \(expression.name) has no expression.")
                }
                return ExpressionDescription(
                    name: expression.name, expression: tree, resultType: expression.expressionResultType.strataType)
            case let property as NSPropertyDescription: return ExpressionDescription(property.name)
            default:
                programmerError("Invalid property in a fetch of \(entity.name): a value of type \(type(of: property)).")
            }
        }
    }

    /// Returns the expressions by the variables that conditions on groups refer to them by.
    static func expressions(of properties: [ExpressionDescription]) -> [String: any QueryArgument] {
        Dictionary(properties.map { ($0.name, ExpressionArgument(queryExpression: $0.expression)) }) { first, _ in first }
    }

    /// Returns a fetched dictionary for Core Data's clients, without the keys of nil.
    static func dictionary(_ fetched: FetchedDictionary, _ types: [AttributeType?]) -> NSDictionary {
        var dictionary: [String: Any] = [:]
        for (index, name) in fetched.names.enumerated() {
            let type = types.indices.contains(index) ? types[index] : nil
            dictionary[name] = Boxing.boxed(fetched.values[index], type)
        }
        return NSDictionary(dictionary: dictionary)
    }
}
