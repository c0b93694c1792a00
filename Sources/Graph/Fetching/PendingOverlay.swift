import StrataCoordinator
import StrataStore

/// The pending changes of a context laid over the stores' answer to a plan.
///
/// Changed objects are left out of the answer and tested in memory. Where the condition or the order reads changed
/// related objects, the stores also fetch the objects whose paths pass a changed one or, for longer paths,
/// without the condition; every object is tested here.
final class PendingOverlay {
    /// The stores' plan: as many rows as may be needed.
    let saved: FetchPlan
    private let plan: FetchPlan
    private let stores: [StoreID]?
    /// The changed objects that may meet the condition.
    private let pending: [ManagedObject]
    /// The conditions that the answer's rows still have to meet.
    private let untested: [ResolvedPredicate]
    let shape: Shape

    /// The work that is left on an answer; answers are compared by it.
    struct Shape: Sendable, Hashable {
        /// The positions of the conditions that are tested here.
        var untested: [Int]
        /// The changed objects on paths that were fetched from the stores.
        var admitted: Set<Value>
        var isResorted: Bool
        var limit: Int?
    }

    /// - Returns: `nil` where no pending change affects the plan.
    init?(_ plan: FetchPlan, _ context: ManagedObjectContext, stores: [StoreID]?) {
        let related = ChangedHierarchies(context.tracker)
        let pendingCount: Int
        if let indexed = PendingOverlay.indexed(plan, context) {
            (pending, pendingCount) = indexed
        } else {
            pending = context.tracker.changed.filter { $0.changesRow && plan.entities.contains($0.entity.index) }
            pendingCount = pending.count
        }
        let conjuncts = plan.predicate?.conjuncts ?? []
        var tested: [ResolvedPredicate] = []
        var untested: [Int] = []
        var admitted: Set<Value> = []
        for (position, conjunct) in conjuncts.enumerated() {
            guard related.touch(QueryDependencies(conjunct, in: context.model)) else {
                tested.append(conjunct)
                continue
            }
            untested.append(position)
            let saved = conjunct.orReferences(
                from: plan.entity, overRows: { related.objects(in: $0, &admitted) },
                overCollectionsOf: { related.owners(in: $0, &admitted) }, in: context.model)
            if let saved { tested.append(saved) }
        }
        self.untested = untested.map { conjuncts[$0] }
        let isResorted = plan.sort.contains { related.touch(QueryDependencies($0.path)) }
        if pendingCount == 0 && untested.isEmpty && !isResorted { return nil }
        self.plan = plan
        self.stores = stores
        var saved = plan
        saved.result = .rows
        saved.offset = 0
        if untested.isEmpty && !isResorted {
            // Each changed object may replace a result.
            saved.limit = plan.slice.end(sparing: pendingCount)
        } else {
            saved.limit = nil
            saved.sort = []
            saved.predicate = tested.isEmpty ? nil : .and(tested)
        }
        self.saved = saved
        shape = Shape(untested: untested, admitted: admitted, isResorted: isResorted, limit: saved.limit)
    }

    /// Returns the changed objects that may meet a condition, and the number of all, where these are many and indexed.
    ///
    /// After an error all are tested, which reports it where it matters.
    private static func indexed(_ plan: FetchPlan, _ context: ManagedObjectContext) -> (found: [ManagedObject], count: Int)? {
        guard context.tracker.list.count > PendingIndex.fewObjects, let question = PendingIndex.Question(plan) else { return nil }
        return try? context.tracker.makePendingIndex().objects(question, context)
    }

    struct Element {
        let row: Row
        let resolver: PendingRowResolver
        let source: Source

        enum Source {
            case fetched(ObjectIDScopes)
            case pending(ManagedObject)
        }

        var objectID: ObjectID {
            switch source {
            case .pending(let object): object.objectID
            case .fetched(let scopes): scopes.id(of: row)
            }
        }
    }

    /// Returns the plan's objects as the context sees them, in order, within limit and offset.
    func apply(to fetched: FetchedRows, _ context: ManagedObjectContext) throws -> [Element] {
        // What the conditions read of related objects is of one state.
        try context.source.withSnapshot { try elements(of: fetched, context) }
    }

    private func elements(of fetched: FetchedRows, _ context: ManagedObjectContext) throws -> [Element] {
        let resolvers = Resolvers(context)
        var elements: [Element] = []
        let conditions = untested.map { RowPredicate($0) }
        for (index, row) in fetched.rows.enumerated() {
            let scopes = fetched.scopes(ofRowAt: index)
            let scope = try scopes.scope(of: row)
            if let object = context.identity[scope, row.reference], object.changesRow { continue }
            let id = ObjectID(scope: scope, reference: row.reference)
            let resolver = resolvers[try id.storeID ?? context.source.storeID(of: id)]
            guard try conditions.allSatisfy({ try $0.passes(row, resolver) }) else { continue }
            elements.append(Element(row: row, resolver: resolver, source: .fetched(scopes)))
        }
        let condition = plan.predicate.map { RowPredicate($0) }
        for object in pending where !object.isDeleted {
            let resolver = try resolvers.resolver(of: object)
            if let stores, !stores.contains(resolver.store) { continue }
            let row = try resolver.row(of: object)
            guard try condition?.passes(row, resolver) ?? true else { continue }
            elements.append(Element(row: row, resolver: resolver, source: .pending(object)))
        }
        return plan.slice(try RowOrder(plan.sort).sorted(elements, first: plan.slice.end()) { ($0.row, $0.resolver) })
    }

    final class Resolvers {
        private let context: ManagedObjectContext
        private var byStore: [StoreID: PendingRowResolver] = [:]

        init(_ context: ManagedObjectContext) { self.context = context }

        func resolver(of object: ManagedObject) throws -> PendingRowResolver { self[try context.targetStoreID(of: object)] }

        /// Returns the reference of a to-one relationship's destination by the slot in the rows, also of one that was
        /// deleted unsaved; throws the error of reading the object's row.
        func reference(of object: ManagedObject, at slot: Slot) throws -> Int64? {
            try context.loader.requireRow(of: object)
            let held = context.model.referenceSlots[object.entity.index].first { $0.slot == slot }
            return held.flatMap { object.heldDestination($0.relationship) }.map { context.identity.permanent($0).reference }
        }

        subscript(storeID: StoreID) -> PendingRowResolver {
            if let known = byStore[storeID] { return known }
            let resolver = PendingRowResolver(context: context, storeID: storeID)
            byStore[storeID] = resolver
            return resolver
        }
    }
}

/// The entity hierarchies of pending changes, by the indexes of their roots, once a query reads related objects.
private final class ChangedHierarchies {
    private let tracker: ChangeTracker
    private var isFilled = false
    /// The saved objects with changes.
    private var rows: [EntityIndex: [Value]] = [:]
    private var toMany: [EntityIndex: [Value]] = [:]

    init(_ tracker: ChangeTracker) { self.tracker = tracker }

    private func fill() {
        if isFilled { return }
        isFilled = true
        func add(_ object: ManagedObject, to list: inout [Value]) { if !object.isNew { list.append(.objectID(object.objectID)) } }
        for object in tracker.changed {
            let root = object.entity.root
            if object.changesRow { add(object, to: &rows[root, default: []]) }
            if object.extra?.toManyStates.contains(where: \.state.hasChanges) == true { add(object, to: &toMany[root, default: []]) }
        }
    }

    /// Returns whether any related object that a query reads may have changed.
    func touch(_ dependencies: QueryDependencies) -> Bool {
        if dependencies.isEmpty { return false }
        fill()
        return dependencies.read.contains { rows[$0] != nil } || dependencies.owners.contains { toMany[$0] != nil }
    }

    /// Adds the saved objects of a hierarchy whose rows are changed to the known ones.
    func objects(in root: EntityIndex, _ known: inout Set<Value>) -> [Value] { saved(rows[root], &known) }

    /// Adds the saved objects of a hierarchy whose to-many relationships are changed to the known ones.
    func owners(in root: EntityIndex, _ known: inout Set<Value>) -> [Value] { saved(toMany[root], &known) }

    private func saved(_ objects: [Value]?, _ known: inout Set<Value>) -> [Value] {
        known.formUnion(objects ?? [])
        return objects ?? []
    }
}

/// The entity hierarchies that a query reads beside its own, by the indexes of their roots.
struct QueryDependencies {
    /// The destinations of relationships.
    private(set) var read: Set<EntityIndex> = []
    /// The owners of the to-many relationships that are followed.
    private(set) var owners: Set<EntityIndex> = []

    var isEmpty: Bool { read.isEmpty && owners.isEmpty }

    init(_ predicate: ResolvedPredicate, in model: ManagedObjectModel) {
        predicate.forEachPath { add($0) }
        predicate.forEachCollection { collection in
            for step in collection.steps {
                read.insert(step.destination.root)
                if step.relationship.isToMany { owners.insert(model.entities[step.relationship.declaringEntity].root) }
            }
        }
    }

    init(_ path: PropertyPath) { add(path) }

    private mutating func add(_ path: PropertyPath) { for step in path.steps { read.insert(step.destination.root) } }
}
