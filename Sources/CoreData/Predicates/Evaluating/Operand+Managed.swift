import Foundation
import StrataGraph
import StrataModel
import StrataQuery

extension Operand {
    /// Returns the name of an entity, which represents it in queries; `nil` for anything else.
    static func entityName(_ any: Any) -> String? { (any as? NSEntityDescription).map { $0.name ?? "" } }

    /// Returns the query expression of an object: for a managed one an ID that stays valid when it is saved, for an
    /// entity its name; `nil` for anything else.
    static func queryExpression(of any: Any) -> QueryExpression? {
        entityName(any).map { .constant(.string($0)) } ?? (any as? ManagedObject)?.queryExpression
    }

    /// Returns the value of a managed object's property, or of an entity's; `nil` for anything else.
    static func property(_ key: String, of any: Any) -> Operand? {
        if let entity = any as? NSEntityDescription { return property(key, of: entity) }
        guard let object = any as? NSManagedObject else { return nil }
        switch key {
        case "objectID": return .value(.objectID((object as ManagedObject).objectID))
        case "entity": return .object(object.entity)
        default: return Operand(object.value(forKey: key))
        }
    }

    private static func property(_ key: String, of entity: NSEntityDescription) -> Operand? {
        switch key {
        case "name": Operand(entity.name)
        case "managedObjectClassName": Operand(entity.managedObjectClassName)
        case "isAbstract", "abstract": Operand(entity.isAbstract)
        case "superentity": Operand(entity.superentity)
        case "renamingIdentifier": Operand(entity.renamingIdentifier)
        default: nil
        }
    }

    /// Returns the values of all attributes of a managed object, `nil` for anything else.
    static func attributes(of any: Any) -> [Operand]? {
        guard let object = any as? NSManagedObject else { return nil }
        return (object as ManagedObject).entity.attributes.map { Operand(object.value(forKey: $0.name)) }
    }
}

extension QueryPredicate {
    /// Returns whether a fetch would return a managed object with its pending changes; `nil` if no fetch can tell.
    func answer(about any: Any?) -> Bool? {
        guard let object = any as? ManagedObject, object.managedObjectContext != nil, variables.isEmpty,
            !NamedMembers.areAccessed(keys)
        else { return nil }
        return try? evaluate(with: object)
    }

    /// The keys of all paths.
    private var keys: Set<String> {
        var keys: Set<String> = []
        // Only visits the parts.
        _ = try? replacingExpressions { part in
            switch part {
            case .keyPath(let path), .path(_, let path): keys.formUnion(path.split(separator: ".").map(String.init))
            default: break
            }
            return nil
        }
        return keys
    }
}
