import Foundation
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
