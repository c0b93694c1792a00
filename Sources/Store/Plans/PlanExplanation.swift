/// What one store does of a plan, and what it leaves to the core.
public struct PlanExplanation: Sendable, Hashable {
    /// How the store finds the rows to look at.
    public enum Access: Sendable, Hashable {
        /// It reads every row of the entity's tree.
        case scan
        /// It follows an index, named as the model or the store names it.
        case index(String)
        /// It looks up references.
        case references
        /// It reads nothing: the conditions contradict each other.
        case nothing
    }

    /// How the store finds the rows; several where it combines them.
    public var access: [Access]
    /// The conditions that the store decides, as text.
    public var decided: [String]
    /// Those of the decided conditions that the store tests row by row, because no index answers them.
    public var tested: [String]
    /// The conditions that the core tests over the store's rows, as text.
    public var remaining: [String]
    /// Whether the store sorts, where the plan asks for an order.
    public var isSorted: Bool
    /// Whether the store applies limit and offset, where the plan has them.
    public var isSliced: Bool
    /// Whether the store groups, counts or computes the values, where the plan asks for it.
    public var isComputed: Bool
    /// Whether the store answers no groups but those that meet the plan's condition on groups.
    public var testsGroups = false
    /// How many rows of the entity were read to answer the plan.
    public var rowsRead: Int
    /// Whether a server answered that follows the store's own one.
    public var isOfReplica = false
    /// The statement that the store runs, for a store that has any, with placeholders instead of values.
    public var statement: String?
    /// The statement with its values, which other tools take that open the store's file; `nil` where it calls functions that only the store has.
    ///
    /// Unlike the rest of an explanation it holds what was asked for, and is no part of its description.
    public var literalStatement: String?
    /// How the database below the store runs the statement, in its own words, a line each; empty where there is none.
    ///
    /// Like ``literalStatement`` it may hold what was asked for, and is no part of the explanation's description.
    public var statementPlan: [String] = []

    /// Creates an explanation; by default of a store that lists its rows and leaves everything else to the core.
    public init(access: [Access] = [.scan], rowsRead: Int) {
        self.access = access
        decided = []
        tested = []
        remaining = []
        isSorted = false
        isSliced = false
        isComputed = false
        self.rowsRead = rowsRead
    }
}
