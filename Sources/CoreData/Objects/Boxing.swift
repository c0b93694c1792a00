import Foundation
import StrataGraph
import StrataModel

/// Values as Core Data's clients know them, and as the graph does: an `Any` that holds a Swift integer casts to no other number, and an
/// `NSNumber` does.
enum Boxing {
    /// A value of the graph for Core Data's clients.
    static func boxed(_ value: Any?, _ type: AttributeType?) -> Any? {
        guard let value = value.flatMap(unwrapped) else { return nil }
        switch value {
        case let value as String: return value
        case let value as Bool: return NSNumber(value: value)
        case let value as Int64: return number(value, type)
        case let value as Int: return number(Int64(value), type)
        case let value as Int32: return NSNumber(value: value)
        case let value as Int16: return NSNumber(value: value)
        case let value as Double: return NSNumber(value: value)
        case let value as Float: return NSNumber(value: value)
        case let value as Decimal: return NSDecimalNumber(decimal: value)
        case let value as ObjectID: return NSManagedObjectID(value)
        case let objects as Set<ManagedObject>: return NSSet(array: Array(objects))
        case let objects as [ManagedObject]: return NSOrderedSet(array: objects)
        case let dictionary as [String: Any]: return dictionary.compactMapValues { boxed($0, nil) }
        default: return value
        }
    }

    private static func number(_ value: Int64, _ type: AttributeType?) -> NSNumber {
        switch type {
        case .integer16: NSNumber(value: Int16(truncatingIfNeeded: value))
        case .integer32: NSNumber(value: Int32(truncatingIfNeeded: value))
        case .boolean: NSNumber(value: value != 0)
        default: NSNumber(value: value)
        }
    }

    /// What a value that the graph keeps is for Core Data's clients.
    static func boxed(_ value: Value, _ type: AttributeType? = nil) -> Any? {
        switch value {
        case .null: nil
        case .bool(let value): NSNumber(value: value)
        case .int(let value): number(value, type)
        case .double(let value): type == .float ? NSNumber(value: Float(value)) : NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): value
        case .objectID(let value): NSManagedObjectID(value)
        case .list(let values): values.map { boxed($0) ?? NSNull() }
        }
    }

    /// A value of Core Data's clients for the graph; numbers as the attribute keeps them.
    static func unboxed(_ value: Any?, _ type: AttributeType?) -> Any? {
        guard let value = value.flatMap(unwrapped) else { return nil }
        switch value {
        case is NSNull: return nil
        case let value as NSDecimalNumber: return number(value, type) ?? value.decimalValue
        case let value as NSNumber: return number(value, type) ?? plain(value)
        case let value as NSString: return value as String
        case let value as NSDate: return Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate)
        case let value as NSData: return Data(referencing: value)
        case let value as NSUUID: return UUID(uuidString: value.uuidString)
        case let value as NSURL: return URL(string: value.absoluteString)
        case let value as NSManagedObjectID: return value.id
        case let value as NSSet: return Set(value.allObjects.compactMap { $0 as? ManagedObject })
        case let value as NSOrderedSet: return value.array.compactMap { $0 as? ManagedObject }
        case let value as NSArray where value.firstObject is ManagedObject: return value.compactMap { $0 as? ManagedObject }
        case let value as Double where type?.isInteger == true: return integer(value) ?? value
        case let value as any BinaryInteger where type == .boolean: return Int64(exactly: value) != 0
        default: return value
        }
    }

    /// A number as an attribute of a type keeps it: what does not fit is given as it is.
    private static func number(_ value: NSNumber, _ type: AttributeType?) -> Any? {
        switch type {
        case .integer16, .integer32, .integer64: value.isFloatingPoint ? integer(value.doubleValue) : value.int64Value
        case .double: value.doubleValue
        case .float: value.doubleValue
        case .boolean: value.boolValue
        case .decimal: (value as? NSDecimalNumber)?.decimalValue ?? value.decimalValue
        default: nil
        }
    }

    /// The integer part of a number, which is what integer attributes keep of it.
    private static func integer(_ value: Double) -> Int64? { Int64(exactly: value.rounded(.towardZero)) }

    /// A number without knowledge of what it is for.
    private static func plain(_ value: NSNumber) -> Any {
        if value.isBoolean { return value.boolValue }
        return value.isFloatingPoint ? value.doubleValue : value.int64Value
    }

    /// A value out of any number of optionals; `nil` where one is empty.
    private static func unwrapped(_ value: Any) -> Any? {
        guard let optional = value as? any OptionalValue else { return value }
        return optional.wrappedValue.flatMap(unwrapped)
    }
}

/// An optional of any type.
private protocol OptionalValue {
    var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedValue: Any? { map { $0 as Any } }
}

extension NSNumber {
    /// Whether the number was made of a Boolean.
    var isBoolean: Bool { unsafe String(cString: objCType) == "c" && self is Bool }
    /// Whether the number was made of one with a fraction.
    var isFloatingPoint: Bool {
        let code = unsafe objCType.pointee
        return code == CChar(UInt8(ascii: "d")) || code == CChar(UInt8(ascii: "f"))
    }
}

extension AttributeType {
    fileprivate var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
}
