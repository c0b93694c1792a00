import StrataQuery
import StrataStore

/// Tells whether conditions look at values that may lie in files of their own.
enum ExternalUse {
    static func isMade(by plan: FetchPlan, _ schema: StoreSchema) -> Bool {
        isMade(plan.entities, schema) { check in
            plan.predicate?.forEachPath(check)
            for sort in plan.sort { check(sort.path) }
            switch plan.result {
            case .rows, .references, .count: break
            case .groups(let grouping):
                for key in grouping.keys { key.forEachPath(check) }
                for aggregate in grouping.aggregates { aggregate.expression?.forEachPath(check) }
            case .values(let values): for column in values.columns { column.forEachPath(check) }
            }
        }
    }

    static func isMade(by predicate: ResolvedPredicate, _ entities: Range<Int>, _ schema: StoreSchema) -> Bool {
        isMade(entities, schema, predicate.forEachPath)
    }

    private static func isMade(_ entities: Range<Int>, _ schema: StoreSchema, _ forEachPath: ((PropertyPath) -> Void) -> Void) -> Bool {
        guard entities.contains(where: { !schema.externalSlots[$0].isEmpty }) else { return false }
        let slots = Set(entities.flatMap { schema.externalSlots[$0] })
        var isMade = false
        forEachPath { path in
            if path.variable == 0, path.steps.isEmpty, path.leafSlot.map(slots.contains) ?? false { isMade = true }
        }
        return isMade
    }
}
