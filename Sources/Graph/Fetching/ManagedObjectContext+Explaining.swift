import StrataCoordinator
import StrataModel
import StrataQuery
import StrataStore

extension ManagedObjectContext {
    /// How a fetch of a request is answered: what runs in which store and what in the core, which index serves, how many rows are read, and
    /// what makes it slower than it needs to be.
    ///
    /// ```swift
    /// print(try context.explain(FetchRequest<Person>(Person.name == "Ann")))
    /// ```
    /// The fetch is run for it, without making objects.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func explain<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> QueryExplanation {
        var plan = try plan(request, .rows)
        let pending = changed.count { $0.changesRow && plan.entities.contains($0.entity.index) }
        let hasOverlay = request.includesPendingChanges && pending > 0
        if hasOverlay {
            plan.limit = plan.limit.map { $0 + plan.offset + pending }
            plan.offset = 0
        }
        var explanation = try coordinator.explain(plan, affectedStores: stores(request))
        explanation.pendingObjects = hasOverlay ? pending : 0
        return explanation
    }
}
