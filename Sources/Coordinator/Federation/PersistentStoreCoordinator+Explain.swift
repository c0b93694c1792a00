import StrataEvaluation
package import StrataModel
import StrataQuery
package import StrataStore

extension PersistentStoreCoordinator {
    package func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        let entries = try requireEntries(for: plan, affectedStores, .explain)
        let planOfEach = entries.count > 1 ? planOfEachStore(plan) : plan
        return QueryExplanation(
            plan,
            stores: try entries.map { entry in
                let explanation = try read(entry.store) { reader in
                    if !plan.isEvaluatedInCore { return try reader.explain(planOfEach) }
                    var all = FetchPlan(plan.entity, .rows)
                    all.includesSubentities = plan.includesSubentities
                    var explanation = try reader.explain(all)
                    explanation.remaining = plan.predicate?.conjuncts.map(\.description) ?? []
                    explanation.isSorted = false
                    explanation.isSliced = false
                    explanation.isComputed = false
                    return explanation
                }
                return QueryExplanation.Store(storeID: entry.store.id, type: entry.store.type, plan: explanation, of: planOfEach)
            })
    }
}
