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

    /// Returns the operator that joins this argument of a function to those before it, and the operand: in a mixed chain of operators, where the
    /// operand is marked by it, another one than the function.
    public func link(in function: QueryFunction) -> (function: QueryFunction, operand: ResolvedExpression) {
        if case .function(let other, let operand) = self, operand.count == 1, other.joins(function) { return (other, operand[0]) }
        return (function, self)
    }
}
