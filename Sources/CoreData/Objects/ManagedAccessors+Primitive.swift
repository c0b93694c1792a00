import StrataModel

// Called by `@NSManaged` accessors of primitive values, such as `primitiveName`.

/// Returns the object's value of a property without firing its fault.
///
/// - Precondition: It fits the type.
public func _managedPrimitiveValue<T>(_ key: ManagedKey, of object: NSManagedObject) -> T {
    let value = object.primitiveValue(forKey: key.name)
    if let value = value as? T { return value }
    if let none = Optional<Any>.none as? T { return none }
    let found = value.map { "of type \(type(of: $0))" } ?? "nil"
    programmerError("the primitive \(key.name) of \(type(of: object)) is \(found), and no \(T.self)")
}

/// Sets the object's value of a property without recording a change.
public func _setManagedPrimitiveValue<T>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) {
    object.setPrimitiveValue(value, forKey: key.name)
}
