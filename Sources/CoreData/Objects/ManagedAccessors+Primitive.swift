import StrataModel

// What `@NSManaged` accessors of primitive values call, as that of `primitiveName`.

/// What the object holds of a property, without its fault firing.
///
/// - Precondition: It fits the type.
public func _managedPrimitiveValue<T>(_ key: ManagedKey, of object: NSManagedObject) -> T {
    let value = object.primitiveValue(forKey: key.name)
    if let value = value as? T { return value }
    if let none = Optional<Any>.none as? T { return none }
    let found = value.map { "of type \(type(of: $0))" } ?? "nil"
    programmerError("the primitive \(key.name) of \(type(of: object)) is \(found), and no \(T.self)")
}

/// Sets what the object holds of a property, and nothing else.
public func _setManagedPrimitiveValue<T>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) {
    object.setPrimitiveValue(value, forKey: key.name)
}
