/// A statement for a plan, and what it leaves to the core.
public struct CompiledPlan<Dialect: SQLDialect> {
    /// The kind of the statement's results.
    public enum Output {
        /// Rows, with the columns that the store selects.
        case rows
        /// References, with the numbers of their entities.
        case references
        /// The number of rows.
        case count
        /// Groups: the statement is the source that ``GroupColumns/statement(_:)`` selects from.
        case groups(Dialect.Groups)
        /// Tuples of values.
        case values(Dialect.Values)
    }

    /// The statement.
    public let sql: SQLText<Dialect>
    /// The kind of its results.
    public let output: Output
    /// The part of the plan that the core applies to the results.
    public let remainder: Remainder
    /// The conditions that the statement decides.
    public let decided: [ResolvedPredicate]
    /// The conditions that it leaves to the core.
    public let remaining: [ResolvedPredicate]
    /// Whether the statement has an order; without one, rows are sorted by reference afterwards.
    public let isOrdered: Bool
    /// Whether the statement may fail where the core would go on.
    public let mayFail: Bool

    /// Whether nothing is left to the core.
    public var isWhole: Bool { remaining.isEmpty && !remainder.needsSort && !remainder.needsSlice }

    /// Adds to an explanation of a plan what the statement does of it.
    public func explain(_ plan: FetchPlan, in explanation: inout PlanExplanation) {
        explanation.decided = decided.map(\.description)
        explanation.remaining = remaining.map(\.description)
        explanation.isSorted = !remainder.needsSort
        explanation.isSliced = !remainder.needsSlice
        switch (plan.result, output) {
        case (.rows, _), (.references, .references), (.count, .count), (.groups, .groups), (.values, .values): explanation.isComputed = true
        default: break
        }
    }
}
