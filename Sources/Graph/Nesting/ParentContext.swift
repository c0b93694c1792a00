import StrataCoordinator
import StrataStore

/// The parent of a child context, on whatever queue.
///
/// What only the stores know is asked of the coordinator. All else is asked of the parent on its queue; the answer
/// comes with new IDs of objects, so that the child knows them first.
// Unchecked: the child is used by its own calls, which are on its queue.
final class ParentContext: Coordinator, @unchecked Sendable {
    enum Link {
        /// On the queue, or with the owner, of the child.
        case same(ManagedObjectContext)
        case queue(BackgroundContext)
        case mainActor(ManagedObjectContext)
        case external(any ExternalExecutor, ManagedObjectContext)

        /// Runs a block on the parent's queue, and waits for it.
        func perform<T: Sendable>(_ block: (ManagedObjectContext) throws -> T) rethrows -> T {
            switch self {
            case .same(let context): return try block(context)
            case .external(let executor, let context): return try executor.sync { try block(context) }
            case .queue(let background): return try background.performAndWait(block)
            case .mainActor(let context):
                // On the main queue, which the context belongs to, while this thread waits.
                nonisolated(unsafe) let (context, block) = (context, block)
                return try MainQueue.sync { try unsafe block(context) }
            }
        }
    }

    /// Constants of the parent that the child reads on its own queue.
    struct Introduction: Sendable {
        let coordinator: any Coordinator
        let temporaryScopes: ObjectIDScopes
        let children: ChildContexts
        let isChild: Bool
    }

    let model: ManagedObjectModel
    let children: ChildContexts
    private let isParentChild: Bool
    private let coordinator: any Coordinator
    private let link: Link
    private let number: Int
    // Unowned: the child owns this object.
    unowned var child: ManagedObjectContext?
    /// The looked-up stores of new objects of the parent.
    private var stores: [Int64: StoreID] = [:]

    init(_ link: Link, _ introduction: Introduction) {
        self.link = link
        children = introduction.children
        isParentChild = introduction.isChild
        coordinator = introduction.coordinator
        model = coordinator.model
        number = children.add()
    }

    deinit { children.remove(number) }

    private func ask<T: Sendable>(_ question: (ManagedObjectContext) throws -> T) throws -> T {
        let (answer, newIDs) = link.perform { parent in (Result { try question(parent) }, children.takeNewIDs(for: number)) }
        child?.take(newIDs)
        return try answer.get()
    }

    /// Updates the IDs of the child's objects.
    func catchUp() { child?.take(children.takeNewIDs(for: number)) }

    /// Updates the IDs of the child's objects, also from the parent's own parent.
    func learnIDs() {
        if isParentChild { try? ask { $0.parent?.learnIDs() } } else { catchUp() }
    }

    func setInbox(_ inbox: MergeInbox) { children.setInbox(inbox, of: number) }

    /// Subscribes to all changes of the parent, or to batch requests only.
    func setWantsSaves(_ wantsSaves: Bool) { children.setWantsSaves(wantsSaves, of: number) }

    func mergeWaiting() { try? ask { $0.mergeFamilyWaiting() } }

    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try ask { parent in
            try checkNames()
            return try parent.fetchForChild(plan, affectedStores)
        }
    }

    /// Checks, on the parent's queue, that the child has current IDs.
    private func checkNames() throws { if children.hasNewIDs(for: number) { throw RenamedMeanwhile() } }

    func rows(for ids: [ObjectID]) throws -> [Row?] { try ask { try $0.rowsForChild(ids) } }

    /// Removes the rows of objects that were deleted from their stores, which the parent has not noticed yet.
    func removeMissing(_ rows: inout [Row?], of ids: [ObjectID]) throws {
        let unchanged = rows.indices.filter { rows[$0]?.isOfStore == true }
        for (index, row) in zip(unchanged, try coordinator.rows(for: unchanged.map { ids[$0] })) where row == nil { rows[index] = nil }
    }

    func destinations(of relationship: RelationshipDescription, from id: ObjectID) throws -> [ObjectID] {
        try destinations(of: relationship, from: [id])[0]
    }

    func destinations(of relationship: RelationshipDescription, from ids: [ObjectID]) throws -> [[ObjectID]] {
        try ask { try $0.destinationsForChild(of: relationship, from: ids) }
    }

    func reloadLinks(_ relationship: RelationshipDescription, of ids: [ObjectID]) throws {
        try ask { try $0.reloadLinks(relationship, of: ids) }
    }

    func storeID(of id: ObjectID) throws -> StoreID {
        if let storeID = id.storeID ?? stores[id.reference] { return storeID }
        let storeID = try ask { try $0.targetStoreID(of: id) }
        stores[id.reference] = storeID
        return storeID
    }

    func save(_ changes: ContextChanges) throws {
        try ask { parent in
            try checkNames()
            try parent.take(changes, from: number)
        }
    }

    func obtainPermanentIDs(for ids: [ObjectID]) throws {
        try ask { parent in
            try parent.obtainPermanentIDs(for: ids.compactMap { parent.registered($0) })
            // Objects that were passed to the parent's own parent need not be registered in the parent.
            let others = ids.filter { $0.isTemporary && parent.registered($0) == nil }
            if !others.isEmpty { try parent.parent?.obtainPermanentIDs(for: others) }
        }
    }

    var queryGenerationToken: QueryGenerationToken? { link.perform { $0.queryGenerationToken } }
    var readsFromReplicas: Bool { link.perform { $0.readsFromReplicas } }

    func withSnapshot<T>(_ body: () throws -> T) throws -> T { try coordinator.withSnapshot(body) }
    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { try coordinator.storeForNewObjects(of: entity) }
    func sequenceNumber(for entity: EntityDescription) throws -> Int64 { try coordinator.sequenceNumber(for: entity) }
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try coordinator.obtainReferences(requests)
    }
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { try coordinator.scopes(ofStore: storeID) }
    func refreshStores(_ storeIDs: [StoreID]?) throws { try coordinator.refreshStores(storeIDs) }
    func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        try coordinator.explain(plan, affectedStores: affectedStores)
    }
    func objectID(forURI uri: String) -> ObjectID? { coordinator.objectID(forURI: uri) }

    /// Unsupported: a child passes its changes in another form.
    func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        throw StoreError(.unsupported, .save, "a parent context takes objects, not rows")
    }
}

/// Objects got other IDs between a question and its answer, which is asked again.
struct RenamedMeanwhile: Error {}
