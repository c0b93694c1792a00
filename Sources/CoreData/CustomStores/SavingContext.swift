import StrataCoordinator
import StrataGraph
import StrataModel
import StrataStore

/// The context that saves on this thread: custom stores get its objects, other stores rows.
enum SavingContext {
    private static let key = "StrataSavingManagedObjectContext"

    private final class State {
        weak var context: NSManagedObjectContext?
        /// The new object that is being assigned its ID.
        var named: NSManagedObject?
        /// The error that kept new objects from getting IDs.
        var failure: (any Error)?

        init(_ context: NSManagedObjectContext) { self.context = context }
    }

    private static var state: State? {
        get { Thread.current.threadDictionary[key] as? State }
        set { Thread.current.threadDictionary[key] = newValue }
    }

    static var current: NSManagedObjectContext? { state?.context }
    static var named: NSManagedObject? { state?.named }

    /// Starts observing saves.
    static func watch() { _ = isWatching }

    // Once for the process, as the classes of stores are.
    private static let isWatching: Bool = {
        let center = NotificationCenter.default
        func observe(_ name: Notification.Name, _ body: @escaping @Sendable (NSManagedObjectContext) -> Void) {
            _ = center.addObserver(forName: name, object: nil, queue: nil) { note in
                if let context = note.object as? NSManagedObjectContext { body(context) }
            }
        }
        observe(.NSManagedObjectContextWillSave) { begin($0) }
        // Objects that observers of the save inserted.
        observe(.NSManagedObjectContextObjectsDidChange) { if $0 === current { nameNewObjects(of: $0) } }
        observe(.NSManagedObjectContextDidSave) { if $0 === current { state = nil } }
        return true
    }()

    private static func begin(_ context: NSManagedObjectContext) {
        state = nil
        guard context.parent == nil, context.persistentStoreCoordinator?.persistentStores.contains(where: \.keepsOwnMetadata) == true
        else { return }
        state = State(context)
        nameNewObjects(of: context)
    }

    /// Assigns new objects the permanent IDs by which their stores' classes know them.
    private static func nameNewObjects(of context: NSManagedObjectContext) {
        guard let state, state.named == nil else { return }
        defer { state.named = nil }
        do {
            // In order of insertion, so that stores that count keys are deterministic.
            for object in context.insertedObjects.sorted(by: { $0.objectID.id.reference < $1.objectID.id.reference }) {
                state.named = object
                let id = object.objectID.id
                if id.isTemporary {
                    try context.graph.obtainPermanentIDs(for: [object])
                } else if let store = bridge(id, context), !store.knows(id) {
                    try store.bind(object)
                }
            }
        } catch { state.failure = state.failure ?? error }
    }

    private static func bridge(_ id: ObjectID, _ context: NSManagedObjectContext) -> (any BridgedStore)? {
        context.persistentStoreCoordinator?.coordinator.store(of: id) as? any BridgedStore
    }

    // MARK: - What is saved

    /// The objects that a save changes in a store.
    struct Objects {
        let context: NSManagedObjectContext
        var inserted: Set<NSManagedObject> = []
        var updated: Set<NSManagedObject> = []
        var deleted: Set<NSManagedObject> = []
    }

    /// Returns the objects of the saving context that correspond to a change set.
    ///
    /// - Parameter origin: The sender of the change: a batch request has no context.
    /// - Throws: `StoreError` with `unsupported` where no context saves; errors of assigning IDs.
    static func objects(_ changes: ChangeSet, _ store: any BridgedStore, _ origin: TransactionOrigin) throws -> Objects {
        // The context that saved last on this thread.
        let refusal = StoreError(
            .unsupported, .save, "a store of the type '\(store.type)' takes what a context saves, and nothing else")
        guard origin.sender != 0, let context = current,
            context.persistentStoreCoordinator?.coordinator.store(id: store.id) === store
        else { throw refusal }
        if let failure = state?.failure { throw failure }
        func object(_ entity: EntityIndex, _ reference: Int64) throws -> NSManagedObject {
            let id = ObjectID(scope: store.scopes[entity], reference: reference)
            if let object = context.graph.registeredObject(for: id) as? NSManagedObject { return object }
            throw refusal
        }
        var objects = Objects(context: context)
        for row in changes.inserted { objects.inserted.insert(try object(row.entityIndex, row.reference)) }
        for deletion in changes.deleted { objects.deleted.insert(try object(deletion.entity, deletion.reference)) }
        objects.updated = context.updatedObjects.filter { $0.objectID.id.storeID == store.id && !objects.deleted.contains($0) }
        return objects
    }
}
