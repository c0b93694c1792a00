import StrataModel
import StrataText

extension FormatParser {
    /// Reads a call: `name(…)`, `name:(…)`, `name:name:(…)`.
    mutating func function() throws(FormatFailure) -> Node {
        let start = scanner.position
        let function = try functionName()
        return .value(try call(function, try values(to: ")"), at: start))
    }

    private mutating func functionName() throws(FormatFailure) -> QueryFunction {
        let start = scanner.position
        var end = scanner.endOfName(from: start)
        while scanner.bytes[end] == UInt8(ascii: ":") { end = scanner.endOfName(from: end + 1) }
        guard let function = QueryFunction(selector: scanner.text(start..<end)) else {
            throw FormatFailure(start, expected: "a function of the language (others are called by FUNCTION(target, \"name\"))")
        }
        scanner.position = end
        try scanner.expect("(")
        return function
    }

    private mutating func call(
        _ function: QueryFunction, _ arguments: [QueryExpression], at start: Int
    ) throws(FormatFailure) -> QueryExpression {
        if let count = function.argumentCount, !function.takes(arguments.count) {
            throw FormatFailure(start, expected: "\(count.counted("argument")) for \(function.rawValue)", found: String(arguments.count))
        }
        if function.datePart != nil, case .constant(.string(let zone)) = arguments[1], ZoneRules.named(zone) == nil {
            throw FormatFailure(start, expected: "a time zone of the system's", found: "\"\(zone)\"")
        }
        let call = QueryExpression.calling(function, arguments, model)
        if case .constant = call { height = 1 }
        return call
    }

    /// Reads the rest of `CAST(`.
    mutating func cast() throws(FormatFailure) -> Node {
        let start = scanner.position
        return .value(try call(.cast, try values(to: ")"), at: start))
    }

    /// Reads the rest of `SUBQUERY(`.
    mutating func subquery() throws(FormatFailure) -> Node {
        let collection = try value()
        let collectionHeight = height
        try scanner.expect(",")
        let variable = try variableName()
        try scanner.expect(",")
        let condition = try condition()
        guard scanner.pass(")") else { throw scanner.failure("AND, OR or \")\"") }
        try raiseHeight(above: collectionHeight)
        return .value(.subquery(collection, variable: variable, condition))
    }

    /// Reads the rest of `TERNARY(`.
    mutating func conditional() throws(FormatFailure) -> Node {
        let condition = try condition()
        var highest = height
        try scanner.expect(",")
        let first = try value()
        highest = max(highest, height)
        try scanner.expect(",")
        let second = try value()
        try scanner.expect(")")
        try raiseHeight(above: highest)
        return .value(.conditional(condition, first, second))
    }

    /// Reads the rest of `FUNCTION(`: a target, a selector, arguments.
    mutating func customFunction() throws(FormatFailure) -> Node {
        let start = scanner.position
        return .value(try custom(try values(to: ")"), at: start))
    }

    /// Returns the call of a program's function, or of the language's own.
    private mutating func custom(_ arguments: [QueryExpression], at start: Int) throws(FormatFailure) -> QueryExpression {
        guard arguments.count >= 2, case .constant(.string(let selector)) = arguments[1] else {
            throw FormatFailure(start, expected: "a target, the selector of a function as a text, and its arguments")
        }
        let rest = arguments.dropFirst(2)
        if let function = QueryFunction(selector: selector) { return try call(function, [arguments[0]] + rest, at: start) }
        return .custom(arguments[0], selector, Array(rest))
    }

    /// Reads the rest of `FETCH(`: an entity, a condition or nil, whether to count.
    mutating func fetch() throws(FormatFailure) -> Node {
        let start = scanner.position
        let entity = try value()
        guard case .constant(.string(let name)) = entity else { throw FormatFailure(start, expected: "the name of an entity as a text") }
        var fetch = QueryFetch(name)
        var highest = 0
        if scanner.pass(",") {
            scanner.skipSpace()
            let start = scanner.position
            switch try value() {
            case .constant(.string(let format)):
                fetch.predicate = try condition(within: format, at: start)
                highest = height
            case .constant(.null): break
            default: throw FormatFailure(start, expected: "a condition as a text, or nil")
            }
        }
        if scanner.pass(",") {
            scanner.skipSpace()
            let start = scanner.position
            switch try value() {
            case .constant(.bool(let flag)): fetch.countOnly = flag
            case .constant(.int(let flag)) where flag == 0 || flag == 1: fetch.countOnly = flag == 1
            default: throw FormatFailure(start, expected: "YES or NO")
            }
        }
        try scanner.expect(")")
        height = highest
        try raiseHeight()
        return .value(.fetch(fetch))
    }

    /// Parses a quoted condition within the text.
    private mutating func condition(within format: String, at start: Int) throws(FormatFailure) -> QueryPredicate {
        var parser = FormatParser(format, [], model, depth: depth)
        do {
            let condition = try parser.wholeCondition()
            height = parser.height
            return condition
        } catch {
            let inner = QueryFormatError(format: format, utf8Offset: error.offset, expected: error.expected, found: error.found)
            throw FormatFailure(start, expected: "a condition within the text", found: "at its \(inner)")
        }
    }
}
