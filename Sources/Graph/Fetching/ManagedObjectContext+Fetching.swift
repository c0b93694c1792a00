import StrataCoordinator
import StrataModel
import StrataQuery
import StrataStore

extension ManagedObjectContext {
    /// The objects that a request describes, from all stores that hold its entity.
    ///
    /// - Throws: ``StoreError`` with `unknownEntity`; ``QueryError`` where the condition or the order does not fit the entity; what a
    ///   store throws.
    public func fetch<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> [Result] {
        let plan = try plan(request, .rows)
        let objects: [Result]
        if needsOverlay(request, plan) {
            objects = try overlaid(plan, request)
        } else {
            guard case .rows(let fetched) = try coordinator.fetch(plan, affectedStores: stores(request)) else { return [] }
            objects = try materialize(fetched, as: Result.self)
        }
        if !request.returnsObjectsAsFaults { for object in objects { object.fireFault() } }
        return objects
    }

    /// The IDs of the objects that a request describes.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func fetchObjectIDs<Result: ManagedObject>(_ request: FetchRequest<Result>) throws -> [ObjectID] {
        let plan = try plan(request, .references)
        if needsOverlay(request, plan) { return try overlaid(plan, request).map(\.objectID) }
        guard case .ids(let ids) = try coordinator.fetch(plan, affectedStores: stores(request)) else { return [] }
        return ids
    }

    /// The number of objects that ``fetch(_:)`` would return.
    ///
    /// - Throws: As ``fetch(_:)``.
    public func count<Result: ManagedObject>(for request: FetchRequest<Result>) throws -> Int {
        let plan = try plan(request, .count)
        if needsOverlay(request, plan) { return try overlaid(plan, request).count }
        guard case .count(let count) = try coordinator.fetch(plan, affectedStores: stores(request)) else { return 0 }
        return count
    }

    /// Groups saved objects by the values of some attributes and computes something over each group.
    ///
    /// The request's limit, offset and sort keys apply to the groups; sort keys are names of keys or aggregates. Changes that are not saved
    /// do not count, as in Core Data.
    ///
    /// - Parameter keys: The paths of the attributes that a group's objects have in common; none for one group of all.
    /// - Returns: One dictionary per group: a value for each key and for each aggregate's name.
    /// - Throws: As ``fetch(_:)``; ``QueryError`` where an aggregate does not apply to its attribute.
    public func fetch<Result: ManagedObject>(
        _ request: FetchRequest<Result>, groupedBy keys: [String] = [], computing aggregates: [QueryAggregate]
    ) throws -> [[String: Value]] {
        let sort = request.sort
        var unsorted = request
        unsorted.sort = []
        var plan = try plan(unsorted, .count)
        let grouping = GroupPlan(
            keys: try keys.map { .path(try PropertyPath($0, of: plan.entity, in: model)) },
            aggregates: try aggregates.map { try resolved($0, plan.entity) })
        plan.result = .groups(grouping)
        plan.limit = nil
        plan.offset = 0
        guard case .groups(let groups) = try coordinator.fetch(plan, affectedStores: stores(request)) else { return [] }
        var rows = groups.map { group in
            var row = Dictionary(zip(keys, group.keys)) { first, _ in first }
            for (aggregate, partial) in zip(aggregates, group.partials) { row[aggregate.name] = partial.value(of: aggregate.function) }
            return row
        }
        let order = sort.isEmpty ? keys.map { QuerySort($0) } : sort
        rows.sort { a, b in
            for key in order {
                let ordering = (a[key.keyPath] ?? .null).sortOrder(b[key.keyPath] ?? .null)
                if ordering != .equal { return ordering == (key.ascending ? .less : .greater) }
            }
            return false
        }
        plan.limit = request.limit
        plan.offset = request.offset
        return PlanEvaluator.slice(rows, plan)
    }

    /// Runs `body` over one snapshot of every store: its fetches and faults see the same state, whatever others save meanwhile, and none of
    /// them pays for a read transaction of its own. For bursts of look-ups; do not save inside.
    ///
    /// - Throws: What `body` or a store throws.
    public func withSnapshot<T>(_ body: () throws -> T) throws -> T {
        assertQueue()
        return try coordinator.withSnapshot(body)
    }

    private func resolved(_ aggregate: QueryAggregate, _ entity: EntityDescription) throws -> GroupPlan.Aggregate {
        let path = try aggregate.keyPath.map { try PropertyPath($0, of: entity, in: model) }
        let needsNumber = aggregate.function == .sum || aggregate.function == .average
        guard aggregate.function == .count || path?.attribute.map({ !needsNumber || $0.type.isNumeric }) == true else {
            throw QueryError(
                .typeMismatch, entity: entity.name, subject: aggregate.keyPath ?? aggregate.name,
                "\(aggregate.function.rawValue) does not apply to it")
        }
        return GroupPlan.Aggregate(aggregate.function, path.map { .path($0) })
    }

    // MARK: - Plans

    func plan<Result>(_ request: FetchRequest<Result>, _ result: FetchPlan.Result) throws -> FetchPlan {
        assertQueue()
        try processPendingChanges()
        let entity: EntityDescription
        if let name = request.entityName {
            entity = try self.entity(named: name)
        } else if let found = self.entity(of: Result.self) {
            entity = found
        } else {
            throw StoreError(.unknownEntity, "fetch", "no entity, or more than one, names the class \(Result.self)", entity: "\(Result.self)")
        }
        var plan = FetchPlan(entity, result)
        plan.includesSubentities = request.includesSubentities
        plan.predicate = try request.predicate?.resolved(for: entity, in: model)
        plan.sort = try request.sort.map { try ResolvedSort($0, of: entity, in: model) }
        plan.limit = request.limit.map { max(0, $0) }
        plan.offset = max(0, request.offset)
        return plan
    }

    func stores<Result>(_ request: FetchRequest<Result>) -> [String]? { request.affectedStores?.map(\.uuid) }

    // MARK: - Changes that are not saved

    private func needsOverlay<Result>(_ request: FetchRequest<Result>, _ plan: FetchPlan) -> Bool {
        request.includesPendingChanges && changed.contains { $0.changesRow && plan.entities.contains($0.entity.index) }
    }

    /// The objects of a plan as the context sees them: what the store answers without the objects changed here, and of those the ones that
    /// meet the condition now.
    private func overlaid<Result>(_ plan: FetchPlan, _ request: FetchRequest<Result>) throws -> [Result] {
        let pending = changed.filter { $0.changesRow && plan.entities.contains($0.entity.index) }
        var saved = plan
        saved.result = .rows
        saved.offset = 0
        // Each object changed here may take the place of a result.
        saved.limit = plan.limit.map { $0 + plan.offset + pending.count }
        guard case .rows(let fetched) = try coordinator.fetch(saved, affectedStores: stores(request)) else { return [] }
        var resolvers: [String: PendingRowResolver] = [:]
        func resolver(_ object: ManagedObject) throws -> PendingRowResolver {
            let uuid = try targetStore(of: object)
            if let known = resolvers[uuid] { return known }
            let resolver = PendingRowResolver(context: self, storeUUID: uuid)
            resolvers[uuid] = resolver
            return resolver
        }
        var candidates: [(row: Row, resolver: PendingRowResolver, object: Result)] = []
        for (row, object) in zip(fetched.rows, try materialize(fetched, as: Result.self)) where !object.changesRow {
            candidates.append((row, try resolver(object), object))
        }
        let test = plan.predicate.map { RowPredicate($0) }
        let stores = stores(request)
        for object in pending where !object.isDeleted {
            let resolver = try resolver(object)
            if let stores, !stores.contains(resolver.uuid) { continue }
            let row = try resolver.row(of: object)
            guard try test?.passes(row, resolver) ?? true else { continue }
            guard let typed = object as? Result else {
                throw StoreError(.unknownEntity, "fetch", "objects of \(object.entity.name) are no \(Result.self)", entity: object.entity.name)
            }
            candidates.append((row, resolver, typed))
        }
        let order = RowOrder(plan.sort)
        try candidates.sort { try order.compare($0.row, $0.resolver, $1.row, $1.resolver) == .less }
        return PlanEvaluator.slice(candidates.map(\.object), plan)
    }
}
