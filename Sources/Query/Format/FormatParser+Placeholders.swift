import StrataModel
import StrataText

extension FormatParser {
    /// Reads `%@`, `%K` with the path behind it, or one of `printf`'s conversions, and takes the next argument.
    mutating func placeholder() throws(FormatFailure) -> QueryExpression {
        switch scanner.second {
        case UInt8(ascii: "@"):
            let start = scanner.position
            scanner.position += 2
            return try nextArgument(at: start)
        case UInt8(ascii: "K"):
            let path = try keyPath()
            return path == "SELF" || path == "self" ? .evaluatedObject : .keyPath(path)
        default: return .constant(try conversion())
        }
    }

    /// Reads `%K` and takes its argument, a name or path.
    mutating func keyPathPlaceholder() throws(FormatFailure) -> String {
        let start = scanner.position
        guard scanner.second == UInt8(ascii: "K") else { throw scanner.failure("the name of a property or %K") }
        scanner.position += 2
        switch try nextArgument(at: start) {
        case .keyPath(let path), .constant(.string(let path)):
            if !path.isEmpty { return path }
            throw FormatFailure(start, expected: "the name of a property as argument of %K", found: "an empty text")
        case let other: throw FormatFailure(start, expected: "the name of a property as argument of %K", found: other.kind)
        }
    }

    private mutating func nextArgument(at start: Int) throws(FormatFailure) -> QueryExpression {
        guard usedArguments < arguments.count else {
            throw FormatFailure(start, expected: "an argument for every placeholder", found: "only \(usedArguments.counted("argument"))")
        }
        defer { usedArguments += 1 }
        return arguments[usedArguments]?.queryExpression ?? .constant(.null)
    }

    /// Reads a conversion such as `%d`, `%lld`, `%.2f`, `%s`; flags, width and precision have no effect.
    private mutating func conversion() throws(FormatFailure) -> Value {
        let start = scanner.position
        scanner.position += 1
        while "+-0123456789.hlqLztj".utf8.contains(scanner.next) { scanner.position += 1 }
        let letter = scanner.next
        guard "diuxXoDUOfFeEgGaAcCsS".utf8.contains(letter) else {
            throw FormatFailure(start, expected: "a placeholder (%@, %K, %d, %f, %s, …)")
        }
        scanner.position += 1
        let argument = try nextArgument(at: start)
        if "fFeEgGaA".utf8.contains(letter) {
            switch argument {
            case .constant(.double(let number)): return .double(number)
            case .constant(.decimal(let number)): return .decimal(number)
            case .constant(.int(let number)): return .double(Double(number))
            default: throw misfit(start, "a number", argument)
            }
        }
        switch (letter | 0x20, argument) {
        case (UInt8(ascii: "s"), .constant(.string(let text))): return .string(text)
        case (UInt8(ascii: "s"), _): throw misfit(start, "a text", argument)
        case (UInt8(ascii: "c"), .constant(.string(let text))) where text.count == 1: return .string(text)
        case (_, .constant(.int(let number))): return .int(number)
        case (_, .constant(.bool(let flag))): return .int(flag ? 1 : 0)
        // An unsigned integer beyond the signed range.
        case (_, .constant(.decimal(let number))) where number > 0 && number.exponent >= 0: return .decimal(number)
        default: throw misfit(start, "an integer", argument)
        }
    }

    private func misfit(_ start: Int, _ expected: String, _ argument: QueryExpression) -> FormatFailure {
        let placeholder = scanner.text(start..<scanner.position)
        return FormatFailure(start, expected: "\(expected) as argument of \(placeholder)", found: argument.kind)
    }
}

extension QueryExpression {
    /// The kind of a constant, for errors.
    fileprivate var kind: String {
        guard case .constant(let value) = self else { return "an expression" }
        return switch value {
        case .null: "nil"
        case .bool: "a truth value"
        case .int: "an integer"
        case .double, .decimal: "a number with a fraction"
        case .string: "a text"
        case .date: "a date"
        case .data: "data"
        case .uuid: "a UUID"
        case .url: "a URL"
        case .objectID: "an object"
        case .list: "a list"
        }
    }
}
