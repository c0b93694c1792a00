package import StrataQuery

extension ResolvedExpression {
    static func chain(
        _ first: ResolvedExpression, _ links: [(function: QueryFunction, operand: ResolvedExpression)]
    ) -> ResolvedExpression {
        guard let function = links.first?.function, let whole = function.chain else { return first }
        if links.count == 1 || function.isChained && links.allSatisfy({ $0.function == function }) {
            return .function(function, [first] + links.map(\.operand))
        }
        return .function(whole, [first] + links.map { $0.function == whole ? $0.operand : .function($0.function, [$0.operand]) })
    }

    /// Returns the operator and operand of a function's argument: in a mixed chain the operand is marked with an
    /// operator other than the function.
    package func link(in function: QueryFunction) -> (function: QueryFunction, operand: ResolvedExpression) {
        if case .function(let other, let operand) = self, operand.count == 1, other.joins(function) { return (other, operand[0]) }
        return (function, self)
    }
}
