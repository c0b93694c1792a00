import StrataGraph
import StrataModel

/// Conversion of values between Core Data's clients and the graph: an `Any` with a Swift integer casts to no other
/// number type, while an `NSNumber` does.
enum Boxing {
    /// Converts a value of the graph for Core Data's clients.
    static func boxed(_ value: Any?, _ type: AttributeType?) -> Any? {
        guard let value = value.flatMap(unwrapped) else { return nil }
        switch value {
        // The number of a transformable value may cast to several types.
        case let number as NSNumber where Swift.type(of: value) is AnyClass: return number
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

    /// Converts the value of a member of the class only: a list of objects is no ordered relationship.
    static func boxed(member value: Any?) -> Any? {
        guard let value = value.flatMap(unwrapped) else { return nil }
        if value is [ManagedObject] { return value }
        if let enumeration = value as? any RawRepresentable { return boxed(member: enumeration.rawValue) }
        return value as? NSNumber ?? boxed(value, nil)
    }

    /// Returns a case of an enumeration by its raw value, as Objective-C's setters take it; `nil` for any other type.
    static func enumeration<T>(_ given: Any?, as type: T.Type) -> T? {
        func make<E: RawRepresentable>(_ type: E.Type) -> E? {
            (given as? E.RawValue ?? number(given, as: E.RawValue.self)).flatMap { E(rawValue: $0) }
        }
        return (type as? any RawRepresentable.Type).flatMap { make($0) as? T }
    }

    /// Converts a number to another number type, as Objective-C's setters take it: a fraction is truncated; `nil` for
    /// other types, and if the number does not fit.
    static func number<T>(_ given: Any?, as type: T.Type) -> T? {
        guard let number = given as? NSNumber else { return nil }
        if let exact = number as? T { return exact }
        switch type {
        case is Bool.Type, is Bool?.Type: return number.boolValue as? T
        case is Float.Type, is Float?.Type: return number.floatValue as? T
        case is Double.Type, is Double?.Type: return number.doubleValue as? T
        case is CGFloat.Type, is CGFloat?.Type: return CGFloat(number.doubleValue) as? T
        case is Decimal.Type, is Decimal?.Type: return number.decimalValue as? T
        case is NSDecimalNumber.Type, is NSDecimalNumber?.Type: return NSDecimalNumber(decimal: number.decimalValue) as? T
        default: return NSNumber(value: number.int64Value) as? T
        }
    }

    private static func number(_ value: Int64, _ type: AttributeType?) -> NSNumber {
        switch type {
        // An out-of-range value is returned unchanged, until the validation rejects it.
        case .integer16: Int16(exactly: value).map { NSNumber(value: $0) } ?? NSNumber(value: value)
        case .integer32: Int32(exactly: value).map { NSNumber(value: $0) } ?? NSNumber(value: value)
        case .boolean: NSNumber(value: value != 0)
        default: NSNumber(value: value)
        }
    }

    /// Converts a stored value for Core Data's clients.
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

    /// Converts a value of Core Data's clients for the graph; numbers to the attribute's type.
    static func unboxed(_ value: Any?, _ type: AttributeType?) -> Any? {
        guard let value = value.flatMap(unwrapped) else { return nil }
        if let type, type.isNumeric, let number = GivenNumber(value)?.kept(type) { return number }
        switch value {
        case is NSNull: return nil
        case let value as NSDecimalNumber: return value.decimalValue
        case let value as NSNumber: return plain(value)
        case let value as NSString: return value as String
        case let value as NSDate: return Date(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate)
        // Foundation's own conversion copies byte by byte.
        case let data as NSData where Swift.type(of: value) is AnyClass: return unsafe Data(bytes: data.bytes, count: data.length)
        case let data as Data: return data
        case let value as NSUUID: return UUID(uuidString: value.uuidString)
        case let value as NSURL: return URL(string: value.absoluteString)
        case let value as NSManagedObjectID: return value.id
        // The value of an attribute is no set of destinations, whatever its elements are.
        case let value as NSSet where type == nil: return Set(value.allObjects.compactMap { $0 as? ManagedObject })
        case let value as NSOrderedSet where type == nil: return value.array.compactMap { $0 as? ManagedObject }
        case let value as NSArray where value.firstObject is ManagedObject: return value.compactMap { $0 as? ManagedObject }
        default: return value
        }
    }

    /// Converts the elements of a composite attribute for the graph; returns other values unchanged.
    static func unboxed(_ value: Any?, _ composite: CompositeAttributeDescription) -> Any? {
        guard let dictionary = value.flatMap(unwrapped) as? [String: Any] else { return value is NSNull ? nil : value }
        var elements = dictionary
        for element in composite.elements {
            guard let given = dictionary[element.name] else { continue }
            switch element {
            case .attribute(let attribute, _): elements[element.name] = unboxed(given, attribute.type)
            case .composite(let inner): elements[element.name] = unboxed(given, inner)
            }
        }
        return elements
    }

    /// Converts a number without knowledge of an attribute.
    private static func plain(_ value: NSNumber) -> Any {
        if value.isBoolean { return value.boolValue }
        return value.isFloatingPoint ? value.doubleValue : value.int64Value
    }
}

extension AttributeType {
    /// Whether attributes of the type hold numbers, as which truth values count.
    var isNumeric: Bool {
        switch self {
        case .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean: true
        default: false
        }
    }
}

/// A number of any type that a program may set for a numeric attribute.
///
/// It is converted as Objective-C converts an `NSNumber`: values beyond the range of the target become the nearest
/// value, a fraction is truncated, and NaN is zero for integers.
enum GivenNumber {
    case integer(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    case floating(Double)
    case decimal(Decimal)

    /// `nil` for values other than numbers; truth values are numbers.
    init?(_ value: Any) {
        switch value {
        // The most frequent type, and the cheapest cast; an `NSNumber` with such a value matches, too.
        case let integer as Int: self = .integer(Int64(integer))
        case let integer as any BinaryInteger: self.init(integer)
        case let number as any BinaryFloatingPoint: self = .floating(Double(number))
        case let number as Decimal: self = .decimal(number)
        case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
        case let number as NSNumber:
            if number.isFloatingPoint {
                self = .floating(number.doubleValue)
            } else if number.int64Value < 0, number.uint64Value == UInt64(bitPattern: number.int64Value), number.isUnsigned {
                self = .unsigned(number.uint64Value)
            } else {
                self = .integer(number.int64Value)
            }
        default: return nil
        }
    }

    private init(_ integer: some BinaryInteger) {
        if let number = Int64(exactly: integer) {
            self = .integer(number)
        } else {
            self = UInt64(exactly: integer).map { .unsigned($0) } ?? .integer(Int64(clamping: integer))
        }
    }

    /// Returns the number as an attribute of a type holds it; `nil` if the type is not numeric.
    ///
    /// An integer may be out of the type's range: the validation rejects it.
    func kept(_ type: AttributeType) -> Any? {
        switch type {
        case .integer16, .integer32, .integer64: integer
        case .double: double
        case .float: Double(Float(double))
        case .boolean: isTrue
        case .decimal: decimal
        default: nil
        }
    }

    private var integer: Int64 {
        switch self {
        case .integer(let number): number
        case .unsigned(let number): Int64(bitPattern: number)
        case .floating(let number): GivenNumber.integer(number)
        case .decimal(let number): GivenNumber.integer(number)
        }
    }

    private static func integer(_ number: Double) -> Int64 {
        if number.isNaN { return 0 }
        return Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
    }

    private static func integer(_ number: Decimal) -> Int64 {
        if number.isNaN { return 0 }
        var (number, whole) = (number, Decimal())
        unsafe NSDecimalRound(&whole, &number, 0, number < 0 ? .up : .down)
        return Int64(whole.description) ?? (number < 0 ? .min : .max)
    }

    private var double: Double {
        switch self {
        case .integer(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .floating(let number): number
        case .decimal(let number): Double(number.description) ?? .nan
        }
    }

    private var isTrue: Bool {
        switch self {
        case .integer(let number): number != 0
        case .unsigned: true
        case .floating(let number): number != 0
        case .decimal(let number): !number.isZero
        }
    }

    private var decimal: Decimal {
        switch self {
        case .integer(let number): Decimal(number)
        case .unsigned(let number): Decimal(number)
        case .floating(let number): (number.isFinite ? Decimal(string: number.description) : nil) ?? .nan
        case .decimal(let number): number
        }
    }
}

extension NSNumber {
    /// Whether the number was made of a Boolean.
    var isBoolean: Bool { typeCode == UInt8(ascii: "c") && self is Bool }
    /// Whether the number was made of one with a fraction.
    var isFloatingPoint: Bool { typeCode == UInt8(ascii: "d") || typeCode == UInt8(ascii: "f") }
    /// Whether the number was made of an unsigned integer of 64 bits.
    fileprivate var isUnsigned: Bool { typeCode == UInt8(ascii: "Q") }

    private var typeCode: UInt8 { unsafe UInt8(bitPattern: objCType.pointee) }
}
