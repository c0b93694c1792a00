import StrataCoordinator
import StrataModel
import StrataStore
import Synchronization

/// What a child context fetches from and saves to: its parent, wherever that one is.
///
/// What only the stores know it asks the coordinator. Everything else it asks the parent on the parent's queue, and waits; with the answer it
/// hears which objects got other IDs, so that the child knows them before it looks at the answer.
// Unchecked: the child is touched by the child's own calls, which are on its queue.
final class ParentContext: Coordinator, @unchecked Sendable {
    /// Where a parent is.
    enum Link {
        /// On the queue, or with the owner, that the child is on, too.
        case same(ManagedObjectContext)
        case queue(BackgroundContext)
        case mainActor(ManagedObjectContext)
        case external(any ExternalExecutor, ManagedObjectContext)

        /// Runs a block where the parent is, and waits for it.
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

    /// What a child has to know of its parent, on whatever queue it is.
    struct Introduction: Sendable {
        let coordinator: any Coordinator
        let temporaryScopes: ObjectIDScopes
        let children: ChildContexts
        /// Whether the parent is a child itself.
        let isChild: Bool
    }

    let model: ManagedObjectModel
    let children: ChildContexts
    private let isParentChild: Bool
    private let coordinator: any Coordinator
    private let link: Link
    private let number: Int
    // Unowned: the child has this object, and lets go of it as it goes.
    unowned var child: ManagedObjectContext?
    /// The stores of new objects of the parent that were asked for.
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

    /// Asks the parent.
    private func ask<T: Sendable>(_ question: (ManagedObjectContext) throws -> T) throws -> T {
        let (answer, newIDs) = link.perform { parent in
            (Result { try question(parent) }, children.takeNewIDs(for: number))
        }
        child?.take(newIDs)
        return try answer.get()
    }

    /// Has the child know the IDs that objects have by now.
    func catchUp() { child?.take(children.takeNewIDs(for: number)) }

    /// Has the child know the IDs that objects have by now, also those that its parent has yet to hear of from its own.
    func learnIDs() {
        if isParentChild { try? ask { $0.parent?.learnIDs() } } else { catchUp() }
    }

    /// Where the child is told of what others change.
    func setInbox(_ inbox: MergeInbox) { children.setInbox(inbox, of: number) }

    /// Has the child be told of all that others change in the parent, or of batch requests only.
    func setWantsSaves(_ wantsSaves: Bool) { children.setWantsSaves(wantsSaves, of: number) }

    /// Has the parent merge what has come to it.
    func mergeWaiting() { try? ask { $0.mergeFamilyWaiting() } }

    // MARK: - What the parent knows

    func fetch(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> CoordinatorAnswer {
        try ask { parent in
            try checkNames()
            return try parent.fetchForChild(plan, affectedStores)
        }
    }

    /// Checks, where the parent is, that the child asks of objects by the IDs that they have.
    private func checkNames() throws { if children.hasNewIDs(for: number) { throw RenamedMeanwhile() } }

    func rows(for ids: [ObjectID]) throws -> [Row?] { try ask { try $0.rowsForChild(ids) } }

    /// Removes the rows of objects that are in their stores no longer, though the parent, which has not changed them, does not know that yet.
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

    /// Has the parent read the links of some objects anew.
    func reloadLinks(_ relationship: RelationshipDescription, of ids: [ObjectID]) throws {
        try ask { try $0.reloadLinks(relationship, of: ids) }
    }

    func storeID(of id: ObjectID) throws -> StoreID {
        if let storeID = id.storeID ?? stores[id.reference] { return storeID }
        let storeID = try ask { try $0.targetStoreID(of: id) }
        stores[id.reference] = storeID
        return storeID
    }

    /// Has the parent take a child's changes over.
    func save(_ changes: ContextChanges) throws {
        try ask { parent in
            try checkNames()
            try parent.take(changes, from: number)
        }
    }

    /// Gives new objects of the parent permanent IDs.
    func obtainPermanentIDs(for ids: [ObjectID]) throws {
        try ask { parent in
            try parent.obtainPermanentIDs(for: ids.compactMap { parent.registered($0) })
            // What was handed on to the parent's own parent need not be there any more.
            let others = ids.filter { $0.isTemporary && parent.registered($0) == nil }
            if !others.isEmpty { try parent.parent?.obtainPermanentIDs(for: others) }
        }
    }

    /// The state of the stores that the parent reads.
    var queryGenerationToken: QueryGenerationToken? { link.perform { $0.queryGenerationToken } }
    /// Whether the parent takes what replicas answer.
    var readsFromReplicas: Bool { link.perform { $0.readsFromReplicas } }

    // MARK: - What the stores know

    func withSnapshot<T>(_ body: () throws -> T) throws -> T { try coordinator.withSnapshot(body) }
    func storeForNewObjects(of entity: EntityDescription) throws -> StoreID { try coordinator.storeForNewObjects(of: entity) }
    func obtainReferences(_ requests: [(entity: EntityDescription, storeID: StoreID)]) throws -> [Int64] {
        try coordinator.obtainReferences(requests)
    }
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes { try coordinator.scopes(ofStore: storeID) }
    func refreshStores(_ storeIDs: [StoreID]?) throws { try coordinator.refreshStores(storeIDs) }
    func explain(_ plan: FetchPlan, affectedStores: [StoreID]?) throws -> QueryExplanation {
        try coordinator.explain(plan, affectedStores: affectedStores)
    }
    func objectID(forURI uri: String) -> ObjectID? { coordinator.objectID(forURI: uri) }

    /// Returns a child says its changes in another form.
    func save(_ request: SaveChangesRequest) throws -> SaveOutcome {
        throw StoreError(.unsupported, .save, "a parent context takes objects, not rows")
    }
}

/// Objects got other IDs between a question and its answer: it has to be asked anew.
struct RenamedMeanwhile: Error {}
