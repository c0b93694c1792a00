public import Foundation
import StrataModel

// What `@NSManaged` accessors call whose type is a class of Foundation's that stands for a type of attributes.

/// The number that an attribute of any numeric type keeps.
public func _managedNSNumber(_ key: ManagedKey, of object: NSManagedObject) -> NSNumber? {
    if let sample = object.sampleObject(key.name, { NSNumber(value: 1) }) { return sample }
    return object.value(forKey: key.name) as? NSNumber
}

/// The decimal number that an attribute keeps.
public func _managedNSDecimalNumber(_ key: ManagedKey, of object: NSManagedObject) -> NSDecimalNumber? {
    if let sample = object.sampleObject(key.name, { NSDecimalNumber(value: 1) }) { return sample }
    return switch object.value(forKey: key.name) {
    case let number as NSDecimalNumber: number
    case let number as NSNumber: NSDecimalNumber(decimal: number.decimalValue)
    default: nil
    }
}

/// The text that an attribute keeps.
public func _managedNSString(_ key: ManagedKey, of object: NSManagedObject) -> NSString? {
    if let sample = object.sampleObject(key.name, { NSString() }) { return sample }
    return object.value(forKey: key.name) as? NSString
}

/// The date that an attribute keeps.
public func _managedNSDate(_ key: ManagedKey, of object: NSManagedObject) -> NSDate? {
    if let sample = object.sampleObject(key.name, { NSDate(timeIntervalSinceReferenceDate: 0) }) { return sample }
    return object.value(forKey: key.name) as? NSDate
}

/// The bytes that an attribute keeps.
public func _managedNSData(_ key: ManagedKey, of object: NSManagedObject) -> NSData? {
    if let sample = object.sampleObject(key.name, { NSData() }) { return sample }
    return object.value(forKey: key.name) as? NSData
}

/// The URL that an attribute keeps.
public func _managedNSURL(_ key: ManagedKey, of object: NSManagedObject) -> NSURL? {
    if let sample = object.sampleObject(key.name, { NSURL(fileURLWithPath: "/") }) { return sample }
    return object.value(forKey: key.name) as? NSURL
}

/// The UUID that an attribute keeps.
public func _managedNSUUID(_ key: ManagedKey, of object: NSManagedObject) -> NSUUID? {
    if let sample = object.sampleObject(key.name, { NSUUID() }) { return sample }
    return object.value(forKey: key.name) as? NSUUID
}
