import StrataModel
import StrataQuery

/// What to fetch from a store: a fetch request after it was checked against the model.
public struct FetchPlan: Sendable {
    /// What the answer consists of.
    public enum Result: Sendable {
        /// Rows.
        case rows
        /// References, without the rows.
        case references
        /// The number of objects, after limit and offset.
        case count
        /// Groups with aggregates; limit and offset are left to the coordinator.
        case groups(GroupPlan)
    }

    /// The entity.
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

    /// A plan that answers all objects of an entity.
    public init(_ entity: EntityDescription, _ result: Result = .rows) {
        self.entity = entity
        self.result = result
    }

    /// The indexes of the entities whose objects count.
    public var entities: Range<Int> { includesSubentities ? entity.tree : entity.index..<(entity.index + 1) }
}

/// How to group objects, and what to compute over each group.
public struct GroupPlan: Sendable {
    /// A function over the values of a group.
    public enum Function: String, Sendable, Hashable {
        /// The number of values that are not nil, or of objects where there is no path.
        case count
        case sum, average, min, max
    }

    /// One aggregate.
    public struct Aggregate: Sendable {
        /// The function.
        public let function: Function
        /// The path to the values, `nil` for the objects themselves.
        public let path: PropertyPath?

        /// An aggregate.
        public init(_ function: Function, _ path: PropertyPath?) {
            self.function = function
            self.path = path
        }
    }

    /// What objects of a group have in common; empty for one group of all.
    public var keys: [PropertyPath]
    /// What to compute over each group.
    public var aggregates: [Aggregate]

    /// A grouping.
    public init(keys: [PropertyPath], aggregates: [Aggregate]) {
        self.keys = keys
        self.aggregates = aggregates
    }
}

/// Names a row: its entity and its reference.
public struct ObjectReference: Sendable, Hashable {
    /// The index, in the model, of the object's own entity.
    public let entity: Int
    /// The reference within the entity's tree.
    public let reference: Int64

    /// Names a row.
    @inlinable
    public init(entity: Int, reference: Int64) {
        self.entity = entity
        self.reference = reference
    }
}

/// What a store answers to a plan.
public enum StoreAnswer: Sendable {
    /// Rows, whatever the plan's result; what remains of the plan is left to the core.
    case rows([Row], Remainder)
    /// The references of a finished plan.
    case references([ObjectReference])
    /// The count of a finished plan.
    case count(Int)
    /// The groups of a finished plan.
    case groups([Group])
}

/// What a store left undone of a plan.
public struct Remainder: Sendable {
    /// The condition that the rows still have to meet.
    public var predicate: ResolvedPredicate?
    /// Whether the rows are still to be sorted.
    public var needsSort: Bool
    /// Whether offset and limit are still to be applied.
    public var needsSlice: Bool

    /// What is left.
    public init(predicate: ResolvedPredicate? = nil, needsSort: Bool = false, needsSlice: Bool = false) {
        self.predicate = predicate
        self.needsSort = needsSort
        self.needsSlice = needsSlice
    }

    /// Nothing is left.
    public static let nothing = Remainder()
}
