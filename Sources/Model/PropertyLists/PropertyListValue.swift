public import FoundationEssentials

/// A value of a property list.
public enum PropertyListValue: Sendable, Hashable {
    /// True or false; not a number, as in a property list.
    case bool(Bool)
    /// An integer of 64 bits.
    case int(Int64)
    /// A floating-point number of 64 bits.
    case double(Double)
    /// Text of any length.
    case string(String)
    /// A point in time.
    case date(Date)
    /// Bytes of any content.
    case data(Data)
    /// Values in order.
    case array([PropertyListValue])
    /// Values by name, unordered.
    case dictionary([String: PropertyListValue])
    /// The number of an object of a keyed archive; not negative.
    case uid(Int)

    /// The value as a binary property list: each value without members once, and keys in ascending order.
    public var bytes: [UInt8] { BinaryPropertyListWriter.bytes(of: self) }

    /// Returns the number of an object as property lists in XML have it, and formats without such numbers.
    public static func dictionary(ofUID uid: Int) -> PropertyListValue { .dictionary(["CF$UID": .int(Int64(uid))]) }
}

/// Coded as the bare value, which only a coder of property lists preserves: JSON has neither dates nor bytes, and
/// confuses whole floating-point numbers with integers.
extension PropertyListValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        func value<T: Decodable>(_ make: (T) -> PropertyListValue) -> PropertyListValue? { (try? container.decode(T.self)).map(make) }
        let scalar = value(Self.bool) ?? value(Self.int) ?? value(Self.double) ?? value(Self.string) ?? value(Self.date) ?? value(Self.data)
        self = try scalar ?? value(Self.array) ?? .dictionary(container.decode([String: PropertyListValue].self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .dictionary(let value): try container.encode(value)
        case .uid(let value): try container.encode(Self.dictionary(ofUID: value))
        }
    }
}
