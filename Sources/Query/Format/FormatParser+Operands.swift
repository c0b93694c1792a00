import StrataModel

extension FormatParser {
    /// Reads an operand with its prefix and postfix operators.
    mutating func operand(above minimum: FormatPrecedence) throws(FormatFailure) -> Node {
        let node = try prefix(minimum)
        return isPostfixNext ? try postfix(node) : node
    }

    private var isPostfixNext: Bool {
        scanner.next == UInt8(ascii: ".") || scanner.bytes[scanner.skippingSpace(from: scanner.position)] == UInt8(ascii: "[")
    }

    // The functions that call each other for every level of nesting do little themselves, so that their frames are
    // small.
    private mutating func prefix(_ minimum: FormatPrecedence) throws(FormatFailure) -> Node {
        height = 1
        switch scanner.next {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), 0x80...:
            return try word(minimum)
        case UInt8(ascii: "("): return try group()
        case UInt8(ascii: "!"): return try negation(1)
        case UInt8(ascii: "-"): return try minus()
        case UInt8(ascii: "{"): return try list()
        case UInt8(ascii: "$"): return try variable()
        default: return try leaf(minimum)
        }
    }

    /// Reads an operand without parts.
    private mutating func leaf(_ minimum: FormatPrecedence) throws(FormatFailure) -> Node {
        switch scanner.next {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .value(.constant(.string(try scanner.string())))
        case UInt8(ascii: "%"): return .value(try placeholder())
        case UInt8(ascii: "@"), UInt8(ascii: "#"): return try keyPathNode()
        default:
            guard scanner.isNumber(at: scanner.position) else { throw missing(minimum) }
            return .value(.constant(try scanner.number(isNegative: false)))
        }
    }

    private func missing(_ minimum: FormatPrecedence) -> FormatFailure {
        scanner.failure(minimum > .not ? "a value" : "a condition")
    }

    private mutating func group() throws(FormatFailure) -> Node {
        scanner.position += 1
        let node = try node(above: .or)
        try expectEnd(of: node)
        return node
    }

    private mutating func expectEnd(of group: Node) throws(FormatFailure) {
        if scanner.pass(")") { return }
        switch group {
        case .condition: throw scanner.failure("AND, OR or \")\"")
        case .value: throw scanner.failure("an operator or \")\"")
        }
    }

    private mutating func list() throws(FormatFailure) -> Node {
        scanner.position += 1
        let list = QueryExpression.listing(try values(to: "}"))
        // An empty list prints as two levels, too.
        height = max(height, 2)
        return .value(list)
    }

    private mutating func negation(_ length: Int) throws(FormatFailure) -> Node {
        scanner.position += length
        let condition = try condition(above: .not)
        try raiseHeight()
        return .condition(.not(condition))
    }

    /// Reads the rest of a minus sign, which is part of a number.
    private mutating func minus() throws(FormatFailure) -> Node {
        scanner.position += 1
        scanner.skipSpace()
        if scanner.isNumber(at: scanner.position) { return .value(.constant(try scanner.number(isNegative: true))) }
        let value = try value(above: .unary)
        try raiseHeight()
        return .value(.function(.negate, [value]))
    }

    /// Reads a word of the language, a function or a key path.
    private mutating func word(_ minimum: FormatPrecedence) throws(FormatFailure) -> Node {
        switch try keyword(minimum) {
        case .not: return try negation(3)
        case .any: return try quantified(.any, 3)
        case .someOf: return try quantified(.any, 4)
        case .all: return try quantified(.all, 3)
        case .noneOf: return try negatedAny()
        case .subquery: return try subquery()
        case .ternary: return try conditional()
        case .function: return try customFunction()
        case .cast: return try cast()
        case .fetch: return try fetch()
        case let constant?: return constantNode(constant)
        case nil: return try isFunction ? function() : keyPathNode()
        }
    }

    /// Returns the word of the language at the position, skipped where a parenthesis has to follow; `nil` for a name.
    private mutating func keyword(_ minimum: FormatPrecedence) throws(FormatFailure) -> FormatKeyword? {
        guard let (keyword, end) = scanner.keyword(at: scanner.position) else { return nil }
        switch keyword {
        case .subquery, .fetch, .cast, .ternary, .function:
            let parenthesis = scanner.skippingSpace(from: end)
            guard scanner.bytes[parenthesis] == UInt8(ascii: "(") else { return nil }
            scanner.position = parenthesis + 1
        case .first, .last, .size, .union, .intersect, .minus, .caseInsensitive, .ci: return nil
        case .and, .or, .isIn, .between, .contains, .beginsWith, .endsWith, .like, .matches: throw missing(minimum)
        default: break
        }
        return keyword
    }

    private var isFunction: Bool {
        let end = scanner.endOfName(from: scanner.position)
        if scanner.bytes[end] == UInt8(ascii: ":") { return scanner.bytes[end + 1] != UInt8(ascii: "=") }
        return scanner.bytes[scanner.skippingSpace(from: end)] == UInt8(ascii: "(")
    }

    private mutating func keyPathNode() throws(FormatFailure) -> Node { .value(.keyPath(try keyPath())) }

    private mutating func constantNode(_ keyword: FormatKeyword) -> Node {
        scanner.position += keyword.rawValue.utf8.count
        return switch keyword {
        case .truePredicate: .condition(.constant(true))
        case .falsePredicate: .condition(.constant(false))
        case .true, .yes: .value(.constant(.bool(true)))
        case .false, .no: .value(.constant(.bool(false)))
        case .this: .value(.evaluatedObject)
        case .anyKey: .value(.anyKey)
        default: .value(.constant(.null))
        }
    }

    /// Reads ANY or ALL, and the comparison behind it.
    private mutating func quantified(_ modifier: QueryComparison.Modifier, _ length: Int) throws(FormatFailure) -> Node {
        scanner.position += length
        let left = try value()
        return .condition(try comparison(left, try comparisonOperator(), modifier))
    }

    private mutating func negatedAny() throws(FormatFailure) -> Node {
        guard case .condition(let condition) = try quantified(.any, 4) else { throw missing(.or) }
        try raiseHeight()
        return .condition(.not(condition))
    }

    private mutating func comparisonOperator() throws(FormatFailure) -> QueryComparison.Operator {
        guard let infix = try infix(), case .comparison(let op) = infix.kind else { throw scanner.failure(FormatParser.operators) }
        scanner.position += infix.length
        return op
    }

    /// Reads `$name` or `$name := value`.
    private mutating func variable() throws(FormatFailure) -> Node {
        let name = try variableName()
        let assignment = scanner.skippingSpace(from: scanner.position)
        guard scanner.bytes[assignment] == UInt8(ascii: ":"), scanner.bytes[assignment + 1] == UInt8(ascii: "=") else {
            return .value(.variable(name))
        }
        scanner.position = assignment + 2
        let value = try value()
        try raiseHeight()
        return .value(.assignment(name, value))
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

    /// Reads values separated by commas, and the sign that ends them.
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
