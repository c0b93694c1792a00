/// The types that `CAST` converts to.
enum Cast {
    case integer(ClosedRange<Int64>)
    case number, double, float, decimal, boolean, string, date, data, uuid, url

    /// Creates the type of a name: a Core Data class, such as `NSDecimalNumber`, or an attribute type, such as
    /// `integer16`.
    init?(_ name: String) {
        var name = name.lowercased().filter { $0 != " " && $0 != "_" }
        if name.hasPrefix("ns") { name.removeFirst(2) }
        if name.hasSuffix("attributetype") { name.removeLast("attributetype".count) }
        switch name {
        case "integer16", "int16": self = .integer(Int64(Int16.min)...Int64(Int16.max))
        case "integer32", "int32": self = .integer(Int64(Int32.min)...Int64(Int32.max))
        case "integer64", "int64", "integer", "int": self = .integer(.min ... .max)
        case "number": self = .number
        case "double": self = .double
        case "float": self = .float
        case "decimal", "decimalnumber": self = .decimal
        case "boolean", "bool": self = .boolean
        case "string": self = .string
        case "date": self = .date
        case "data", "binary", "binarydata": self = .data
        case "uuid": self = .uuid
        case "url", "uri": self = .url
        default: return nil
        }
    }

    /// Converts the value to the type; nil where that is impossible.
    ///
    /// Fractions are truncated to integers.
    func apply(_ value: Value) -> Value {
        if value.isNull { return .null }
        switch self {
        case .integer(let range): return Cast.whole(value).flatMap { range.contains($0) ? .some(.int($0)) : .none } ?? .null
        case .number: return Cast.number(value)?.value ?? .null
        case .double: return (Cast.number(value)?.asDouble).map { .double($0) } ?? .null
        case .float: return (Cast.number(value)?.asDouble).map { .double(Double(Float($0))) } ?? .null
        case .decimal: return Cast.decimal(value).map { .decimal($0) } ?? .null
        case .boolean: return Cast.truth(value).map { .bool($0) } ?? .null
        case .string: return Cast.text(value).map { .string($0) } ?? .null
        case .date:
            if case .date = value { return value }
            return (Cast.number(value)?.asDouble).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
        case .data:
            if case .data = value { return value }
            return value.text.flatMap { Data(base64Encoded: $0) }.map { .data($0) } ?? .null
        case .uuid:
            if case .uuid = value { return value }
            return value.text.flatMap { UUID(uuidString: $0) }.map { .uuid($0) } ?? .null
        case .url:
            if case .url = value { return value }
            return value.text.flatMap { URL(string: $0) }.map { .url($0) } ?? .null
        }
    }

    /// Returns the number of a number, a text that spells one, or a date: its seconds since 2001.
    private static func number(_ value: Value) -> Number? {
        switch value {
        case .string(let text): Int64(text).map { .int($0) } ?? Double(text).map { .double($0) }
        case .date(let date): .double(date.timeIntervalSinceReferenceDate)
        default: value.number
        }
    }

    private static func whole(_ value: Value) -> Int64? {
        switch number(value) {
        case .int(let number): number
        case .double(let number): Int64(exactly: number.rounded(.towardZero))
        case .decimal(let number): Rounding.trunc(number).wholeNumber
        case nil: nil
        }
    }

    private static func decimal(_ value: Value) -> Decimal? {
        if case .string(let text) = value {
            // The parser of decimals accepts a number at the beginning of any text.
            guard Double(text)?.isFinite == true else { return nil }
            return Decimal(string: text)
        }
        switch number(value) {
        case .int(let number): return Decimal(number)
        case .double(let number): return number.isFinite ? Decimal(string: number.description) : nil
        case .decimal(let number): return number
        case nil: return nil
        }
    }

    private static func truth(_ value: Value) -> Bool? {
        if case .string(let text) = value {
            switch text.lowercased() {
            case "true", "yes", "1": return true
            case "false", "no", "0": return false
            default: return nil
            }
        }
        return value.number.flatMap { $0.isNaN ? nil : !$0.isZero }
    }

    private static func text(_ value: Value) -> String? {
        switch value {
        case .string, .url: value.text
        case .bool(let flag): flag ? "1" : "0"
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .decimal(let number): DecimalText.text(number)
        case .uuid(let uuid): uuid.uuidString
        case .data(let data): data.base64EncodedString()
        case .null, .date, .objectID, .list: nil
        }
    }
}
