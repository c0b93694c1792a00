public import StrataCoordinator
import StrataModel
import StrataQuery
import StrataStore

extension ManagedObjectContext {
    /// How a fetch of a request is answered: what runs in which store and what in the core, which index serves, how
    /// many rows are read, and what makes it slower than it needs to be.
    ///
    /// ```swift
    /// print(try context.explain(ObjectFetchRequest<Person>(Person.name == "Ann")))
    /// ```
    /// The fetch is run for it, without making objects. A request with properties to fetch, or with groups, is
    /// explained as ``fetchDictionaries(_:)`` runs it.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func explain<Result: ManagedObject>(_ request: ObjectFetchRequest<Result>) throws -> QueryExplanation {
        let request = request.untyped
        if request.propertiesToFetch != nil || !request.propertiesToGroupBy.isEmpty || request.havingPredicate != nil {
            // Dictionaries never show pending changes.
            let fetch = try dictionaryFetch(request)
            var explanation = try source.explain(fetch.plan, affectedStores: stores(request))
            fetch.explain(request, &explanation)
            return explanation
        }
        let plan = try plan(request, .rows)
        let overlay = overlay(of: plan, request)
        var explanation = try source.explain(overlay?.saved ?? plan, affectedStores: stores(request))
        explanation.pendingObjects = overlay == nil ? 0 : tracker.changed.count
        return explanation
    }
}
