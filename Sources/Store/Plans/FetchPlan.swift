public import StrataEvaluation
public import StrataModel
import StrataQuery

/// What to fetch from a store: a fetch request after it was checked against the model.
public struct FetchPlan: Sendable {
    /// What the answer consists of.
    public enum Result: Sendable {
        /// Whole rows, in order.
        case rows
        /// References, without the rows.
        case references
        /// The number of objects, after limit and offset.
        case count
        /// Groups with aggregates; limit and offset are left to the coordinator.
        case groups(GroupPlan)
        /// A tuple of values for each object; limit and offset apply after equal tuples have become one.
        case values(ValuePlan)
    }

    /// The entity whose objects are asked for.
    public var entity: EntityDescription
    /// Whether objects of sub-entities count.
    public var includesSubentities = true
    /// The condition, `nil` for all objects.
    public var predicate: ResolvedPredicate?
    /// The order, by reference where it is empty or leaves ties.
    public var sort: [ResolvedSort] = []
    /// The greatest number of results, `nil` for all.
    public var limit: Int?
    /// How many results to pass over first.
    public var offset = 0
    /// What the answer consists of.
    public var result: Result
    /// Whether the core does everything but list the rows: for tests, and to compare.
    public var isEvaluatedInCore = false

    /// Creates a plan that answers all objects of an entity.
    public init(_ entity: EntityDescription, _ result: Result = .rows) {
        self.entity = entity
        self.result = result
    }

    /// The indexes of the entities whose objects count.
    public var entities: Range<EntityIndex> { entity.entities(includingSubentities: includesSubentities) }
}

/// Names a row: its entity and its reference.
public struct ObjectReference: Sendable, Hashable {
    /// The index, in the model, of the object's own entity.
    public let entity: EntityIndex
    /// The reference within the entity's tree.
    public let reference: Int64

    /// Creates the name of a row by its own entity, not that of its tree.
    @inlinable
    public init(entity: EntityIndex, reference: Int64) {
        self.entity = entity
        self.reference = reference
    }
}

/// What a store left undone of a plan.
public struct Remainder: Sendable {
    /// The condition that the rows still have to meet.
    public var predicate: ResolvedPredicate?
    /// Whether the rows are still to be sorted.
    public var needsSort: Bool
    /// Whether offset and limit are still to be applied.
    public var needsSlice: Bool

    /// What is left of a plan; nothing, by default.
    public init(predicate: ResolvedPredicate? = nil, needsSort: Bool = false, needsSlice: Bool = false) {
        self.predicate = predicate
        self.needsSort = needsSort
        self.needsSlice = needsSlice
    }

    /// What is left of a plan that the store answered whole.
    public static let nothing = Remainder()
}
