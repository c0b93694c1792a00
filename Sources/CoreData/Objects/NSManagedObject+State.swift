import StrataGraph
import StrataModel
import StrataText

extension NSManagedObject {
    /// Returns whether an object is this one.
    public final func isEqual(_ object: Any?) -> Bool { (object as? NSManagedObject) === self }
    /// The hash value.
    public final var hash: Int { hashValue }

    /// Returns whether the object is one of a class, or of one of its subclasses.
    public final func isKind(of aClass: AnyClass) -> Bool { ClassLayout(type(of: self)).descends(from: aClass) }
    /// Returns whether the object is one of a class, and of none of its subclasses.
    public final func isMember(of aClass: AnyClass) -> Bool { type(of: self) == aClass }
    /// Returns whether a selector is that of a property of the entity, `name` or `setName:`: methods have none.
    public final func responds(to aSelector: Selector) -> Bool {
        let name = aSelector.name
        guard name.hasPrefix("set"), name.hasSuffix(":") else { return property(named: name) != nil }
        let key = name.dropFirst(3).dropLast()
        return hasProperty(key.prefix(1).lowercased() + key.dropFirst()) || hasProperty(String(key))
    }
    /// Returns the name of the class: with its module, but for Core Data's own.
    public final class func description() -> String { self == NSManagedObject.self ? "NSManagedObject" : NSStringFromClass(self) }

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
        case let members as NSSet: members.count.counted("object")
        case let members as NSOrderedSet: members.count.counted("object")
        case let text as String: "\"\(text)\""
        case let data as Data: data.count.counted("byte")
        case let value?: "\(value)"
        }
    }
}
