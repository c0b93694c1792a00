/// A fetch from a store: a fetch request after it was checked against the model.
public struct FetchPlan: Sendable {
    /// The kind of answer.
    public enum Result: Sendable {
        /// Whole rows, in order.
        case rows
        /// References, without the rows.
        case references
        /// The number of objects, after limit and offset.
        case count
        /// Groups with aggregates; limit and offset are left to the coordinator.
        case groups(GroupPlan)
        /// A tuple of values for each object; limit and offset apply to distinct tuples.
        case values(ValuePlan)
    }

    /// The entity of the objects.
    public var entity: EntityDescription
    /// Whether objects of sub-entities count.
    public var includesSubentities = true
    /// The condition, `nil` for all objects.
    public var predicate: ResolvedPredicate?
    /// The order, by reference where it is empty or leaves ties.
    public var sort: [ResolvedSort] = []
    /// The greatest number of results, `nil` for all.
    public var limit: Int?
    /// The number of results to skip.
    public var offset = 0
    /// The kind of answer.
    public var result: Result
    /// Whether the store only lists the rows, for tests and comparisons.
    public var isEvaluatedInCore = false

    /// Creates a plan for all objects of an entity.
    public init(_ entity: EntityDescription, _ result: Result = .rows) {
        self.entity = entity
        self.result = result
    }

    /// The indexes of the entities whose objects count.
    public var entities: Range<EntityIndex> { entity.entities(includingSubentities: includesSubentities) }
}

/// The name of a row: its entity and its reference.
public struct ObjectReference: Sendable, Hashable {
    /// The index, in the model, of the object's own entity.
    public let entity: EntityIndex
    /// The reference within the entity hierarchy.
    public let reference: Int64

    /// Creates the name of a row by its own entity, not the root of its hierarchy.
    @inlinable
    public init(entity: EntityIndex, reference: Int64) {
        self.entity = entity
        self.reference = reference
    }
}

/// The part of a plan that a store left undone.
public struct Remainder: Sendable {
    /// The condition that the rows still have to meet.
    public var predicate: ResolvedPredicate?
    /// Whether the rows are still to be sorted.
    public var needsSort: Bool
    /// Whether offset and limit are still to be applied.
    public var needsSlice: Bool

    /// Creates a remainder; empty, by default.
    public init(predicate: ResolvedPredicate? = nil, needsSort: Bool = false, needsSlice: Bool = false) {
        self.predicate = predicate
        self.needsSort = needsSort
        self.needsSlice = needsSlice
    }

    /// The remainder of a completely answered plan.
    public static let nothing = Remainder()
}
