public import Foundation
import StrataModel

// Called by `@NSManaged` accessors with a class of Foundation's that is a type of attributes.

/// Returns the number of an attribute of any numeric type.
public func _managedNSNumber(_ key: ManagedKey, of object: NSManagedObject) -> NSNumber? { value(key, of: object) { NSNumber(value: 1) } }

/// Returns the decimal number of an attribute.
public func _managedNSDecimalNumber(_ key: ManagedKey, of object: NSManagedObject) -> NSDecimalNumber? {
    if let sample = object.sampleObject(key.name, { NSDecimalNumber(value: 1) }) { return sample }
    return switch object.value(forKey: key.name) {
    case let number as NSDecimalNumber: number
    case let number as NSNumber: NSDecimalNumber(decimal: number.decimalValue)
    default: nil
    }
}

/// Returns the text of an attribute.
public func _managedNSString(_ key: ManagedKey, of object: NSManagedObject) -> NSString? { value(key, of: object) { NSString() } }

/// Returns the date of an attribute.
public func _managedNSDate(_ key: ManagedKey, of object: NSManagedObject) -> NSDate? {
    value(key, of: object) { NSDate(timeIntervalSinceReferenceDate: 0) }
}

/// Returns the bytes of an attribute.
public func _managedNSData(_ key: ManagedKey, of object: NSManagedObject) -> NSData? { value(key, of: object) { NSData() } }

/// Returns the URL of an attribute.
public func _managedNSURL(_ key: ManagedKey, of object: NSManagedObject) -> NSURL? {
    value(key, of: object) { NSURL(fileURLWithPath: "/") }
}

/// Returns the UUID of an attribute.
public func _managedNSUUID(_ key: ManagedKey, of object: NSManagedObject) -> NSUUID? { value(key, of: object) { NSUUID() } }

/// Returns the object of an attribute, or a sample of it for a key path.
private func value<T: AnyObject>(_ key: ManagedKey, of object: NSManagedObject, _ sample: () -> T) -> T? {
    if let sample = object.sampleObject(key.name, sample) { return sample }
    return object.value(forKey: key.name) as? T
}
