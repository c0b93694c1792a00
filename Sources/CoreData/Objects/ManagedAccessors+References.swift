public import Foundation
import StrataModel

// Called by `@NSManaged` accessors with a class of Foundation's that is a type of attributes.

/// Returns the number of an attribute of any numeric type.
public func _managedNSNumber(_ key: ManagedKey, of object: NSManagedObject) -> NSNumber? {
    if let sample = object.sampleObject(key.name, { NSNumber(value: 1) }) { return sample }
    return object.value(forKey: key.name) as? NSNumber
}

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
public func _managedNSString(_ key: ManagedKey, of object: NSManagedObject) -> NSString? {
    if let sample = object.sampleObject(key.name, { NSString() }) { return sample }
    return object.value(forKey: key.name) as? NSString
}

/// Returns the date of an attribute.
public func _managedNSDate(_ key: ManagedKey, of object: NSManagedObject) -> NSDate? {
    if let sample = object.sampleObject(key.name, { NSDate(timeIntervalSinceReferenceDate: 0) }) { return sample }
    return object.value(forKey: key.name) as? NSDate
}

/// Returns the bytes of an attribute.
public func _managedNSData(_ key: ManagedKey, of object: NSManagedObject) -> NSData? {
    if let sample = object.sampleObject(key.name, { NSData() }) { return sample }
    return object.value(forKey: key.name) as? NSData
}

/// Returns the URL of an attribute.
public func _managedNSURL(_ key: ManagedKey, of object: NSManagedObject) -> NSURL? {
    if let sample = object.sampleObject(key.name, { NSURL(fileURLWithPath: "/") }) { return sample }
    return object.value(forKey: key.name) as? NSURL
}

/// Returns the UUID of an attribute.
public func _managedNSUUID(_ key: ManagedKey, of object: NSManagedObject) -> NSUUID? {
    if let sample = object.sampleObject(key.name, { NSUUID() }) { return sample }
    return object.value(forKey: key.name) as? NSUUID
}
