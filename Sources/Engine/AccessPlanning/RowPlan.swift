public import StrataEvaluation
public import StrataModel
import StrataQuery
public import StrataStore

/// The way to the rows of a plan, and what it leaves to test.
// A class, because it holds much and is handed on more often than it is changed.
public final class RowPlan {
    /// A walk along an index in the plan's order.
    public struct Walk {
        /// What part of the index to walk.
        public let match: IndexMatch
        /// What the source found of the index, to be traversed.
        public let part: any IndexPart
        /// Which way to walk it.
        public let order: IndexMatch.Order
        /// The conditions that are still to be tested.
        public let rest: [ResolvedPredicate]
        /// How many entries to look at before sorting becomes the cheaper way; `nil` for no end.
        public let budget: Int?
    }

    /// Where to look for the rows.
    public let access: RowAccess
    /// The conditions that are still to be tested.
    public let rest: [ResolvedPredicate]
    /// How many rows there are to look at.
    public let cost: Int
    /// What was used to find the access, for an explanation.
    private let found: [PlanExplanation.Access]
    /// A walk that answers the plan without sorting, to be tried first.
    public internal(set) var walk: Walk?

    init(_ access: RowAccess, rest: [ResolvedPredicate], cost: Int, found: [PlanExplanation.Access] = [], walk: Walk? = nil) {
        self.access = access
        self.rest = rest
        self.cost = cost
        self.found = found
        self.walk = walk
    }

    /// What is used to find the rows without the traversal, for an explanation.
    public var path: [PlanExplanation.Access] {
        switch access {
        case .nothing: [.nothing]
        case .scan: [.scan]
        case .references: found.uniqued()
        case .index(let match, _): (found + [.index(match.index.name)]).uniqued()
        }
    }

    /// Returns whether the way references no row but those of some entities, which may be all of an entity's tree.
    @usableFromInline
    func holds(only entities: Range<EntityIndex>, ofTree entity: EntityDescription) -> Bool {
        if case .index(let match, _) = access { return match.index.entities == entities }
        return entity.index == entity.root && entities == entity.tree
    }

    /// The conditions that are still to be tested as one, `nil` for nothing.
    public var residual: ResolvedPredicate? { RowPlan.conjunction(of: rest) }

    /// Some conditions as one predicate, `nil` for none.
    public static func conjunction(of rest: [ResolvedPredicate]) -> ResolvedPredicate? {
        rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .and(rest)
    }
}

extension [PlanExplanation.Access] {
    /// Returns the elements in their order, each once.
    func uniqued() -> Self {
        var seen: Set<PlanExplanation.Access> = []
        return filter { seen.insert($0).inserted }
    }
}
