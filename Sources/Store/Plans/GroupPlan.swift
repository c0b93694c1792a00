public import StrataEvaluation
import StrataModel
import StrataQuery

/// How to group objects, and what to compute over each group.
public struct GroupPlan: Sendable {
    /// A function over the values of a group.
    public typealias Function = AggregateFunction

    /// A function over the values of one expression in a group.
    public struct Aggregate: Sendable {
        /// What is computed of the values.
        public let function: Function
        /// The values, `nil` for the objects themselves.
        public let expression: ResolvedExpression?

        /// Creates a function over an expression's values; over the objects themselves without one.
        public init(_ function: Function, _ expression: ResolvedExpression?) {
            self.function = function
            self.expression = expression
        }
    }

    /// What objects of a group have in common; empty for one group of all.
    public var keys: [ResolvedExpression]
    /// What to compute over each group.
    public var aggregates: [Aggregate]
    /// What groups have to meet, over the tuples of their keys and aggregates: a store may leave out others, and the core tests what comes.
    public var condition: ResolvedPredicate?
    /// Whether the groups of no other store are added to these: ``/StrataEvaluation/AggregatePartial/count`` may then tell different values
    /// without naming them, and the values of a median may be those in the middle alone.
    public var isWhole = false

    /// Groups of equal keys, with an aggregate each; one group without keys.
    public init(keys: [ResolvedExpression], aggregates: [Aggregate]) {
        self.keys = keys
        self.aggregates = aggregates
    }
}

extension GroupPlan.Aggregate: CustomStringConvertible {
    /// The function with its operand, as `sum(age)`.
    public var description: String { expression.map { "\(function.rawValue)(\($0))" } ?? "\(function.rawValue)" }
}

/// Which values to answer of each object.
public struct ValuePlan: Sendable {
    /// The expressions whose values make up a tuple.
    public var columns: [ResolvedExpression]
    /// Whether equal tuples are answered once.
    public var isDistinct: Bool

    /// Creates the values to answer.
    public init(_ columns: [ResolvedExpression], isDistinct: Bool = false) {
        self.columns = columns
        self.isDistinct = isDistinct
    }
}
