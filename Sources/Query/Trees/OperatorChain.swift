/// Operands with operators of one precedence between them, taken from the left: `a + b - c`.
///
/// However long, it is one level of a tree. A chain of one operator is that function of all operands. Of a mixed one the function is the sum
/// or the product, and an operand that another operator joins is that operator's function of one argument: `a + b - c` is
/// `add(a, b, subtract(c))`.
package struct OperatorChain {
    /// The operand that no operator stands before.
    package let first: QueryExpression
    /// The operands behind the first, each with the operator before it.
    package private(set) var links: [(function: QueryFunction, operand: QueryExpression)] = []

    /// Creates a chain of one operand.
    package init(_ first: QueryExpression) { self.first = first }

    /// Creates the chain that a function of some arguments is, `nil` for any other function.
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
        // What is no mixture has another form.
        if isMixed || links.allSatisfy({ $0.function == function }) { return }
        links = arguments.dropFirst().map { (function, $0) }
    }

    /// Puts an operand behind the others.
    package mutating func append(_ function: QueryFunction, _ operand: QueryExpression) { links.append((function, operand)) }

    /// Whether the chain is more than one function of its operands.
    package var isMixed: Bool {
        guard links.count > 1, let function = links.first?.function else { return false }
        return !function.isChained || links.contains { $0.function != function }
    }

    /// The chain as a tree.
    package var expression: QueryExpression {
        guard let function = links.first?.function, let whole = function.chain else { return first }
        if !isMixed { return .function(function, [first] + links.map(\.operand)) }
        return .function(whole, [first] + links.map { $0.function == whole ? $0.operand : .function($0.function, [$0.operand]) })
    }
}

extension QueryFunction {
    /// The function that a chain with this operator is when it is mixed, `nil` for what is no operator.
    package var chain: QueryFunction? {
        switch self {
        case .add, .subtract: .add
        case .multiply, .divide, .modulus: .multiply
        case .raise: .raise
        default: nil
        }
    }

    /// Returns whether the operator joins operands to a mixed chain, in which its own are marked by it.
    package func joins(_ chain: QueryFunction) -> Bool { self != chain && self.chain == chain }
}

extension QueryExpression {
    /// Two values joined by an operator of arithmetic: one chain with those that operators of the same precedence joined on the left.
    public static func chain(_ left: QueryExpression, _ function: QueryFunction, _ right: QueryExpression) -> QueryExpression {
        guard case .function(let leftFunction, let operands) = left, let whole = function.chain, leftFunction.chain == whole,
            var chain = OperatorChain(leftFunction, operands)
        else { return .function(function, [left, right]) }
        chain.append(function, right)
        return chain.expression
    }
}
