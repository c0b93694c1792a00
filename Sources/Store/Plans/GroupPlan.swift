/// The keys and aggregates of groups.
public struct GroupPlan: Sendable {
    /// A function over the values of a group.
    public typealias Function = AggregateFunction

    /// A function over the values of one expression in a group.
    public struct Aggregate: Sendable {
        /// The function over the values.
        public let function: Function
        /// The values, `nil` for the objects themselves.
        public let expression: ResolvedExpression?

        /// Creates a function over an expression's values, or over the objects.
        public init(_ function: Function, _ expression: ResolvedExpression?) {
            self.function = function
            self.expression = expression
        }
    }

    /// The grouping keys; empty for one group of all.
    public var keys: [ResolvedExpression]
    /// The aggregates of each group.
    public var aggregates: [Aggregate]
    /// The condition on groups, over their keys and aggregates: a store may omit others, and the core tests all.
    public var condition: ResolvedPredicate?
    /// Whether the groups of no other store are added: then ``/StrataEvaluation/AggregatePartial/count`` may count
    /// distinct values without naming them, and the values of a median may be the middle ones alone.
    public var isWhole = false

    /// Creates a plan of keys and aggregates; one group without keys.
    public init(keys: [ResolvedExpression], aggregates: [Aggregate]) {
        self.keys = keys
        self.aggregates = aggregates
    }
}

extension GroupPlan.Aggregate: CustomStringConvertible {
    /// The function with its operand, as `sum(age)`.
    public var description: String { expression.map { "\(function.rawValue)(\($0))" } ?? "\(function.rawValue)" }
}

/// A group of objects with its aggregates; groups of several stores combine.
public struct Group: Sendable {
    /// The common values of the objects, one per key.
    public let keys: [Value]
    /// The partial aggregates.
    public var partials: [AggregatePartial]

    /// Creates a group from the values of its keys and its partial aggregates.
    public init(keys: [Value], partials: [AggregatePartial]) {
        self.keys = keys
        self.partials = partials
    }
}

/// The values to return for each object.
public struct ValuePlan: Sendable {
    /// The expressions whose values make up a tuple.
    public var columns: [ResolvedExpression]
    /// Whether equal tuples are returned once.
    public var isDistinct: Bool

    /// Creates the values to answer.
    public init(_ columns: [ResolvedExpression], isDistinct: Bool = false) {
        self.columns = columns
        self.isDistinct = isDistinct
    }
}
