import StrataModel

extension FormatParser {
    /// Reads a call: `name(…)`, `name:(…)`, `name:name:(…)`.
    mutating func function() throws(FormatFailure) -> QueryExpression {
        let start = scanner.position
        var end = scanner.endOfName(from: start)
        while scanner.bytes[end] == UInt8(ascii: ":") { end = scanner.endOfName(from: end + 1) }
        guard let function = QueryFunction(selector: scanner.text(start..<end)) else {
            throw FormatFailure(start, expected: "a function of the language (others are called by FUNCTION(target, \"name\"))")
        }
        scanner.position = end
        try scanner.expect("(")
        let arguments = try values(to: ")")
        return try call(function, arguments, at: start)
    }

    private func call(
        _ function: QueryFunction, _ arguments: [QueryExpression], at start: Int
    ) throws(FormatFailure) -> QueryExpression {
        if let count = function.argumentCount, count != arguments.count {
            throw FormatFailure(
                start, expected: count == 1 ? "1 argument for \(function.rawValue)" : "\(count) arguments for \(function.rawValue)",
                found: String(arguments.count))
        }
        return .calling(function, arguments, model)
    }

    /// Reads what stands behind a word of the language and an opening parenthesis.
    mutating func form(_ keyword: FormatKeyword) throws(FormatFailure) -> QueryExpression {
        switch keyword {
        case .subquery: return try subquery()
        case .ternary: return try conditional()
        case .fetch: return try fetch()
        case .cast:
            let start = scanner.position
            return try call(.cast, try values(to: ")"), at: start)
        default: return try customFunction()
        }
    }

    private mutating func subquery() throws(FormatFailure) -> QueryExpression {
        let collection = try value()
        let collectionHeight = height
        try scanner.expect(",")
        let variable = try variableName()
        try scanner.expect(",")
        let condition = try condition()
        guard scanner.pass(")") else { throw scanner.failure("AND, OR or \")\"") }
        try raiseHeight(above: collectionHeight)
        return .subquery(collection, variable: variable, condition)
    }

    private mutating func conditional() throws(FormatFailure) -> QueryExpression {
        let condition = try condition()
        var highest = height
        try scanner.expect(",")
        let first = try value()
        highest = max(highest, height)
        try scanner.expect(",")
        let second = try value()
        try scanner.expect(")")
        try raiseHeight(above: highest)
        return .conditional(condition, first, second)
    }

    /// Reads `FUNCTION(target, "selector", …)`; a selector of the language names its function.
    private mutating func customFunction() throws(FormatFailure) -> QueryExpression {
        let start = scanner.position
        let arguments = try values(to: ")")
        guard arguments.count >= 2, case .constant(.string(let selector)) = arguments[1] else {
            throw FormatFailure(start, expected: "a target, the selector of a function as a text, and its arguments")
        }
        let rest = arguments.dropFirst(2)
        if let function = QueryFunction(selector: selector) { return try call(function, [arguments[0]] + rest, at: start) }
        return .custom(arguments[0], selector, Array(rest))
    }

    /// Reads `FETCH("Entity", "condition", countOnly)`; the condition may be missing or nil.
    private mutating func fetch() throws(FormatFailure) -> QueryExpression {
        let start = scanner.position
        let entity = try value()
        guard case .constant(.string(let name)) = entity else { throw FormatFailure(start, expected: "the name of an entity as a text") }
        var fetch = QueryFetch(name)
        var highest = 1
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
        try raiseHeight(above: highest)
        return .fetch(fetch)
    }

    /// Parses a condition that is a text within the text.
    private mutating func condition(within format: String, at start: Int) throws(FormatFailure) -> QueryPredicate {
        var parser = FormatParser(format, [], model, depth: depthWithin)
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
