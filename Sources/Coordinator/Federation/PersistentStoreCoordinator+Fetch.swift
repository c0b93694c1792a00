package import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    package func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try answering(plan) {
            try log.tracing(StoreOperation(plan), { stores(of: plan) }, { $0.size }) {
                try log.noticingSlowness(plan, { try explain(plan, affectedStores: affectedStores) }) { try answer(plan, affectedStores) }
            }
        }
    }

    package func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        let entries = try requireEntries(for: plan, affectedStores, .explain)
        let planOfEach = entries.count > 1 ? planOfEachStore(plan) : plan
        let stores = try entries.map { entry in
            let explanation = try read(entry.store) { reader in
                if !plan.isEvaluatedInCore { return try reader.explain(planOfEach) }
                var all = FetchPlan(plan.entity, .rows)
                all.includesSubentities = plan.includesSubentities
                var explanation = try reader.explain(all)
                explanation.remaining = plan.predicate?.conjuncts.map(\.description) ?? []
                (explanation.isSorted, explanation.isSliced, explanation.isComputed) = (false, false, false)
                return explanation
            }
            return QueryExplanation.Store(storeID: entry.store.id, type: entry.store.type, plan: explanation, of: planOfEach)
        }
        return QueryExplanation(plan, stores: stores)
    }

    /// Answers a plan; an error names the unavailable value that a condition, an order or a result needs.
    func answering<T>(_ plan: FetchPlan, _ body: () throws -> T) throws -> T {
        do { return try body() } catch let value as UnavailableValue { throw StoreError(value, .fetch, entity: plan.entity.name) }
    }

    private func answer(_ plan: FetchPlan, _ affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        if let only = onlyStore(plan, affectedStores) { return try withExtendedLifetime(only) { try fetch(plan, from: only) } }
        let entries = try requireEntries(for: plan, affectedStores, .fetch)
        if entries.count == 1 { return try withExtendedLifetime(entries) { try fetch(plan, from: entries[0]) } }
        return try withReaders(entries) { try answer(plan, entries, $0) }
    }

    func answer(_ plan: FetchPlan, _ entries: [StoreEntry], _ readers: [any StoreReader]) throws -> CoordinatorAnswer {
        if entries.count == 1 { return try answer(try readers[0].answer(plan), plan, from: entries[0]) }
        let planOfEach = planOfEachStore(plan)
        return try merge(readers.map { try $0.answer(planOfEach) }, plan, entries, readers)
    }

    /// Returns the coordinator's only store, where the plan is about it: the common case, without arrays.
    private func onlyStore(_ plan: FetchPlan, _ affectedStores: [StoreID]?) -> StoreEntry? {
        guard affectedStores == nil else { return nil }
        return entries.withLock { $0.count == 1 && $0[0].holds(anyOf: plan.entities) ? $0[0] : nil }
    }

    /// Returns the stores that hold a plan's entity, of those with the given IDs.
    ///
    /// A store that is not open is an error, as an empty answer would look like that of an empty store.
    ///
    /// - Returns: None where an open store holds the entity, and none of those with the given IDs does.
    /// - Throws: `StoreError` with `noStore` where no open store holds the entity, or there is no open store with one
    ///   of the given IDs.
    func requireEntries(
        for plan: FetchPlan, _ affectedStores: [StoreID]?, _ operation: StoreError.Operation
    ) throws(StoreError) -> [StoreEntry] {
        let open = entries.withLock { $0 }
        if let missing = affectedStores?.first(where: { id in !open.contains { $0.store.id == id } }) {
            throw StoreError(noStore: missing, operation, entity: plan.entity.name)
        }
        let holding = open.filter { $0.holds(anyOf: plan.entities) }
        if holding.isEmpty { throw StoreError(.noStore, operation, "no open store holds the entity", entity: plan.entity.name) }
        return affectedStores.map { affected in holding.filter { affected.contains($0.store.id) } } ?? holding
    }

    func planOfEachStore(_ plan: FetchPlan) -> FetchPlan {
        // Limit and offset apply after the merge; until then every store may hold all of the first results.
        var planOfEach = plan
        (planOfEach.offset, planOfEach.limit) = (0, nil)
        switch plan.result {
        case .rows, .references: (planOfEach.limit, planOfEach.result) = (plan.slice.end(), .rows)
        case .values: planOfEach.result = .rows
        case .groups(var groups):
            (groups.condition, groups.isWhole) = (nil, false)
            planOfEach.result = .groups(groups)
        case .count: break
        }
        return planOfEach
    }

    private func fetch(_ plan: FetchPlan, from entry: StoreEntry) throws -> CoordinatorAnswer {
        try answer(snapshots.reader(of: entry.store.id)?.answer(plan) ?? entry.store.answer(plan), plan, from: entry)
    }

    private func answer(_ answer: StoreAnswer, _ plan: FetchPlan, from entry: StoreEntry) throws -> CoordinatorAnswer {
        switch answer {
        case .rows(let rows, _): return .rows(FetchedRows(rows: rows, scopes: entry.scopes))
        case .references(let references): return .ids(try entry.ids(references, of: plan.entities, .fetch))
        case .count(let count): return .count(count)
        case .groups(let groups): return .groups(withObjects(groups, plan, entry.scopes))
        case .values(let tuples): return .values(try withObjects(tuples, plan, entry))
        }
    }

    /// Returns groups with object IDs instead of references in keys and aggregates.
    private func withObjects(_ groups: [Group], _ plan: FetchPlan, _ scopes: ObjectIDScopes) -> [Group] {
        guard case .groups(let grouping) = plan.result else { return groups }
        let keys = withObjects(groups.map(\.keys), grouping.keys, scopes)
        let entities = grouping.aggregates.map { $0.expression?.objectEntity(in: model) }
        return zip(groups, keys).map { group, keys in
            var partials = group.partials
            for (index, entity) in entities.enumerated() {
                if let entity { partials[index].nameObjects(scopes[entity.index]) }
            }
            return Group(keys: keys, partials: partials)
        }
    }

    private func withObjects(_ tuples: [[Value]], _ plan: FetchPlan, _ entry: StoreEntry) throws -> [[Value]] {
        guard case .values(let values) = plan.result else { return tuples }
        guard tuples.allSatisfy({ $0.count == values.columns.count }) else {
            throw StoreError(.unsupported, .fetch, "a store answered other columns than were asked for", path: entry.store.path)
        }
        return withObjects(tuples, values.columns, entry.scopes)
    }

    private func withObjects(_ tuples: [[Value]], _ columns: [ResolvedExpression], _ scopes: ObjectIDScopes) -> [[Value]] {
        let entities = columns.map { $0.objectEntity(in: model) }
        guard entities.contains(where: { $0 != nil }) else { return tuples }
        return tuples.map { tuple in
            zip(tuple, entities).map { value, entity in
                guard let entity, case .int(let reference) = value else { return value }
                return .objectID(ObjectID(scope: scopes[entity.index], reference: reference))
            }
        }
    }

    private func merge(
        _ answers: [StoreAnswer], _ plan: FetchPlan, _ entries: [StoreEntry], _ readers: [any StoreReader]
    ) throws -> CoordinatorAnswer {
        var counts = 0
        var groups: [[Group]] = []
        var rows: [[Row]] = []
        for answer in answers {
            switch answer {
            case .count(let count): counts += count
            case .groups(let found): groups.append(withObjects(found, plan, entries[groups.count].scopes))
            case .rows, .references, .values: rows.append(try answer.requireRows())
            }
        }
        for (rows, reader) in zip(rows, readers) { reader.expect(rows) }
        switch plan.result {
        case .count: return .count(plan.slice(counts))
        case .groups(let grouping):
            // Without keys there is one group, also of no store.
            let isOne = grouping.keys.isEmpty && entries.isEmpty
            return .groups(
                isOne ? [Group(keys: [], partials: grouping.aggregates.map { _ in AggregatePartial() })] : PlanEvaluator.combine(groups))
        case .values(let values):
            let merged = try merge(rows, RowOrder(plan.sort), readers, upTo: nil)
            let columns = values.columns.map { RowExpression($0) }
            var tuples: [[Value]] = []
            for (row, store) in merged {
                let tuple = try columns.map { try $0.value(row, readers[store]) }
                tuples += withObjects([tuple], values.columns, entries[store].scopes)
            }
            if values.isDistinct { tuples = TupleSet.unique(tuples) }
            return .values(plan.slice(tuples))
        case .rows, .references:
            let merged = try merge(rows, RowOrder(plan.sort), readers, upTo: plan.slice.end())
            let slice = plan.slice(merged)
            let scopes = entries.map(\.scopes)
            if case .references = plan.result {
                return .ids(try slice.map { ObjectID(scope: try scopes[$0.store].scope(of: $0.row), reference: $0.row.reference) })
            }
            return .rows(FetchedRows(rows: slice.map(\.row), scopes: scopes, storeOfRow: slice.map { Int32($0.store) }))
        }
    }

    /// Merges sorted rows of several stores; equal ones by reference and then by the order of the stores.
    private func merge(
        _ rowsOfStores: [[Row]], _ order: RowOrder, _ readers: [any StoreReader], upTo limit: Int?
    ) throws -> [(row: Row, store: Int)] {
        var heads = [Int](repeating: 0, count: rowsOfStores.count)
        var merged: [(row: Row, store: Int)] = []
        while limit.map({ merged.count < $0 }) ?? true {
            var least: Int?
            for store in rowsOfStores.indices where heads[store] < rowsOfStores[store].count {
                guard let best = least else {
                    least = store
                    continue
                }
                let (a, b) = (rowsOfStores[store][heads[store]], rowsOfStores[best][heads[best]])
                if try order.compare(a, with: readers[store], to: b, with: readers[best]) == .less { least = store }
            }
            guard let store = least else { break }
            merged.append((rowsOfStores[store][heads[store]], store))
            heads[store] += 1
        }
        return merged
    }

    // MARK: - Snapshots

    /// Runs `body` with a reader of each store; several snapshots are of one state.
    func withReaders<T>(_ entries: [StoreEntry], _ body: ([any StoreReader]) throws -> T) throws -> T {
        guard entries.count > 1, entries.count(where: { snapshots.reader(of: $0.store.id) == nil }) > 1 else {
            return try open(entries, [], body)
        }
        gate.beginTaking()
        var isTaking = true
        func endTaking() {
            if isTaking { gate.endTaking() }
            isTaking = false
        }
        defer { endTaking() }
        return try open(entries, []) { readers in
            for reader in readers { try reader.takeSnapshot() }
            endTaking()
            return try body(readers)
        }
    }

    private func open<T>(_ entries: [StoreEntry], _ readers: [any StoreReader], _ body: ([any StoreReader]) throws -> T) throws -> T {
        guard readers.count < entries.count else { return try body(readers) }
        return try withExtendedLifetime(entries) { try read(entries[readers.count].store) { try open(entries, readers + [$0], body) } }
    }

    /// Runs `body` over one snapshot of every store: all reads of this thread inside see the same state, in one read
    /// transaction.
    ///
    /// Do not save inside. A save over several stores is in all of the snapshots or in none, where it was made through
    /// this coordinator; one of another coordinator or process may be in some of them only.
    ///
    /// - Throws: What `body` throws; `StoreError` where no snapshot is available.
    public func withSnapshot<T>(_ body: () throws -> T) throws -> T {
        let entries = entries.withLock { $0 }
        return try withReaders(entries) { readers in
            let byStore = zip(entries, readers).map { ($0.store.id, $1) }
            return try snapshots.hold(Dictionary(byStore) { first, _ in first }, body)
        }
    }

    /// Reads a store: in the snapshot that this thread has, or in a new one.
    func read<T>(_ store: any StoreBackend, _ body: (any StoreReader) throws -> T) throws -> T {
        if let reader = snapshots.reader(of: store.id) { return try body(reader) }
        return try store.read(body)
    }
}
