import StrataText

/// A property's value, or a constant of a query: the closed set of types in the interface between the core and a store.
///
/// Two strings are equal when their UTF-8 bytes are, as everywhere in Strata; numbers of different kinds are different
/// values here (``compare(_:)`` orders them by magnitude).
public enum Value: Sendable {
    /// No value, as `nil` is.
    case null
    /// A truth value, of a boolean attribute.
    case bool(Bool)
    /// An integer of any width.
    case int(Int64)
    /// A floating-point number of either width.
    case double(Double)
    /// A decimal number, exact.
    case decimal(Decimal)
    /// Text; compared by its UTF-8 bytes.
    case string(String)
    /// A point in time.
    case date(Date)
    /// Bytes, also those of a transformable attribute.
    case data(Data)
    /// A UUID, 16 bytes.
    case uuid(UUID)
    /// A URL, stored as its text.
    case url(URL)
    /// A reference to a managed object.
    case objectID(ObjectID)
    /// Several values, as `IN` and `BETWEEN` take them.
    case list([Value])

    /// Whether this is ``null``.
    public var isNull: Bool { if case .null = self { true } else { false } }
}

extension Value: Hashable {
    /// Returns whether two values are of one kind and equal; strings by their bytes, NaN equal to itself.
    public static func == (lhs: Value, rhs: Value) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.int(let a), .int(let b)): a == b
        case (.double(let a), .double(let b)): a == b || (a.isNaN && b.isNaN)
        case (.decimal(let a), .decimal(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)): Value.double(a.timeIntervalSinceReferenceDate) == .double(b.timeIntervalSinceReferenceDate)
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.url(let a), .url(let b)): a.absoluteString == b.absoluteString
        case (.objectID(let a), .objectID(let b)): a == b
        case (.list(let a), .list(let b)): a == b
        default: false
        }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value.isNaN ? Double.infinity : value)
        case .decimal(let value): hasher.combine(value)
        case .string(var value):
            value.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(UInt8(0xFF))
        case .date(let value): Value.double(value.timeIntervalSinceReferenceDate).hash(into: &hasher)
        case .data(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .url(let value): hasher.combine(value.absoluteString)
        case .objectID(let value): hasher.combine(value)
        case .list(let value): hasher.combine(value)
        }
    }
}

extension Value: CustomStringConvertible {
    /// The value as a person reads it; lists within lists up to some levels.
    public var description: String { text(levels: 16) }

    private func text(levels: Int) -> String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .decimal(let value): value.description
        case .string(let value): "\"\(value)\""
        case .date(let value): "date(\(value.timeIntervalSinceReferenceDate))"
        case .data(let value): value.count.counted("byte")
        case .uuid(let value): value.uuidString
        case .url(let value): value.absoluteString
        case .objectID(let value): value.uriRepresentation
        case .list(let values): levels == 0 ? "{…}" : "{" + values.map { $0.text(levels: levels - 1) }.joined(separator: ", ") + "}"
        }
    }
}

// Without nil literals: `condition ? value : nil` would then be a value if a function returns an optional one.
extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral
{
    /// Text, written as a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer, written as a literal.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates a floating-point number, written as a literal.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a truth value, written as a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a list, written as a literal.
    public init(arrayLiteral elements: Value...) { self = .list(elements) }
}
