import StrataModel
import StrataText

/// A parser of the format language: precedence climbing over the bytes, conditions and values alike.
///
/// Both share one grammar because `(` may open either; the operand's kind is known once it is read.
struct FormatParser {
    enum Node {
        case condition(QueryPredicate)
        case value(QueryExpression)
    }

    /// The greatest depth of a text: twice that of a tree, as each level may be in parentheses.
    private static let greatestDepth = 2 * QueryPredicate.greatestDepth

    var scanner: FormatScanner
    let arguments: [(any QueryArgument)?]
    let model: ManagedObjectModel?
    var usedArguments = 0
    /// The depth of the part that is being read.
    private(set) var depth: Int
    /// The height of the tree that was read last.
    var height = 0

    init(_ format: String, _ arguments: [(any QueryArgument)?], _ model: ManagedObjectModel?, depth: Int = 0) {
        scanner = FormatScanner(format)
        self.arguments = arguments
        self.model = model
        self.depth = depth
    }

    mutating func wholeCondition() throws(FormatFailure) -> QueryPredicate {
        let condition = try self.condition()
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw scanner.failure("AND, OR or the end") }
        return condition
    }

    mutating func wholeValue() throws(FormatFailure) -> QueryExpression {
        let value = try value()
        scanner.skipSpace()
        guard scanner.isAtEnd else { throw scanner.failure("an operator of arithmetic or the end") }
        return value
    }

    mutating func condition(above minimum: FormatPrecedence = .or) throws(FormatFailure) -> QueryPredicate {
        let node = try self.node(above: minimum)
        guard case .condition(let condition) = node else {
            scanner.skipSpace()
            throw scanner.failure(FormatParser.operators)
        }
        return condition
    }

    mutating func value(above minimum: FormatPrecedence = .combined) throws(FormatFailure) -> QueryExpression {
        scanner.skipSpace()
        let start = scanner.position
        guard case .value(let value) = try node(above: minimum) else {
            throw FormatFailure(start, expected: "a value", found: "a condition")
        }
        return value
    }

    /// Reads operands joined by operators with at least a minimum of precedence.
    mutating func node(above minimum: FormatPrecedence) throws(FormatFailure) -> Node {
        depth += 1
        defer { depth -= 1 }
        if depth > FormatParser.greatestDepth { throw tooDeep }
        scanner.skipSpace()
        var left = try operand(above: minimum)
        while let infix = try infix(above: minimum) { left = try join(left, infix) }
        return left
    }

    /// Reads what follows a left operand: an operator and its right operand, of a chain of one operator all that
    /// follow.
    private mutating func join(_ left: Node, _ infix: FormatInfix) throws(FormatFailure) -> Node {
        switch left {
        case .condition(let left): return .condition(try join(left, infix))
        case .value(let left):
            if case .comparison(let op) = infix.kind {
                scanner.position += infix.length
                return .condition(try comparison(left, op, .direct))
            }
            return .value(try join(left, infix))
        }
    }

    private mutating func join(_ left: QueryPredicate, _ infix: FormatInfix) throws(FormatFailure) -> QueryPredicate {
        switch infix.kind {
        case .and: return .and(try conditions(from: left, joinedBy: infix))
        case .or: return .or(try conditions(from: left, joinedBy: infix))
        default: throw scanner.failure("AND, OR or the end of the condition")
        }
    }

    private mutating func join(_ left: QueryExpression, _ infix: FormatInfix) throws(FormatFailure) -> QueryExpression {
        switch infix.kind {
        case .arithmetic(let function): return try chain(left, function, infix)
        case .combination(let operation): return .combined(operation, left, try rightSide(of: infix))
        case .bits(let function): return .function(function, [left, try rightSide(of: infix)])
        case .or, .and, .comparison: throw scanner.failure(FormatParser.operators)
        }
    }

    /// Reads what follows a binary operator.
    private mutating func rightSide(of infix: FormatInfix) throws(FormatFailure) -> QueryExpression {
        let leftHeight = height
        scanner.position += infix.length
        let right = try value(above: infix.precedence.next)
        try raiseHeight(above: leftHeight)
        return right
    }

    /// Reads what follows the first operand of a chain of operators.
    private mutating func chain(
        _ first: QueryExpression, _ function: QueryFunction, _ infix: FormatInfix
    ) throws(FormatFailure) -> QueryExpression {
        var chain = OperatorChain(first)
        // A mixed chain marks the operands of all operators but one.
        var (highest, highestMarked) = (height, 0)
        var following: (function: QueryFunction, length: Int)? = (function, infix.length)
        while let (function, length) = following {
            scanner.position += length
            chain.append(function, try value(above: infix.precedence.next))
            if function == function.chain { highest = max(highest, height) } else { highestMarked = max(highestMarked, height) }
            following = nil
            if let next = try self.infix(), next.precedence == infix.precedence, case .arithmetic(let function) = next.kind {
                following = (function, next.length)
            }
        }
        height = max(highest, chain.isMixed ? highestMarked + 1 : highestMarked)
        try raiseHeight()
        return chain.expression
    }

    private mutating func conditions(from first: QueryPredicate, joinedBy infix: FormatInfix) throws(FormatFailure) -> [QueryPredicate] {
        var parts = [first]
        var highest = height
        while let following = try self.infix(), following.kind == infix.kind {
            scanner.position += following.length
            parts.append(try condition(above: infix.precedence.next))
            highest = max(highest, height)
        }
        try raiseHeight(above: highest)
        return parts
    }

    /// Reads the options and the right side of a comparison.
    mutating func comparison(
        _ left: QueryExpression, _ op: QueryComparison.Operator, _ modifier: QueryComparison.Modifier
    ) throws(FormatFailure) -> QueryPredicate {
        let leftHeight = height
        let options = try options()
        let right = try value()
        try raiseHeight(above: leftHeight)
        return .comparison(QueryComparison(left, op, right, options, modifier: modifier))
    }

    /// Reads `[cd]`, or nothing.
    private mutating func options() throws(FormatFailure) -> QueryComparison.Options {
        var options: QueryComparison.Options = []
        while scanner.pass("[") {
            repeat {
                scanner.skipSpace()
                guard let option = QueryComparison.Options(letter: scanner.next) else {
                    throw scanner.failure("an option (c, d, n, l or s)")
                }
                options.insert(option)
                scanner.position += 1
                if scanner.pass("@") { options = try locale(options) }
            } while !scanner.pass("]")
        }
        return options
    }

    /// Reads the name of a locale, after `[l@`.
    private mutating func locale(_ options: QueryComparison.Options) throws(FormatFailure) -> QueryComparison.Options {
        let start = scanner.position
        while !scanner.isAtEnd, scanner.next != UInt8(ascii: "]") { scanner.position += 1 }
        guard scanner.position > start, let localized = options.inLocale(scanner.text(start..<scanner.position)) else {
            throw scanner.failure("the name of a locale, in a package with the trait ICU")
        }
        return localized
    }

    /// Sets the height of a tree of the last one and others, of which the greatest height is given.
    mutating func raiseHeight(above other: Int = 0) throws(FormatFailure) {
        height = max(height, other) + 1
        if height > QueryPredicate.greatestDepth { throw tooDeep }
    }

    private var tooDeep: FormatFailure {
        FormatFailure(scanner.position, expected: "at most \(QueryPredicate.greatestDepth) levels of nesting", found: "one more")
    }

    static let operators = "an operator (==, !=, <, <=, >, >=, IN, BETWEEN, CONTAINS, BEGINSWITH, ENDSWITH, LIKE, MATCHES)"
}
