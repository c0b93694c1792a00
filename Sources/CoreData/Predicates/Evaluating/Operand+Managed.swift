import Foundation
import StrataGraph
import StrataModel
import StrataQuery

extension Operand {
    /// Whether a value is a managed object.
    static func isManaged(_ any: Any) -> Bool { any is ManagedObject }

    /// The ID of a managed object, `nil` for anything else.
    static func objectID(_ any: Any) -> ObjectID? { (any as? ManagedObject)?.objectID }

    /// What stands for a managed object in a query: an ID that means the object also once it is saved; `nil` for anything else.
    static func queryExpression(of any: Any) -> QueryExpression? { (any as? ManagedObject)?.queryExpression }

    /// The value of a managed object's property, `nil` for anything else.
    static func property(_ key: String, of any: Any) -> Operand? {
        guard let object = any as? NSManagedObject else { return nil }
        switch key {
        case "objectID": return .value(.objectID((object as ManagedObject).objectID))
        case "entity": return .value(.string((object as ManagedObject).entity.name))
        default: return Operand(object.value(forKey: key))
        }
    }

    /// The values of all attributes of a managed object, `nil` for anything else.
    static func attributes(of any: Any) -> [Operand]? {
        guard let object = any as? NSManagedObject else { return nil }
        return (object as ManagedObject).entity.attributes.map { Operand(object.value(forKey: $0.name)) }
    }
}

extension QueryPredicate {
    /// What a fetch would say of a managed object in a context, with its pending changes.
    ///
    /// - Returns: `nil` where the object has no context, or the condition is none that a fetch can have.
    func answer(about any: Any?) -> Bool? {
        guard let object = any as? ManagedObject, object.managedObjectContext != nil, variables.isEmpty else { return nil }
        return try? evaluate(with: object)
    }
}
