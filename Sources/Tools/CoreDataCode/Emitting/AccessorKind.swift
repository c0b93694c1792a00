/// The functions of CoreData that the accessors of a property call.
///
/// They are chosen by the property's type, so that the compiler has no overloads to resolve.
enum AccessorKind: Hashable {
    /// A type of attribute values: `String`, `Int16`, `Date`.
    case value
    /// An enumeration with the raw value of an attribute.
    case enumeration
    /// A class of Foundation's for such a type: `NSNumber`, `NSString`.
    case reference(String)
    /// A class of managed objects.
    case object
    /// A `Set` of managed objects.
    case set
    /// `NSSet` or `NSOrderedSet`, or the mutable one.
    case collection(String)
    /// Any other type, which a value by key is cast to.
    case any
    /// A type of the sources that may be any of these: there are overloads.
    case open

    /// Returns the kind of a property's type, and whether it is optional.
    static func kind(of type: ResolvedType, _ resolver: TypeResolver) -> (kind: AccessorKind, isOptional: Bool) {
        guard case .optional(let wrapped) = type else { return (kind(ofNonOptional: type, resolver), false) }
        if case .optional = wrapped { return (.any, true) }
        return (kind(ofNonOptional: wrapped, resolver), true)
    }

    private static func kind(ofNonOptional type: ResolvedType, _ resolver: TypeResolver) -> AccessorKind {
        guard let name = type.nominalName else { return .any }
        switch name.path {
        case _ where !name.isOfLibrary: return kind(of: name, resolver)
        case let path where values.contains(path): return .value
        case let path where references.contains(path): return .reference(path)
        case "NSSet", "NSOrderedSet", "NSMutableSet", "NSMutableOrderedSet": return .collection(name.path)
        case "Set":
            guard let element = type.element?.nominalName else { return .any }
            return resolver.isManagedObject(element).map { $0 ? .set : .any } ?? .open
        default: return .any
        }
    }

    private static func kind(of name: NominalName, _ resolver: TypeResolver) -> AccessorKind {
        switch name.kind {
        case .class: resolver.isManagedObject(name).map { $0 ? .object : .any } ?? .open
        case .enum: resolver.hasRawValues(name, values) ? .enumeration : .open
        default: .open
        }
    }

    /// The types that a value of an attribute is read as directly.
    private static let values: Set<String> = [
        "Bool", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int16", "Int32", "Int64", "String", "URL", "UUID",
    ]

    private static let references: Set<String> = ["NSData", "NSDate", "NSDecimalNumber", "NSNumber", "NSString", "NSURL", "NSUUID"]

    /// Whether a key path of the property cannot be read from a sample.
    var hasNoSample: Bool {
        switch self {
        case .enumeration, .any: true
        default: false
        }
    }

    fileprivate var suffix: String {
        switch self {
        case .value: "Value"
        case .enumeration: "Case"
        case .object: "Object"
        case .open: "Property"
        case .any, .reference, .set, .collection: "Any"
        }
    }
}

/// The type of a property, as code.
struct PropertyType {
    let kind: AccessorKind
    let text: String
    let isOptional: Bool

    /// Returns the call of the getter of a class's property.
    func getter(_ key: KeyNames.Key, _ part: inout CodePart) -> String {
        let optional = isOptional ? "Optional" : ""
        switch kind {
        case .value: return part.getter("_managed\(optional)Value", text, key)
        case .reference(let reference) where isOptional: return part.getter("_managed\(reference)", text, key)
        case .reference(let reference):
            let name = part.key(key)
            return "_managedRequired(_managed\(reference)(\(name), of: self), \(name), of: self)"
        case .object: return part.getter("_managed\(optional)Object", isOptional ? "D?" : "D", key)
        case .set: return part.getter("_managed\(optional)Set", isOptional ? "Set<D>?" : "Set<D>", key)
        case .collection(let collection):
            return part.getter("_managed\(collection.hasPrefix("NSMutable") ? "" : optional)\(collection)", text, key)
        case .enumeration, .any, .open: return "_managed\(optional)\(kind.suffix)(\(part.key(key)), of: self)"
        }
    }

    /// Returns the call of the setter.
    func setter(_ value: String, _ key: KeyNames.Key, _ part: inout CodePart) -> String {
        let optional = isOptional ? "Optional" : ""
        switch kind {
        case .value, .reference: return part.setter("_setManaged\(optional)\(kind.suffix)", text, value, key)
        case .object: return part.setter("_setManaged\(optional)Object", isOptional ? "D?" : "D", value, key)
        case .set: return part.setter("_setManagedSet", "Set<D>?", value, key)
        case .collection(let collection):
            let set = collection.contains("Ordered") ? "NSOrderedSet" : "NSSet"
            return part.setter("_setManaged\(set)", set + "?", value, key)
        case .enumeration, .any, .open: return "_setManaged\(optional)\(kind.suffix)(\(value), \(part.key(key)), of: self)"
        }
    }
}
