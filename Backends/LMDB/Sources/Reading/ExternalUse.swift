import StrataQuery
import StrataStore

/// Tells whether a plan looks at values that may lie in files of their own.
enum ExternalUse {
    static func isMade(by plan: FetchPlan, _ schema: Schema) -> Bool {
        guard plan.entities.contains(where: { !schema.externalSlots[$0].isEmpty }) else { return false }
        let slots = Set(plan.entities.flatMap { schema.externalSlots[$0] })
        var isMade = false
        func check(_ path: PropertyPath) {
            if path.variable == 0, path.steps.isEmpty, path.leafSlot.map(slots.contains) ?? false { isMade = true }
        }
        plan.predicate?.forEachPath(check)
        for sort in plan.sort { check(sort.path) }
        switch plan.result {
        case .rows, .references, .count: break
        case .groups(let grouping):
            for key in grouping.keys { key.forEachPath(check) }
            for aggregate in grouping.aggregates { aggregate.expression?.forEachPath(check) }
        case .values(let values): for column in values.columns { column.forEachPath(check) }
        }
        return isMade
    }
}
