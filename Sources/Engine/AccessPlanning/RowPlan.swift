import StrataModel
import StrataQuery
import StrataStore

/// The way to the rows of a plan, and what it leaves to test.
// A class, because it holds much and is handed on more often than it is changed.
package final class RowPlan {
    /// A walk along an index in the plan's order.
    package struct Walk {
        package let match: IndexMatch
        package let part: any IndexPart
        package let order: IndexMatch.Order
        /// The conditions that are still to be tested.
        package let rest: [ResolvedPredicate]
        /// How many entries to look at before sorting becomes the cheaper way; `nil` for no end.
        package let budget: Int?
    }

    package let access: RowAccess
    /// The conditions that are still to be tested.
    package let rest: [ResolvedPredicate]
    /// How many rows there are to look at.
    package let cost: Int
    /// What was used to find the access, for an explanation.
    private let found: [PlanExplanation.Access]
    /// A walk that answers the plan without sorting, to be tried first.
    package internal(set) var walk: Walk?

    init(_ access: RowAccess, rest: [ResolvedPredicate], cost: Int, found: [PlanExplanation.Access] = [], walk: Walk? = nil) {
        self.access = access
        self.rest = rest
        self.cost = cost
        self.found = found
        self.walk = walk
    }

    /// What is used to find the rows without the walk, for an explanation.
    package var path: [PlanExplanation.Access] {
        switch access {
        case .nothing: [.nothing]
        case .scan: [.scan]
        case .references: found.uniqued()
        case .index(let match, _): (found + [.index(match.index.name)]).uniqued()
        }
    }

    /// What is still to be tested as one predicate, `nil` for nothing.
    package var test: ResolvedPredicate? { RowPlan.test(rest) }

    package static func test(_ rest: [ResolvedPredicate]) -> ResolvedPredicate? {
        rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .and(rest)
    }
}

extension [PlanExplanation.Access] {
    /// The elements in their order, each once.
    func uniqued() -> Self {
        var seen: Set<PlanExplanation.Access> = []
        return filter { seen.insert($0).inserted }
    }
}
