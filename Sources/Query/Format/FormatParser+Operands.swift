import StrataModel

extension FormatParser {
    /// Reads an operand: what stands before, between and behind operators.
    mutating func operand(above minimum: FormatPrecedence) throws(FormatFailure) -> Node {
        let node = try prefix(minimum)
        guard case .value(let value) = node, scanner.next == UInt8(ascii: ".") || isBracketNext else { return node }
        return .value(try postfix(value))
    }

    private var isBracketNext: Bool { scanner.bytes[scanner.skippingSpace(from: scanner.position)] == UInt8(ascii: "[") }

    private mutating func prefix(_ minimum: FormatPrecedence) throws(FormatFailure) -> Node {
        height = 1
        switch scanner.next {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), 0x80...:
            return try word(minimum)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .value(.constant(.string(try scanner.string())))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return .value(.constant(try scanner.number(isNegative: false)))
        case UInt8(ascii: "."):
            guard scanner.isNumber(at: scanner.position) else { break }
            return .value(.constant(try scanner.number(isNegative: false)))
        case UInt8(ascii: "%"): return .value(try placeholder())
        case UInt8(ascii: "("):
            scanner.position += 1
            let node = try node(above: .or)
            try expectEnd(of: node)
            return node
        case UInt8(ascii: "!"):
            scanner.position += 1
            return try negation()
        case UInt8(ascii: "-"): return .value(try minus())
        case UInt8(ascii: "{"):
            scanner.position += 1
            return .value(.listing(try values(to: "}")))
        case UInt8(ascii: "$"): return .value(try variable())
        case UInt8(ascii: "@"), UInt8(ascii: "#"): return .value(.keyPath(try keyPath()))
        default: break
        }
        throw missing(minimum)
    }

    private func missing(_ minimum: FormatPrecedence) -> FormatFailure {
        scanner.failure(minimum > .not ? "a value" : "a condition")
    }

    private mutating func expectEnd(of group: Node) throws(FormatFailure) {
        if scanner.pass(")") { return }
        switch group {
        case .condition: throw scanner.failure("AND, OR or \")\"")
        case .value: throw scanner.failure("an operator or \")\"")
        }
    }

    private mutating func negation() throws(FormatFailure) -> Node {
        let condition = try condition(above: .not)
        try raiseHeight()
        return .condition(.not(condition))
    }

    /// Reads what a minus sign stands before; of a number it is a part.
    private mutating func minus() throws(FormatFailure) -> QueryExpression {
        scanner.position += 1
        scanner.skipSpace()
        if scanner.isNumber(at: scanner.position) { return .constant(try scanner.number(isNegative: true)) }
        let value = try value(above: .unary)
        try raiseHeight()
        return .function(.negate, [value])
    }

    /// Reads what begins with a letter: a word of the language, a function or a key path.
    private mutating func word(_ minimum: FormatPrecedence) throws(FormatFailure) -> Node {
        let start = scanner.position
        let end = scanner.endOfName(from: start)
        if let keyword = FormatKeyword(scanner.bytes[start..<end]), let node = try self.keyword(keyword, end, minimum) { return node }
        let following = scanner.bytes[scanner.skippingSpace(from: end)]
        if following == UInt8(ascii: "(") || (scanner.bytes[end] == UInt8(ascii: ":") && scanner.bytes[end + 1] != UInt8(ascii: "=")) {
            return .value(try function())
        }
        return .value(.keyPath(try keyPath()))
    }

    /// Reads what a word begins; `nil` where the word is a name there.
    private mutating func keyword(
        _ keyword: FormatKeyword, _ end: Int, _ minimum: FormatPrecedence
    ) throws(FormatFailure) -> Node? {
        switch keyword {
        case .subquery, .fetch, .cast, .ternary, .function:
            guard scanner.bytes[scanner.skippingSpace(from: end)] == UInt8(ascii: "(") else { return nil }
            scanner.position = end
            try scanner.expect("(")
            return .value(try form(keyword))
        case .first, .last, .size, .union, .intersect, .minus, .caseInsensitive, .ci: return nil
        case .and, .or, .isIn, .between, .contains, .beginsWith, .endsWith, .like, .matches:
            throw missing(minimum)
        default: scanner.position = end
        }
        switch keyword {
        case .not: return try negation()
        case .any, .some: return .condition(.comparison(try quantified(.any)))
        case .all: return .condition(.comparison(try quantified(.all)))
        case .none:
            let comparison = try quantified(.any)
            try raiseHeight()
            return .condition(.not(.comparison(comparison)))
        case .truePredicate: return .condition(.constant(true))
        case .falsePredicate: return .condition(.constant(false))
        case .true, .yes: return .value(.constant(.bool(true)))
        case .false, .no: return .value(.constant(.bool(false)))
        case .this: return .value(.evaluatedObject)
        case .anyKey: return .value(.anyKey)
        default: return .value(.constant(.null))
        }
    }

    /// Reads the comparison behind ANY or ALL.
    private mutating func quantified(_ modifier: QueryComparison.Modifier) throws(FormatFailure) -> QueryComparison {
        let left = try value()
        guard case (.comparison(let op), let length)? = try infix() else { throw scanner.failure(FormatParser.operators) }
        scanner.position += length
        return try comparison(left, op, modifier)
    }

    /// Reads `$name` or `$name := value`.
    private mutating func variable() throws(FormatFailure) -> QueryExpression {
        let name = try variableName()
        let assignment = scanner.skippingSpace(from: scanner.position)
        guard scanner.bytes[assignment] == UInt8(ascii: ":"), scanner.bytes[assignment + 1] == UInt8(ascii: "=") else {
            return .variable(name)
        }
        scanner.position = assignment + 2
        let value = try value()
        try raiseHeight()
        return .assignment(name, value)
    }

    /// Reads `$name`.
    mutating func variableName() throws(FormatFailure) -> String {
        scanner.skipSpace()
        guard scanner.next == UInt8(ascii: "$") else { throw scanner.failure("a variable such as $x") }
        scanner.position += 1
        if scanner.next == UInt8(ascii: "#") { return try escapedName() }
        let start = scanner.position
        scanner.position = scanner.endOfName(from: start)
        guard scanner.position > start else { throw scanner.failure("the name of a variable") }
        return scanner.text(start..<scanner.position)
    }

    /// Reads values with commas between them, and the sign that ends them.
    mutating func values(to end: Unicode.Scalar) throws(FormatFailure) -> [QueryExpression] {
        var values: [QueryExpression] = []
        var highest = 0
        if !scanner.pass(end) {
            repeat {
                values.append(try value())
                highest = max(highest, height)
                if scanner.pass(end) { break }
                guard scanner.pass(",") else { throw scanner.failure("\",\" or \"\(end)\"") }
            } while true
        }
        height = highest
        try raiseHeight()
        return values
    }
}
