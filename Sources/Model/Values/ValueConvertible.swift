/// The type of an attribute's typed property: a ``ValueConvertible`` type, or an optional of one.
public protocol PropertyValue {
    /// The non-optional type.
    associatedtype Stored: ValueConvertible
}

extension Optional: PropertyValue where Wrapped: ValueConvertible {
    public typealias Stored = Wrapped
}

/// The stored value.
public protocol ValueConvertible: PropertyValue where Stored == Self {
    /// Decodes a stored value; `nil` for another type or a value out of range.
    var value: Value { get }

    /// Reads a stored value; `nil` when it is of another kind or out of range.
    init?(value: Value)

    /// Returns whether attributes of a type preserve values of this one.
    ///
    /// A key of a type that does not fit its attribute is an error. True by default; for raw values that of their type.
    static func fits(_ type: AttributeType) -> Bool

    /// The default attribute type of a property of this type.
    ///
    /// The widest that fits by default; for types with a raw value that of its type.
    static var attributeType: AttributeType { get }

    /// Reads a slot of a row without a ``Value``.
    ///
    /// - Returns: `nil` for an empty slot or one of another kind.
    static func read(_ slot: RowSlot) -> Self?
}

extension ValueConvertible {
    /// Returns whether attributes of a type hold such values: nothing speaks against it.
    public static func fits(_ type: AttributeType) -> Bool { true }

    /// The widest type that fits; none for a type that all fit, as nothing speaks for any of them.
    public static var attributeType: AttributeType {
        let types: [AttributeType] = [
            .integer64, .integer32, .integer16, .double, .float, .decimal, .boolean, .string, .date, .uuid, .uri, .binary,
        ]
        let fitting = types.filter { fits($0) }
        return fitting.count == types.count ? .undefined : fitting.first ?? .undefined
    }

    /// Reads a slot of this kind.
    @inlinable
    public static func read(_ slot: RowSlot) -> Self? { Self(value: slot.value) }
}

extension ValueConvertible where Self: RawRepresentable, RawValue: ValueConvertible {
    /// The value as it is stored.
    public var value: Value { rawValue.value }
    /// Returns whether attributes of a type hold the raw values.
    ///
    /// Integers may be wider than those: most of them are no case of an enumeration anyway.
    public static func fits(_ type: AttributeType) -> Bool { RawValue.fits(type) || type.isInteger && RawValue.fits(.integer16) }
    /// The type of attributes of raw values.
    public static var attributeType: AttributeType { RawValue.attributeType }
    /// Reads a stored value of this kind.
    public init?(value: Value) {
        guard let raw = RawValue(value: value) else { return nil }
        self.init(rawValue: raw)
    }
}

extension ValueConvertible where Self: FixedWidthInteger {
    /// The value as it is stored: a decimal number where no attribute of integers holds it.
    @inlinable
    public var value: Value { Int64(exactly: self).map { .int($0) } ?? .decimal(Decimal(string: description) ?? .nan) }
    /// Returns whether attributes of a type hold integers, of which each is one of this type.
    public static func fits(_ type: AttributeType) -> Bool {
        switch type {
        case .integer16: holds(Int16.self)
        case .integer32: holds(Int32.self)
        case .integer64: holds(Int64.self)
        default: type == .undefined
        }
    }

    private static func holds<Other: FixedWidthInteger>(_: Other.Type) -> Bool {
        Other(clamping: min) == .min && Other(clamping: max) == .max
    }

    /// Reads a stored value of this kind.
    public init?(value: Value) {
        guard case .int(let number) = value else { return nil }
        self.init(exactly: number)
    }

    /// Reads a slot of this kind.
    @inlinable
    public static func read(_ slot: RowSlot) -> Self? {
        guard slot.kind == .integer, let number = slot.integer else { return nil }
        return Self(exactly: number)
    }
}

extension Value: ValueConvertible {
    /// The value, which needs no conversion.
    public var value: Value { self }
    /// Takes any value: none is of another type.
    public init?(value: Value) { self = value }
}

extension Bool: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .boolean || type == .undefined }
    /// The value as it is stored.
    public var value: Value { .bool(self) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .bool(let flag) = value { self = flag } else { return nil } }
    /// Reads a slot of this kind.
    @inlinable
    public static func read(_ slot: RowSlot) -> Bool? {
        guard slot.kind == .boolean, let number = slot.integer else { return nil }
        return number != 0
    }
}

extension Double: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .double || type == .float || type == .undefined }
    /// The value as it is stored.
    public var value: Value { .double(self) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .double(let number) = value { self = number } else { return nil } }
    /// Reads a slot of this kind.
    @inlinable
    public static func read(_ slot: RowSlot) -> Double? {
        guard slot.kind == .double || slot.kind == .float else { return nil }
        return slot.double
    }
}

extension Float: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .float || type == .double || type == .undefined }
    /// The type of the same width.
    public static var attributeType: AttributeType { .float }
    /// The value as it is stored.
    public var value: Value { .double(Double(self)) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .double(let number) = value { self = Float(number) } else { return nil } }
}

extension Decimal: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .decimal || type == .undefined }
    /// The value as it is stored.
    public var value: Value { .decimal(self) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .decimal(let number) = value { self = number } else { return nil } }
}

extension String: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .string || type == .undefined }
    /// The value as it is stored.
    public var value: Value { .string(self) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .string(let text) = value { self = text } else { return nil } }
    /// Reads a slot of this kind.
    @inlinable
    public static func read(_ slot: RowSlot) -> String? {
        guard slot.kind == .string, let bytes = unsafe slot.bytes else { return nil }
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}

extension Date: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .date || type == .undefined }
    /// The value as it is stored.
    public var value: Value { .date(self) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .date(let date) = value { self = date } else { return nil } }
    /// Reads a slot of this kind.
    @inlinable
    public static func read(_ slot: RowSlot) -> Date? {
        guard slot.kind == .date, let seconds = slot.double else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

extension Data: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .binary || type == .transformable || type == .undefined }
    /// The value as it is stored.
    public var value: Value { .data(self) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .data(let bytes) = value { self = bytes } else { return nil } }
}

extension UUID: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .uuid || type == .undefined }
    /// The value as it is stored.
    public var value: Value { .uuid(self) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .uuid(let uuid) = value { self = uuid } else { return nil } }
}

extension URL: ValueConvertible {
    /// Returns whether attributes of a type hold such values.
    public static func fits(_ type: AttributeType) -> Bool { type == .uri || type == .undefined }
    /// The value as it is stored.
    public var value: Value { .url(self) }
    /// Reads a stored value of this kind.
    public init?(value: Value) { if case .url(let url) = value { self = url } else { return nil } }
}

/// A type whose values are compared as text; conform an enumeration with strings as raw values for prefix conditions.
public protocol TextualValue: ValueConvertible {}

extension String: TextualValue {}
extension URL: TextualValue {}
extension Value: TextualValue {}

/// A type that queries compute with.
public protocol ArithmeticValue: ValueConvertible {}

extension Int: ArithmeticValue {}
extension Int16: ArithmeticValue {}
extension Int32: ArithmeticValue {}
extension Int64: ArithmeticValue {}
extension Double: ArithmeticValue {}
extension Float: ArithmeticValue {}
extension Decimal: ArithmeticValue {}
extension Value: ArithmeticValue {}
