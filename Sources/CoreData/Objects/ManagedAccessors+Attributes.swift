public import StrataGraph
public import StrataModel
public import StrataQuery

// Called by `@NSManaged` accessors of attributes. The generator of accessors chooses the function by the property's
// type: there is one function of each name, so that the compiler has no overloads to resolve.

/// Returns the value of an attribute of a scalar type; zero, or empty, for nil.
@inlinable
public func _managedValue<V: ValueConvertible>(_ key: ManagedKey, of object: NSManagedObject) -> V {
    if let slot = object._slot(key.key.keySlot), let value: V = object._value(at: slot) { return value }
    return key.requiredValue(of: object)
}

/// Returns the value of an attribute that may have none.
@inlinable
public func _managedOptionalValue<V: ValueConvertible>(_ key: ManagedKey, of object: NSManagedObject) -> V? {
    guard let slot = object._slot(key.key.keySlot) else { return key.value(of: object) }
    return object._value(at: slot)
}

/// Sets the value of an attribute.
@inlinable
public func _setManagedValue<V: ValueConvertible>(_ value: V, _ key: ManagedKey, of object: NSManagedObject) {
    _setManagedOptionalValue(value, key, of: object)
}

/// Sets the value of an attribute that may have none.
@inlinable
public func _setManagedOptionalValue<V: ValueConvertible>(_ value: V?, _ key: ManagedKey, of object: NSManagedObject) {
    guard let slot = object._slot(key.key.keySlot) else { return key.setValue(value, of: object) }
    object._setValue(value?.value ?? .null, at: slot)
}

// MARK: - Enumerations

/// Returns the case of an enumeration whose raw value an attribute holds.
///
/// - Precondition: There is one.
public func _managedCase<V: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> V where V.RawValue: ValueConvertible {
    let raw: V.RawValue = _managedValue(key, of: object)
    guard let value = V(rawValue: raw) else { programmerError("\(raw) of \(key.name) is no \(V.self)") }
    return value
}

/// Returns the case of an enumeration whose raw value an attribute holds; `nil` if there is none.
public func _managedOptionalCase<V: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> V?
where V.RawValue: ValueConvertible {
    let raw: V.RawValue? = _managedOptionalValue(key, of: object)
    return raw.flatMap(V.init(rawValue:))
}

/// Sets the case of an enumeration whose raw value an attribute holds.
public func _setManagedCase<V: RawRepresentable>(_ value: V, _ key: ManagedKey, of object: NSManagedObject)
where V.RawValue: ValueConvertible { _setManagedValue(value.rawValue, key, of: object) }

/// Sets the case of an enumeration whose raw value an attribute holds.
public func _setManagedOptionalCase<V: RawRepresentable>(_ value: V?, _ key: ManagedKey, of object: NSManagedObject)
where V.RawValue: ValueConvertible { _setManagedOptionalValue(value?.rawValue, key, of: object) }

// MARK: - Any other type

/// Returns a non-optional value of any other type, such as that of a transformable attribute.
///
/// - Precondition: There is a value, or the type is a collection, which is empty then, or a number, which is zero then.
public func _managedAny<T>(_ key: ManagedKey, of object: NSManagedObject) -> T {
    let value = object.value(forKey: key.name)
    if let value: T = value == nil ? empty() : cast(value) { return value }
    programmerError("\(key.name) of \(type(of: object)) is \(value.map { "of type \(type(of: $0))" } ?? "nil"), and no \(T.self)")
}

/// Returns a value of any other type, as that of a transformable or a composite attribute, or of a fetched property.
public func _managedOptionalAny<T>(_ key: ManagedKey, of object: NSManagedObject) -> T? { cast(object.value(forKey: key.name)) }

/// Sets a value of any other type.
public func _setManagedAny<T>(_ value: T, _ key: ManagedKey, of object: NSManagedObject) { object.setValue(value, forKey: key.name) }

/// Sets a value of any other type, or none.
public func _setManagedOptionalAny<T>(_ value: T?, _ key: ManagedKey, of object: NSManagedObject) {
    object.setValue(value, forKey: key.name)
}

/// Returns a required value.
///
/// - Precondition: It is.
public func _managedRequired<T>(_ value: T?, _ key: ManagedKey, of object: NSManagedObject) -> T {
    guard let value else { programmerError("\(key.name) of \(type(of: object)) is nil, and is declared as \(T.self)") }
    return value
}

/// Returns a value by key as the declared type: a mutable class gets a copy, an array an ordered set's members.
private func cast<T>(_ value: Any?) -> T? {
    guard let value else { return nil }
    if let value = value as? T { return value }
    switch value {
    case let number as NSNumber: return CGFloat(number.doubleValue) as? T
    case let ordered as NSOrderedSet: return ordered.array as? T ?? ordered.mutableCopy() as? T
    case let object as any NSMutableCopying: return object.mutableCopy() as? T
    default: return (value as AnyObject as? any NSMutableCopying)?.mutableCopy() as? T
    }
}

/// Returns the value of a property that is nil: an empty collection, or zero.
private func empty<T>() -> T? {
    switch T.self {
    case let type as any RangeReplaceableCollection.Type: type.init() as? T
    case let type as any ExpressibleByDictionaryLiteral.Type: type.emptyCollection as? T
    case let type as any SetAlgebra.Type: type.init() as? T
    case is any Numeric.Type: cast(NSNumber(value: 0))
    default: nil
    }
}

extension ExpressibleByDictionaryLiteral {
    fileprivate static var emptyCollection: Any { Self() }
}

extension ManagedKey {
    /// Returns the value of an attribute whose slot in the object's entity is not cached yet.
    @usableFromInline
    func value<V: ValueConvertible>(of object: NSManagedObject) -> V? {
        fits(V.self, object) ? object[Key<V>(key)] : converted(of: object)
    }

    /// Returns the value of an attribute whose slot in the object's entity is not cached yet; zero, or empty, for nil.
    @usableFromInline
    func requiredValue<V: ValueConvertible>(of object: NSManagedObject) -> V {
        if fits(V.self, object) { return object[required: Key<V>(key)] }
        if let value: V = converted(of: object) ?? NSNumber(value: 0).converted() { return value }
        programmerError("\(name) of \(type(of: object)) has no value, and is declared as \(V.self)")
    }

    /// Sets the value of an attribute whose slot in the object's entity is not cached yet.
    @usableFromInline
    func setValue<V: ValueConvertible>(_ value: V?, of object: NSManagedObject) {
        if fits(V.self, object) {
            object[Key<V>(key)] = value
        } else if let seconds = value as? Double, (object as ManagedObject).entity.attribute(named: name)?.type == .date {
            object.setValue(Date(timeIntervalSinceReferenceDate: seconds), forKey: name)
        } else {
            object.setValue(value, forKey: name)
        }
    }

    /// Returns whether a property of a type reads the attribute's value without conversion.
    ///
    /// Else its value is converted, as in Core Data: an `Int16` property of a 64-bit attribute, or a `Double` one of a
    /// date. The slot of such an attribute is never cached.
    private func fits<V: ValueConvertible>(_: V.Type, _ object: NSManagedObject) -> Bool {
        (object as ManagedObject).entity.attribute(named: name).map { V.fits($0.type) } ?? true
    }

    /// Returns the value of an attribute of another type.
    private func converted<V: ValueConvertible>(of object: NSManagedObject) -> V? {
        switch object.value(forKey: name) {
        case let date as Date: date.timeIntervalSinceReferenceDate as? V
        case let number as NSNumber: number.converted()
        case let value: value as? V
        }
    }
}

extension NSNumber {
    /// Returns the number in another type, truncated.
    fileprivate func converted<V>() -> V? {
        let number: Any? =
            switch V.self {
            case is Bool.Type: boolValue
            case is Int.Type: intValue
            case is Int16.Type: int16Value
            case is Int32.Type: int32Value
            case is Int64.Type: int64Value
            case is Double.Type: doubleValue
            case is Float.Type: floatValue
            case is Decimal.Type: decimalValue
            default: nil
            }
        return number as? V
    }
}
