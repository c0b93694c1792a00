/// The access path to the rows of a plan, and the conditions left to test.
// A class, because it is large, and passed on more often than changed.
public final class RowPlan {
    /// A traversal of an index in the plan's order.
    public struct Traversal {
        /// The part of the index.
        public let match: IndexMatch
        /// The found part, to be traversed.
        public let part: any IndexPart
        /// The direction.
        public let order: IndexMatch.Order
        /// The conditions left to test.
        public let rest: [ResolvedPredicate]
        /// The number of entries to read before sorting becomes cheaper; `nil` for no limit.
        public let budget: Int?
    }

    /// The access path.
    public let access: RowAccess
    /// The conditions left to test.
    public let rest: [ResolvedPredicate]
    /// The number of rows to read.
    public let cost: Int
    private let found: [PlanExplanation.Access]
    /// A traversal that answers the plan without sorting, to be tried first.
    public internal(set) var traversal: Traversal?

    init(_ access: RowAccess, rest: [ResolvedPredicate], cost: Int, found: [PlanExplanation.Access] = [], traversal: Traversal? = nil) {
        self.access = access
        self.rest = rest
        self.cost = cost
        self.found = found
        self.traversal = traversal
    }

    /// The access path without the traversal, for an explanation.
    public var path: [PlanExplanation.Access] {
        switch access {
        case .nothing: [.nothing]
        case .scan: [.scan]
        case .references: found.uniqued()
        case .index(let match, _): (found + [.index(match.index.name)]).uniqued()
        }
    }

    /// Returns whether the path leads only to rows of some entities, which may be all of a hierarchy.
    @usableFromInline
    func holds(only entities: Range<EntityIndex>, ofHierarchy entity: EntityDescription) -> Bool {
        if case .index(let match, _) = access { return match.index.entities == entities }
        return entity.index == entity.root && entities == entity.hierarchy
    }

    /// The conjunction of the conditions left to test; `nil` for none.
    public var residual: ResolvedPredicate? { RowPlan.conjunction(of: rest) }

    /// Returns the conjunction of conditions; `nil` for none.
    public static func conjunction(of rest: [ResolvedPredicate]) -> ResolvedPredicate? {
        rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .and(rest)
    }
}

extension [PlanExplanation.Access] {
    func uniqued() -> Self {
        var seen: Set<PlanExplanation.Access> = []
        return filter { seen.insert($0).inserted }
    }
}
