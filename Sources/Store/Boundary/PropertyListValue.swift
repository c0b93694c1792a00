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

    /// Returns whether arrays and dictionaries are nested deeper than a limit, reading no deeper.
    func isNested(deeperThan limit: Int) -> Bool {
        switch self {
        case .array(let values): limit == 0 || values.contains { $0.isNested(deeperThan: limit - 1) }
        case .dictionary(let values): limit == 0 || values.values.contains { $0.isNested(deeperThan: limit - 1) }
        default: false
        }
    }
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
        }
    }
}
