public import StrataCoordinator
public import StrataStore

extension ManagedObjectContext {
    /// Returns the objects that a request describes, from all stores that hold its entity.
    ///
    /// - Throws: `StoreError` with `unknownEntity`; `QueryError` where the condition or the order does not fit the
    ///   entity; what a store throws.
    @inlinable
    public func fetch<Result: ManagedObject>(_ request: ObjectFetchRequest<Result>) throws -> [Result] {
        try typed(try objects(of: request.untyped))
    }

    @usableFromInline
    func objects(of request: ObjectFetchRequest<ManagedObject>) throws -> [ManagedObject] {
        if request.hasComputedOrder {
            return try finish(try computedOrder(of: request).map { try object(of: $0) }, request)
        }
        let (answer, overlay) = try fetch(request, request.includesPropertyValues ? .rows : .references)
        return try objects(answer, overlay, request)
    }

    /// Returns the IDs of the objects that a request describes.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchObjectIDs<Result: ManagedObject>(_ request: ObjectFetchRequest<Result>) throws -> [ObjectID] {
        if request.untyped.hasComputedOrder { return try computedOrder(of: request.untyped).map(\.objectID) }
        let (answer, overlay) = try fetch(request.untyped, .references)
        guard let overlay else { return try answer.requireIDs() }
        return try overlay.apply(to: answer.requireRows(), self).map(\.objectID)
    }

    /// Returns the number of objects that ``fetch(_:)`` would return.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func count<Result: ManagedObject>(for request: ObjectFetchRequest<Result>) throws -> Int {
        var request = request.untyped
        // The number is the same in any order.
        if request.hasComputedOrder { request.sort = [] }
        let (answer, overlay) = try fetch(request, .count)
        guard let overlay else { return try answer.requireCount() }
        return try overlay.apply(to: answer.requireRows(), self).count
    }

    /// Returns values of saved objects, or of groups of them, without making objects, as
    /// ``ObjectFetchRequest/propertiesToFetch`` name.
    ///
    /// Sort keys are paths of attributes, names of properties to fetch, or computed of a to-many relationship, such as
    /// `people.@count`, which reads all objects that meet the condition; limit and offset count dictionaries. With
    /// properties to group by, or with aggregates, there is one dictionary per group, or one for all objects, sorted by
    /// the keys by default; it holds keys, aggregates, constants, and expressions of these. Unsaved changes never
    /// count, as in Core Data.
    ///
    /// - Throws: As ``fetch(_:)``; `QueryError` where a property to fetch yields several values, an aggregate does not
    ///   apply to its operand, or a property of a group is neither grouped by nor aggregated.
    public func fetchDictionaries<Result: ManagedObject>(_ request: ObjectFetchRequest<Result>) throws -> [FetchedDictionary] {
        let (fetch, answer) = try retryingRenames {
            let fetch = try dictionaryFetch(request.untyped)
            return (fetch, try source.fetch(fetch.plan, affectedStores: stores(request.untyped)))
        }
        return try fetch.dictionaries(answer, withOwnEntities)
    }

    func dictionaryFetch(_ request: ObjectFetchRequest<ManagedObject>) throws -> DictionaryFetch {
        var request = request
        request.includesPendingChanges = false
        let preparation = preparation(of: request)
        request.havingPredicate = try request.havingPredicate.map(preparation.prepare)
        request.propertiesToFetch = try request.propertiesToFetch?.map(preparation.prepare)
        request.propertiesToGroupBy = try request.propertiesToGroupBy.map(preparation.prepare)
        return try DictionaryFetch(request, try plan(request.withoutOrder, .count), model)
    }

    /// Returns tuples with the objects' own entities in IDs, where stores and groups know only an ancestor.
    private func withOwnEntities(_ tuples: [[Value]]) throws -> [[Value]] {
        let ids = Set(tuples.joined().compactMap(\.objectID).filter { !$0.entity.subentities.isEmpty })
        if ids.isEmpty { return tuples }
        var exact: [ObjectID: ObjectID] = [:]
        for (_, ids) in Dictionary(grouping: ids, by: \.entity.root) {
            for (id, row) in zip(ids, try loader.savedRows(of: ids)) {
                if let row { exact[id] = try loader.scopes(of: id).id(of: row) }
            }
        }
        return tuples.map { tuple in
            tuple.map { value in value.objectID.flatMap { exact[$0] }.map { .objectID($0) } ?? value }
        }
    }

    /// Runs `body` over one snapshot of every store: its fetches and faults see one state, whatever is saved meanwhile.
    ///
    /// For bursts of look-ups, which then share one read transaction; do not save inside.
    ///
    /// A save over several stores is seen whole or not at all where it is made by the same coordinator; each store's
    /// part by itself where it is made by another coordinator or process.
    ///
    /// - Throws: What `body` or a store throws.
    public func withSnapshot<T>(_ body: () throws -> T) throws -> T {
        assertQueue()
        return try source.withSnapshot(body)
    }

    /// Returns the overlay of pending changes over the stores' answer to a plan; `nil` where none affect it.
    func overlay(of plan: FetchPlan, _ request: ObjectFetchRequest<ManagedObject>) -> PendingOverlay? {
        request.includesPendingChanges && !tracker.isUnchanged ? PendingOverlay(plan, self, stores: stores(request)) : nil
    }

    func plan(_ request: ObjectFetchRequest<ManagedObject>, _ result: FetchPlan.Result) throws -> FetchPlan {
        assertQueue()
        parent?.catchUp()
        mergeFamilyWaiting()
        if tracker.hasDeletions { try applyDueDeleteRules() }
        let entity = try entity(of: request)
        var plan = FetchPlan(entity, result)
        plan.includesSubentities = request.includesSubentities
        if let predicate = request.predicate { plan.predicate = try resolved(predicate, for: entity, request) }
        if !request.sort.isEmpty { plan.sort = try request.sort.map { try ResolvedSort($0, of: entity, in: model) } }
        plan.limit = request.limit.map { max(0, $0) }
        plan.offset = max(0, request.offset)
        return plan
    }

    func entity(of request: ObjectFetchRequest<ManagedObject>) throws -> EntityDescription {
        if let name = request.entityName { return try entity(named: name) }
        let type = request.resultClass
        if let entity = entity(of: type) { return entity }
        throw StoreError(.unknownEntity, .fetch, "no entity, or more than one, names the class \(type)", entity: "\(type)")
    }

    func stores(_ request: ObjectFetchRequest<ManagedObject>) -> [StoreID]? { request.affectedStores?.map(\.id) }

    private func resolved(
        _ predicate: QueryPredicate, for entity: EntityDescription, _ request: ObjectFetchRequest<ManagedObject>
    ) throws -> ResolvedPredicate {
        if let known = modelCache.lastComparison?.resolved(predicate, of: entity) { return known }
        let resolved = try preparation(of: request).prepare(predicate).resolved(for: entity, in: model)
        if let template = ComparisonTemplate(predicate, resolved, of: entity) { modelCache.lastComparison = template }
        return resolved
    }

    private func fetch(
        _ request: ObjectFetchRequest<ManagedObject>, _ result: FetchPlan.Result
    ) throws -> (CoordinatorAnswer, PendingOverlay?) {
        try retryingRenames {
            let plan = try plan(request, result)
            let overlay = overlay(of: plan, request)
            return (try source.fetch(overlay?.saved ?? plan, affectedStores: stores(request)), overlay)
        }
    }

    /// Runs `body`, again where objects that it names got other IDs meanwhile.
    func retryingRenames<T>(_ body: () throws -> T) rethrows -> T {
        while true {
            do { return try body() } catch is RenamedMeanwhile { continue }
        }
    }

    func objects(
        _ answer: CoordinatorAnswer, _ overlay: PendingOverlay?, _ request: ObjectFetchRequest<ManagedObject>
    ) throws -> [ManagedObject] {
        if request.shouldRefreshRefetchedObjects, case .rows(let rows) = answer {
            for (index, row) in rows.rows.enumerated() { try refetched(row, rows.scopes(ofRowAt: index)) }
        }
        let objects: [ManagedObject]
        switch (answer, overlay) {
        case (.rows(let rows), let overlay?): objects = try overlay.apply(to: rows, self).map { try object(of: $0) }
        case (.rows(let rows), nil): objects = try loader.objects(of: rows, for: self)
        default: objects = try answer.requireIDs().map { fault(with: $0) }
        }
        return try finish(objects, request)
    }

    private func object(of element: PendingOverlay.Element) throws -> ManagedObject {
        switch element.source {
        case .pending(let object): object
        case .fetched(let scopes): try loader.object(of: element.row, scopes, for: self)
        }
    }

    /// Applies the request's other options to fetched objects.
    private func finish(_ objects: [ManagedObject], _ request: ObjectFetchRequest<ManagedObject>) throws -> [ManagedObject] {
        if !request.relationshipKeyPathsForPrefetching.isEmpty {
            try prefetch(request.relationshipKeyPathsForPrefetching, of: objects, try entity(of: request))
        }
        if !request.returnsObjectsAsFaults {
            try loader.loadRows(of: objects)
            for object in objects { object.fireFault() }
        }
        return objects
    }

    /// Returns objects as those of a class; throws `StoreError` with `unknownEntity` where one is not of the class.
    @inlinable
    func typed<Result: ManagedObject>(_ objects: [ManagedObject]) throws -> [Result] {
        var checked: ManagedObject.Type = Result.self
        for object in objects where type(of: object) != checked {
            guard object is Result else { throw wrongClass(object, Result.self) }
            checked = type(of: object)
        }
        // Every element was checked, and arrays of references have one layout.
        return unsafe unsafeBitCast(objects, to: [Result].self)
    }

    @usableFromInline
    func wrongClass(_ object: ManagedObject, _ type: ManagedObject.Type) -> StoreError {
        StoreError(.unknownEntity, .fetch, "objects of \(object.entity.name) are no \(type)", entity: object.entity.name)
    }

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
