import Foundation
import StrataGraph
import StrataModel

extension NSManagedObject {
    /// Whether an object is this one.
    public final func isEqual(_ object: Any?) -> Bool { (object as? NSManagedObject) === self }
    /// The hash value.
    public final var hash: Int { hashValue }

    /// Has the object's values be here.
    final func fireFault() {
        if let attribute = (self as ManagedObject).entity.attributes.first {
            (self as ManagedObject).willAccessValue(forKey: attribute.name)
        }
    }

    final var stateText: String {
        let id = (self as ManagedObject).objectID
        let head = "<\(type(of: self))> (entity: \(id.entity.name); id: <\(id.uriRepresentation)>; data: "
        if isFault { return head + "<fault>)" }
        let values = (self as ManagedObject).entity.properties.compactMap { property -> String? in
            if property.relationship?.isHidden == true { return nil }
            let value = hasFault(forRelationshipNamed: property.name) ? "<relationship fault>" : shown(property)
            return "    \(property.name) = \(value);"
        }
        return head + "{\n" + values.joined(separator: "\n") + "\n})"
    }

    private func shown(_ property: PropertyDescription) -> String {
        switch heldValue(forKey: property.name) {
        case nil: "nil"
        case let object as NSManagedObject: "<\((object as ManagedObject).objectID.uriRepresentation)>"
        case let members as NSSet: "\(members.count) objects"
        case let members as NSOrderedSet: "\(members.count) objects"
        case let text as String: "\"\(text)\""
        case let data as Data: "\(data.count) bytes"
        case let value?: "\(value)"
        }
    }
}
