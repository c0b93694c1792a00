import StrataModel

/// Constants without a literal of their own: `CAST(<literal>, "Type")`.
enum FormatConstant {
    /// Returns the constant of a cast literal; `nil` for a cast that is a function, computed by a fetch.
    static func value(casting literal: Value, to type: String, _ model: ManagedObjectModel?) -> Value? {
        switch (type, literal) {
        case ("NSDate", .int(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
        case ("NSDate", .double(let seconds)): return .date(Date(timeIntervalSinceReferenceDate: seconds))
        case ("NSDate", .string(let text)): return special(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
        case ("NSNumber", .string(let text)): return special(text).map { .double($0) }
        case ("NSDecimalNumber", .int(let number)): return .decimal(Decimal(number))
        case ("NSDecimalNumber", .decimal): return literal
        case ("NSDecimalNumber", .string(let text)): return decimal(text).map { .decimal($0) }
        case ("NSUUID", .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
        case ("NSURL", .string(let text)): return URL(string: text).map { .url($0) }
        case ("NSData", .string(let text)): return Data(base64Encoded: text).map { .data($0) }
        case ("NSManagedObjectID", .string(let text)):
            return model.flatMap { ObjectID(uriRepresentation: text, in: $0) }.map { .objectID($0) }
        default: return nil
        }
    }

    /// Returns the numbers without digits.
    private static func special(_ text: String) -> Double? {
        switch text {
        case "nan": .nan
        case "inf": .infinity
        case "-inf": -.infinity
        default: nil
        }
    }

    private static func decimal(_ text: String) -> Decimal? {
        if text == "nan" { return .nan }
        // `Decimal` ignores what follows a number.
        guard let last = text.utf8.last, FormatScanner.isDigit(last), text.utf8.allSatisfy({ "0123456789.+-eE".utf8.contains($0) }) else {
            return nil
        }
        return Decimal(string: text)
    }

    /// Returns the literal and the type of a constant; `nil` for one with a literal of its own.
    static func cast(of value: Value) -> (literal: Value, type: String)? {
        switch value {
        case .null, .bool, .int, .string, .list: nil
        case .double(let number): number.isFinite ? nil : (finite(number), "NSNumber")
        case .decimal(let number): (.string(number.isNaN ? "nan" : number.description), "NSDecimalNumber")
        case .date(let date): (finite(date.timeIntervalSinceReferenceDate), "NSDate")
        case .data(let bytes): (.string(bytes.base64EncodedString()), "NSData")
        case .uuid(let uuid): (.string(uuid.uuidString), "NSUUID")
        case .url(let url): (.string(url.absoluteString), "NSURL")
        case .objectID(let id): (.string(id.uriRepresentation), "NSManagedObjectID")
        }
    }

    private static func finite(_ number: Double) -> Value {
        number.isFinite ? .double(number) : .string(number.isNaN ? "nan" : number < 0 ? "-inf" : "inf")
    }
}

extension QueryExpression {
    /// Returns a list of values: a constant where all of them are.
    static func listing(_ elements: [QueryExpression]) -> QueryExpression {
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            guard case .constant(let value) = element else { return .list(elements) }
            values.append(value)
        }
        return .constant(.list(values))
    }

    /// Returns a function call: a constant where it is the cast of one.
    static func calling(_ function: QueryFunction, _ arguments: [QueryExpression], _ model: ManagedObjectModel? = nil) -> QueryExpression {
        if function == .cast, arguments.count == 2, case .constant(let value) = arguments[0],
            case .constant(.string(let type)) = arguments[1], let constant = FormatConstant.value(casting: value, to: type, model)
        {
            return .constant(constant)
        }
        return .function(function, arguments)
    }
}
