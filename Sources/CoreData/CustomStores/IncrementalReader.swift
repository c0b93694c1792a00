import StrataEvaluation
import StrataModel
import StrataQuery
import StrataStore

/// Reads an incremental store of a registered class, one call per request: the store itself determines the isolation.
final class IncrementalReader: StoreReader {
    private let bridge: IncrementalBridge
    private let store: NSIncrementalStore
    private var model: ManagedObjectModel { bridge.model }

    init(_ bridge: IncrementalBridge, _ store: NSIncrementalStore) {
        self.bridge = bridge
        self.store = store
    }

    var storeID: StoreID? { bridge.id }

    /// The context that is passed to the store's methods: the current one, or a temporary one.
    private lazy var context: NSManagedObjectContext = {
        let coordinator = store.persistentStoreCoordinator
        if let current = NSManagedObjectContext.current, current.parent == nil, current.persistentStoreCoordinator === coordinator {
            return current
        }
        let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }()

    // MARK: - Fetching

    func execute(_ plan: FetchPlan) throws -> StoreAnswer {
        let planRequest = PlanRequest(plan)
        let results = try IncrementalReader.list(try store.execute(planRequest.request, with: context), plan)
        if planRequest.request.resultType == .countResultType {
            return .count((results.first as? NSNumber)?.intValue ?? results.count)
        }
        let ids = results.flatMap { GivenDestinations.ids($0) }
        if planRequest.request.resultType == .managedObjectIDResultType {
            return .references(ids.map { reference(of: $0) })
        }
        return .rows(try ids.compactMap { try row(of: $0) }, planRequest.remainder)
    }

    private static func list(_ results: Any, _ plan: FetchPlan) throws -> [Any] {
        switch results {
        case let results as [Any]: return results
        case let results as NSArray: return results.map { $0 }
        case let number as NSNumber: return [number]
        default:
            throw StoreError(
                .wrongValue, .fetch, "the store answered a fetch with a value of type \(type(of: results)), and no array",
                entity: plan.entity.name)
        }
    }

    // MARK: - Rows

    func row(root: EntityIndex, reference: Int64) throws -> Row? {
        // An ID that the store never returned has the requested entity.
        let entity = store.references.entity(of: reference, root: root) ?? model.entities[root]
        return try row(of: ObjectID(scope: bridge.scopes[entity.index], reference: reference))
    }

    func rows(root: EntityIndex, references: [Int64]) throws -> [Row] {
        try references.compactMap { try row(root: root, reference: $0) }
    }

    private func row(of id: ObjectID) throws -> Row? {
        let objectID = NSManagedObjectID(id)
        let node: NSIncrementalStoreNode
        do { node = try store.newValuesForObject(with: objectID, with: context) } catch let error as NSError
            where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectReferentialIntegrityError
        { return nil }
        let entity = node.objectID.id.entity.isKind(of: id.entity) ? node.objectID.id.entity : id.entity
        let version = store.versions.version(root: entity.root, id.reference, given: node.version)
        var packer = RecordPacker()
        return try packer.row(entity, reference: id.reference, version: version, value: node.value(named:)) { relationship in
            try destination(of: relationship, entity, node).map { .init(reference: $0) }
        }
    }

    private func destination(
        of relationship: RelationshipDescription, _ entity: EntityDescription, _ node: NSIncrementalStoreNode
    ) throws -> ObjectID? {
        if relationship.isHidden { return nil }
        if let given = node.value(named: relationship.name) { return GivenDestinations.ids(given).first }
        guard let description = entity.counterpart.relationshipsByName[relationship.name] else { return nil }
        return GivenDestinations.ids(try store.newValue(forRelationship: description, forObjectWith: node.objectID, with: context)).first
    }

    private func reference(of id: ObjectID) -> ObjectReference {
        ObjectReference(
            entity: (store.references.entity(of: id.reference, root: id.entity.root) ?? id.entity).index, reference: id.reference)
    }

    // MARK: - Relationships

    func destinations(of relationship: RelationshipDescription, owner: Int64) throws -> [ObjectReference] {
        let declaring = model.entities[relationship.declaringEntity]
        let entity = store.references.entity(of: owner, root: declaring.root) ?? declaring
        guard let description = entity.counterpart.relationshipsByName[relationship.name] else { return [] }
        let id = NSManagedObjectID(ObjectID(scope: bridge.scopes[entity.index], reference: owner))
        let found = GivenDestinations.ids(try store.newValue(forRelationship: description, forObjectWith: id, with: context))
        return found.map { reference(of: $0) }
    }

    func links(of table: LinkTable) throws -> [Link] {
        let end = table.end(.first)
        guard let relationship = model.entities[end.entity].properties[end.property].relationship,
            case .rows(let owners, _) = try answer(FetchPlan(model.entities[end.entity]))
        else { return [] }
        return try owners.flatMap { owner in
            try destinations(of: relationship, owner: owner.reference).map { Link(first: owner.reference, second: $0.reference) }
        }
    }
}

/// A plan as a fetch request for an incremental store, and the part of it that is computed here.
struct PlanRequest {
    let request: NSFetchRequest<any NSFetchRequestResult>
    let remainder: Remainder

    init(_ plan: FetchPlan) {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = plan.entity.counterpart
        request.includesSubentities = plan.includesSubentities
        var supported: [QueryPredicate] = []
        var left: [ResolvedPredicate] = []
        for conjunct in plan.predicate?.conjuncts ?? [] {
            if let tree = conjunct.tree { supported.append(tree) } else { left.append(conjunct) }
        }
        if !supported.isEmpty { request.predicate = NSPredicate.make(supported.count == 1 ? supported[0] : .and(supported)) }
        if !plan.sort.isEmpty {
            request.sortDescriptors = plan.sort.map { .make(QuerySort($0.path.text, ascending: $0.ascending, $0.options)) }
        }
        var remainder = Remainder(predicate: left.isEmpty ? nil : .and(left))
        switch plan.result {
        case _ where !left.isEmpty: remainder.needsSlice = true
        case .groups, .values: remainder.needsSlice = true
        case .count: request.resultType = .countResultType
        case .references: request.resultType = .managedObjectIDResultType
        case .rows: break
        }
        if !remainder.needsSlice {
            request.fetchLimit = plan.limit ?? 0
            request.fetchOffset = plan.offset
        }
        self.request = request
        self.remainder = remainder
    }
}

extension ResolvedPredicate {
    /// The condition as a query predicate; `nil` for conditions on collections, and computed ones.
    fileprivate var tree: QueryPredicate? {
        switch self {
        case .constant(let truth): return .constant(truth)
        case .and(let parts): return ResolvedPredicate.trees(parts).map { .and($0) }
        case .or(let parts): return ResolvedPredicate.trees(parts).map { .or($0) }
        case .not(let part): return part.tree.map { .not($0) }
        case .comparison(let comparison):
            guard let left = comparison.left.tree, let right = comparison.right.tree else { return nil }
            return .comparison(QueryComparison(left, comparison.operator, right, comparison.options))
        case .test, .exists: return nil
        }
    }

    private static func trees(_ parts: [ResolvedPredicate]) -> [QueryPredicate]? {
        let trees = parts.compactMap(\.tree)
        return trees.count == parts.count ? trees : nil
    }
}

extension ResolvedOperand {
    fileprivate var tree: QueryExpression? {
        switch self {
        case .path(let path): path.tree
        case .constant(let value): .constant(value)
        }
    }
}

extension PropertyPath {
    fileprivate var tree: QueryExpression? {
        if variable != 0 { return nil }
        return text.isEmpty ? .evaluatedObject : .keyPath(text)
    }
}
