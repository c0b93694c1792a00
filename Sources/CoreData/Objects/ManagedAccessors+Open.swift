public import StrataModel

// Called by `@NSManaged` accessors with a type that the generator cannot resolve: the compiler chooses the overload.

/// Returns the value of an attribute.
public func _managedProperty<V: ValueConvertible>(_ key: ManagedKey, of object: NSManagedObject) -> V { _managedValue(key, of: object) }

/// Returns the value of an attribute that may have none.
public func _managedOptionalProperty<V: ValueConvertible>(_ key: ManagedKey, of object: NSManagedObject) -> V? {
    _managedOptionalValue(key, of: object)
}

/// Sets the value of an attribute.
public func _setManagedProperty<V: ValueConvertible>(_ value: V, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedValue(value, key, of: object)
}

/// Sets the value of an attribute that may have none.
public func _setManagedOptionalProperty<V: ValueConvertible>(_ value: V?, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedOptionalValue(value, key, of: object)
}

/// Returns the destination of a to-one relationship that has to have one.
public func _managedProperty<D: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> D { _managedObject(key, of: object) }

/// Returns the destination of a to-one relationship.
public func _managedOptionalProperty<D: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> D? {
    _managedOptionalObject(key, of: object)
}

/// Sets the destination of a to-one relationship.
public func _setManagedProperty<D: NSManagedObject>(_ value: D, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedObject(value, key, of: object)
}

/// Sets the destination of a to-one relationship.
public func _setManagedOptionalProperty<D: NSManagedObject>(_ value: D?, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedOptionalObject(value, key, of: object)
}

/// Returns the destinations of a to-many relationship.
public func _managedProperty<D: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> Set<D> { _managedSet(key, of: object) }

/// Returns the destinations of a to-many relationship; never `nil`.
public func _managedOptionalProperty<D: NSManagedObject>(_ key: ManagedKey, of object: NSManagedObject) -> Set<D>? {
    _managedSet(key, of: object)
}

/// Sets the destinations of a to-many relationship.
public func _setManagedProperty<D: NSManagedObject>(_ value: Set<D>, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedSet(value, key, of: object)
}

/// Sets the destinations of a to-many relationship.
public func _setManagedOptionalProperty<D: NSManagedObject>(_ value: Set<D>?, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedSet(value, key, of: object)
}

/// Returns the case of an enumeration whose raw value an attribute holds.
@_disfavoredOverload
public func _managedProperty<V: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> V where V.RawValue: ValueConvertible {
    _managedCase(key, of: object)
}

/// Returns the case of an enumeration whose raw value an attribute holds; `nil` if there is none.
@_disfavoredOverload
public func _managedOptionalProperty<V: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> V?
where V.RawValue: ValueConvertible { _managedOptionalCase(key, of: object) }

/// Sets the case of an enumeration whose raw value an attribute holds.
@_disfavoredOverload
public func _setManagedProperty<V: RawRepresentable>(_ value: V, _ key: ManagedKey, of object: NSManagedObject)
where V.RawValue: ValueConvertible { _setManagedCase(value, key, of: object) }

/// Sets the case of an enumeration whose raw value an attribute holds.
@_disfavoredOverload
public func _setManagedOptionalProperty<V: RawRepresentable>(_ value: V?, _ key: ManagedKey, of object: NSManagedObject)
where V.RawValue: ValueConvertible { _setManagedOptionalCase(value, key, of: object) }

/// Returns a required value of any other type.
@_disfavoredOverload
public func _managedProperty<T>(_ key: ManagedKey, of object: NSManagedObject) -> T { _managedAny(key, of: object) }

/// Returns a value of any other type.
@_disfavoredOverload
public func _managedOptionalProperty<T>(_ key: ManagedKey, of object: NSManagedObject) -> T? { _managedOptionalAny(key, of: object) }

/// Sets a value of any other type.
@_disfavoredOverload
public func _setManagedProperty<T>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) { _setManagedAny(value, key, of: object) }

/// Sets a value of any other type, or none.
@_disfavoredOverload
public func _setManagedOptionalProperty<T>(_ value: T?, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedOptionalAny(value, key, of: object)
}

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
