/// Operands with operators of one precedence between them, left-associative: `a + b - c`.
///
/// However long, it is one level of a tree. A chain of one operator is that function of all operands. Of a mixed one
/// the function is the sum or the product, and an operand of another operator is that operator's function of one
/// argument: `a + b - c` is `add(a, b, subtract(c))`.
package struct OperatorChain {
    /// The first operand, without an operator.
    package let first: QueryExpression
    /// The other operands, each with the operator before it.
    package private(set) var links: [(function: QueryFunction, operand: QueryExpression)] = []

    package init(_ first: QueryExpression) { self.first = first }

    /// Creates the chain of a function call; fails for any other function.
    package init?(_ function: QueryFunction, _ arguments: [QueryExpression]) {
        guard let whole = function.chain, arguments.count >= 2, function.isChained || arguments.count == 2 else { return nil }
        first = arguments[0]
        links.reserveCapacity(arguments.count - 1)
        for argument in arguments.dropFirst() {
            if function == whole, case .function(let other, let operand) = argument, operand.count == 1, other.joins(whole) {
                links.append((other, operand[0]))
            } else {
                links.append((function, argument))
            }
        }
        // A chain without a mixture has another form.
        if isMixed || links.allSatisfy({ $0.function == function }) { return }
        links = arguments.dropFirst().map { (function, $0) }
    }

    package mutating func append(_ function: QueryFunction, _ operand: QueryExpression) { links.append((function, operand)) }

    package var isMixed: Bool {
        guard links.count > 1, let function = links.first?.function else { return false }
        return !function.isChained || links.contains { $0.function != function }
    }

    package var expression: QueryExpression {
        guard let function = links.first?.function, let whole = function.chain else { return first }
        if !isMixed { return .function(function, [first] + links.map(\.operand)) }
        return .function(whole, [first] + links.map { $0.function == whole ? $0.operand : .function($0.function, [$0.operand]) })
    }
}

extension QueryFunction {
    /// The function of a mixed chain with this operator; `nil` for other functions.
    package var chain: QueryFunction? {
        switch self {
        case .add, .subtract: .add
        case .multiply, .divide, .modulus: .multiply
        case .raise: .raise
        default: nil
        }
    }

    /// Returns whether the operator marks its operands in a mixed chain.
    package func joins(_ chain: QueryFunction) -> Bool { self != chain && self.chain == chain }
}

extension QueryExpression {
    /// Returns two values joined by an arithmetic operator: one chain with a left side of the same precedence.
    public static func chain(_ left: QueryExpression, _ function: QueryFunction, _ right: QueryExpression) -> QueryExpression {
        guard case .function(let leftFunction, let operands) = left, let whole = function.chain, leftFunction.chain == whole,
            var chain = OperatorChain(leftFunction, operands)
        else { return .function(function, [left, right]) }
        chain.append(function, right)
        return chain.expression
    }
}
