public import StrataModel

/// A value for a placeholder of a format string.
///
/// Values, lists of them, expressions, keys (for `%K`, as texts are) and managed objects are arguments. An enumeration
/// whose `RawValue` is `ValueConvertible` becomes one by declaring both conformances.
public protocol QueryArgument {
    /// The expression that is substituted for the placeholder.
    var queryExpression: QueryExpression { get }
}

extension QueryArgument where Self: ValueConvertible {
    public var queryExpression: QueryExpression { .constant(value) }
}

extension QueryArgument where Self: FixedWidthInteger {
    public var queryExpression: QueryExpression {
        if let number = Int64(exactly: self) { return .constant(.int(number)) }
        return .constant(Decimal(string: String(self)).map { .decimal($0) } ?? .double(Double(self)))
    }
}

extension QueryArgument where Self: ValueConvertible & FixedWidthInteger {
    public var queryExpression: QueryExpression { .constant(value) }
}

extension Int: QueryArgument {}
extension Int8: QueryArgument {}
extension Int16: QueryArgument {}
extension Int32: QueryArgument {}
extension Int64: QueryArgument {}
extension UInt: QueryArgument {}
extension UInt8: QueryArgument {}
extension UInt16: QueryArgument {}
extension UInt32: QueryArgument {}
extension UInt64: QueryArgument {}
extension Bool: QueryArgument {}
extension Double: QueryArgument {}
extension Float: QueryArgument {}
extension Decimal: QueryArgument {}
extension String: QueryArgument {}
extension Date: QueryArgument {}
extension Data: QueryArgument {}
extension UUID: QueryArgument {}
extension URL: QueryArgument {}

extension Substring: QueryArgument {
    public var queryExpression: QueryExpression { .constant(.string(String(self))) }
}

extension Character: QueryArgument {
    public var queryExpression: QueryExpression { .constant(.string(String(self))) }
}

extension Value: QueryArgument {
    public var queryExpression: QueryExpression { .constant(self) }
}

extension ObjectID: QueryArgument {
    public var queryExpression: QueryExpression { .constant(.objectID(self)) }
}

extension QueryExpression: QueryArgument {
    public var queryExpression: QueryExpression { self }
}

extension Key: QueryArgument {
    public var queryExpression: QueryExpression { .keyPath(path) }
}

extension Optional: QueryArgument where Wrapped: QueryArgument {
    public var queryExpression: QueryExpression { self?.queryExpression ?? .constant(.null) }
}

extension Array: QueryArgument where Element: QueryArgument {
    public var queryExpression: QueryExpression { .listing(map { $0.queryExpression }) }
}

extension ArraySlice: QueryArgument where Element: QueryArgument {
    public var queryExpression: QueryExpression { .listing(map { $0.queryExpression }) }
}

extension Set: QueryArgument where Element: QueryArgument {
    public var queryExpression: QueryExpression { .listing(map { $0.queryExpression }) }
}

/// A dictionary is equivalent to its values, as on the right of IN.
extension Dictionary: QueryArgument where Value: QueryArgument {
    public var queryExpression: QueryExpression { .listing(values.map { $0.queryExpression }) }
}
