import StrataQuery
import StrataStore

/// Tells whether a plan looks at values that may lie in files of their own.
enum ExternalUse {
    static func isMade(by plan: FetchPlan, _ schema: Schema) -> Bool {
        guard plan.entities.contains(where: { !schema.externalSlots[$0].isEmpty }) else { return false }
        let slots = Set(plan.entities.flatMap { schema.externalSlots[$0] })
        func isExternal(_ path: PropertyPath) -> Bool { path.steps.isEmpty && path.leafSlot.map(slots.contains) ?? false }
        func uses(_ predicate: ResolvedPredicate) -> Bool {
            switch predicate {
            case .constant: false
            case .and(let parts), .or(let parts): parts.contains(where: uses)
            case .not(let part): uses(part)
            case .comparison(let comparison): isExternal(comparison.left) || comparison.right.path.map(isExternal) ?? false
            }
        }
        if case .groups(let grouping) = plan.result,
            grouping.keys.contains(where: isExternal) || grouping.aggregates.contains(where: { $0.path.map(isExternal) ?? false })
        {
            return true
        }
        return plan.sort.contains { isExternal($0.path) } || plan.predicate.map(uses) ?? false
    }
}
