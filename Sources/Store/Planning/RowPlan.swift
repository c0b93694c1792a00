import StrataModel
import StrataQuery

/// The way to the rows of a plan, and what it leaves to test.
package struct RowPlan<Entries> {
    /// A walk along an index in the plan's order.
    package struct Walk {
        package let match: IndexMatch
        package let entries: Entries
        package let order: IndexMatch.Order
        /// The conditions that are still to be tested.
        package let rest: [ResolvedPredicate]
        /// How many entries to look at before sorting becomes the cheaper way; `nil` for no end.
        package let budget: Int?
    }

    package var access: RowAccess<Entries>
    /// The conditions that are still to be tested.
    package var rest: [ResolvedPredicate]
    /// How many rows there are to look at.
    package var cost: Int
    /// What was used to find the rows, for an explanation.
    package var path: [PlanExplanation.Access]
    /// A walk that answers the plan without sorting, to be tried first.
    package var walk: Walk?

    /// What is still to be tested as one predicate, `nil` for nothing.
    package var test: ResolvedPredicate? { RowPlan.test(rest) }

    package static func test(_ rest: [ResolvedPredicate]) -> ResolvedPredicate? {
        rest.isEmpty ? nil : rest.count == 1 ? rest[0] : .and(rest)
    }
}
