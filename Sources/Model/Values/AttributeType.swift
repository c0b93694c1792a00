/// The type of an attribute's values; raw values are Core Data's `NSAttributeType` numbers.
public enum AttributeType: Int, Sendable, Hashable, CaseIterable {
    /// No type; legal for transient attributes only.
    case undefined = 0
    /// A signed integer of 16 bits.
    case integer16 = 100
    /// A signed integer of 32 bits.
    case integer32 = 200
    /// A signed integer of 64 bits.
    case integer64 = 300
    /// A decimal number of up to 38 significant digits.
    case decimal = 400
    /// An IEEE 754 number of 64 bits.
    case double = 500
    /// An IEEE 754 number of 32 bits.
    case float = 600
    /// Text of any length; `String`.
    case string = 700
    /// True or false; `Bool`.
    case boolean = 800
    /// A point in time, stored as seconds since 2001-01-01T00:00:00Z.
    case date = 900
    /// Bytes of any length; `Data`.
    case binary = 1000
    /// A `UUID`, of 16 bytes.
    case uuid = 1100
    /// A `URL`, stored as its text.
    case uri = 1200
    /// A value that a ``ValueTransformer`` converts to bytes and back.
    case transformable = 1800
    /// Several named values as one, each of a type of its own; see ``Attribute/elements``.
    case composite = 2100

    /// Whether values are numbers that order and add up.
    public var isNumeric: Bool { isInteger || self == .decimal || self == .double || self == .float }

    /// Whether values are stored as signed integers.
    public var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }

    /// The range that an integer type admits, `nil` for every other type.
    public var integerRange: ClosedRange<Int64>? {
        switch self {
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64: Int64.min...Int64.max
        default: nil
        }
    }
}
