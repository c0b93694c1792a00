public import Foundation
public import StrataGraph
public import StrataModel
public import StrataQuery

// What `@NSManaged` accessors of attributes call: which one is found by the property's type.

/// The value of an attribute that may have none.
@inlinable
public func _managedValue<V: ValueConvertible>(_ key: ManagedKey, of object: NSManagedObject) -> V? { object[Key<V>(key.key)] }

/// The value of an attribute of a scalar type; zero, or empty, where there is none.
@inlinable
public func _managedValue<V: ValueConvertible>(_ key: ManagedKey, of object: NSManagedObject) -> V { object[required: Key<V>(key.key)] }

/// Sets the value of an attribute that may have none.
@inlinable
public func _setManagedValue<V: ValueConvertible>(_ value: V?, _ key: ManagedKey, of object: NSManagedObject) {
    object[Key<V>(key.key)] = value
}

/// Sets the value of an attribute.
@inlinable
public func _setManagedValue<V: ValueConvertible>(_ value: V, _ key: ManagedKey, of object: NSManagedObject) {
    object[Key<V>(key.key)] = value
}

/// The case of an enumeration whose raw value an attribute keeps; `nil` where there is none.
@_disfavoredOverload
public func _managedValue<V: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> V? where V.RawValue: ValueConvertible {
    object[Key<V>(key.key)]
}

/// The case of an enumeration whose raw value an attribute keeps.
///
/// - Precondition: There is one.
@_disfavoredOverload
public func _managedValue<V: RawRepresentable>(_ key: ManagedKey, of object: NSManagedObject) -> V where V.RawValue: ValueConvertible {
    let raw: V.RawValue = _managedValue(key, of: object)
    guard let value = V(rawValue: raw) else { programmerError("\(raw) of \(key.name) is no \(V.self)") }
    return value
}

/// Sets the case of an enumeration whose raw value an attribute keeps.
@_disfavoredOverload
public func _setManagedValue<V: RawRepresentable>(_ value: V?, _ key: ManagedKey, of object: NSManagedObject)
where V.RawValue: ValueConvertible {
    object[Key<V>(key.key)] = value
}

/// The number that an attribute of any numeric type keeps.
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> NSNumber? {
    if let sample = object.sampleObject(key.name, { NSNumber(value: 1) }) { return sample }
    return object.value(forKey: key.name) as? NSNumber
}

/// The decimal number that an attribute keeps.
@_disfavoredOverload
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> NSDecimalNumber? {
    if let sample = object.sampleObject(key.name, { NSDecimalNumber(value: 1) }) { return sample }
    return switch object.value(forKey: key.name) {
    case let number as NSDecimalNumber: number
    case let number as NSNumber: NSDecimalNumber(decimal: number.decimalValue)
    default: nil
    }
}

/// The text that an attribute keeps.
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> NSString? {
    if let sample = object.sampleObject(key.name, { NSString() }) { return sample }
    return (_managedValue(key, of: object) as String?).map { NSString(string: $0) }
}

/// The date that an attribute keeps.
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> NSDate? {
    if let sample = object.sampleObject(key.name, { NSDate(timeIntervalSinceReferenceDate: 0) }) { return sample }
    return (_managedValue(key, of: object) as Date?).map { NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) }
}

/// The bytes that an attribute keeps.
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> NSData? {
    if let sample = object.sampleObject(key.name, { NSData() }) { return sample }
    return (_managedValue(key, of: object) as Data?).map { NSData(data: $0) }
}

/// The URL that an attribute keeps.
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> NSURL? {
    if let sample = object.sampleObject(key.name, { NSURL(fileURLWithPath: "/") }) { return sample }
    return (_managedValue(key, of: object) as URL?).flatMap { NSURL(string: $0.absoluteString) }
}

/// The UUID that an attribute keeps.
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> NSUUID? {
    if let sample = object.sampleObject(key.name, { NSUUID() }) { return sample }
    return (_managedValue(key, of: object) as UUID?).flatMap { NSUUID(uuidString: $0.uuidString) }
}

/// The value of a transformable attribute whose class the model does not say.
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> NSObject? { object.value(forKey: key.name) as? NSObject }

/// A value of any type.
public func _managedValue(_ key: ManagedKey, of object: NSManagedObject) -> Any? { object.value(forKey: key.name) }

/// A value of any other type, as that of a transformable or a composite attribute, or of a fetched property.
@_disfavoredOverload
public func _managedValue<T>(_ key: ManagedKey, of object: NSManagedObject) -> T? { object.value(forKey: key.name) as? T }

/// A value of any other type that has to be there.
///
/// - Precondition: It is there, or the type is one of collections, which is empty then.
/// - Parameter lessSpecific: What has an optional type find the function for those.
@_disfavoredOverload
public func _managedValue<T>(_ key: ManagedKey, of object: NSManagedObject, _ lessSpecific: Void = ()) -> T {
    let value = object.value(forKey: key.name)
    if let value = value as? T { return value }
    if let empty = (T.self as? any RangeReplaceableCollection.Type)?.emptyCollection as? T { return empty }
    programmerError("\(key.name) of \(type(of: object)) is \(value.map { "of type \(type(of: $0))" } ?? "nil"), and no \(T.self)")
}

/// Sets a value of any other type.
@_disfavoredOverload
public func _setManagedValue<T>(_ value: T?, _ key: ManagedKey, of object: NSManagedObject) { object.setValue(value, forKey: key.name) }

extension RangeReplaceableCollection {
    fileprivate static var emptyCollection: Any { Self() }
}
