/// The parts of a plan that one store does, and that it leaves to the core.
public struct PlanExplanation: Sendable, Hashable {
    /// The store's access path to the rows.
    public enum Access: Sendable, Hashable {
        /// It reads every row of the hierarchy.
        case scan
        /// It searches an index, named as in the model or the store.
        case index(String)
        /// It looks up references.
        case references
        /// It reads nothing: the conditions contradict each other.
        case nothing
    }

    /// The access paths; several where the store combines them.
    public var access: [Access]
    /// The conditions that the store tests, as text.
    public var decided: [String] = []
    /// Those of the tested conditions that no index answers.
    public var tested: [String] = []
    /// The conditions that the core tests over the store's rows, as text.
    public var remaining: [String] = []
    /// Whether the store sorts, where the plan asks for an order.
    public var isSorted = false
    /// Whether the store applies limit and offset, where the plan has them.
    public var isSliced = false
    /// Whether the store groups, counts or computes the values, where the plan asks for it.
    public var isComputed = false
    /// Whether the store tests the plan's condition on groups.
    public var testsGroups = false
    /// The number of rows read.
    public var rowsRead: Int
    /// Whether a replica answered.
    public var isOfReplica = false
    /// The statement that the store runs, for a store that has any, with placeholders instead of values.
    public var statement: String?
    /// The statement with its values, for other tools on the store's file; `nil` where it calls the store's own
    /// functions.
    ///
    /// Unlike the rest of an explanation it contains the query's values, and is no part of its description.
    public var literalStatement: String?
    /// The database's own plan of the statement, by lines; empty where there is none.
    ///
    /// Like ``literalStatement`` it may contain values, and is no part of the explanation's description.
    public var statementPlan: [String] = []

    /// Creates an explanation; by default of a store that lists its rows and leaves everything else to the core.
    public init(access: [Access] = [.scan], rowsRead: Int) {
        self.access = access
        self.rowsRead = rowsRead
    }
}
