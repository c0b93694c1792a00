import StrataCoordinator
import StrataGraph
import StrataModel
import Synchronization

/// A scratch pad of managed objects over a coordinator, or over a parent context, with Core Data's names.
///
/// A context has a queue, the main one or one of its own; `perform` and `performAndWait` run blocks there. As on
/// Apple's systems, use from other threads is not prevented, and not safe.
// Unchecked: the program uses a context and its objects on the context's queue, as on Apple's systems.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
    /// Where the context's blocks run.
    public final let concurrencyType: NSManagedObjectContextConcurrencyType
    final let executor: any ExternalExecutor

    final let weakReference = WeakBox<AnyObject>()
    /// The graph's own context; made when there is a coordinator or a parent.
    final var madeGraph: ManagedObjectContext?
    final var creation = ObjectCreation()
    final var settings = ContextSettings() {
        didSet { if let madeGraph { settings.apply(to: madeGraph) } }
    }
    /// The value that the object's own method is validating, which the model's rules have validated already.
    final var checkedValue: (object: ObjectIdentifier, key: String)?
    final var noted = NotedEvents()
    final var readState = ReadState()
    /// The coordinator or the parent, kept alive by the context as on Apple's systems.
    private final var lineage = Lineage()
    /// The context's connection to its undo manager.
    private final var undoBridge: UndoBridge?
    /// Custom data of the application, which the context ignores.
    public final let userInfo = NSMutableDictionary()

    private struct Lineage {
        var source = Source.none
        /// The children that were made before the context had a coordinator.
        var waitingChildren: [WeakBox<AnyObject>] = []
    }

    private enum Source {
        case none
        case coordinator(NSPersistentStoreCoordinator)
        case parent(NSManagedObjectContext)
    }

    final var keptCoordinator: NSPersistentStoreCoordinator? { if case .coordinator(let kept) = lineage.source { kept } else { nil } }
    final var keptParent: NSManagedObjectContext? { if case .parent(let parent) = lineage.source { parent } else { nil } }

    /// Creates a context with a queue of its own, or of the main queue; it needs a coordinator or a parent.
    public init(concurrencyType ct: NSManagedObjectContextConcurrencyType) {
        concurrencyType = ct
        executor =
            switch ct {
            case .privateQueueConcurrencyType: makeContextQueue(label: "NSManagedObjectContext")
            case .mainQueueConcurrencyType: MainExecutor()
            default: ConfinementExecutor()
            }
        super.init()
        weakReference.set(self)
    }

    deinit { weakReference.set(nil) }

    /// Creates a context with a queue of its own, or of the main queue.
    public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type.concurrencyType) }

    /// Creates a confined context, used on its creator's thread.
    @available(*, deprecated, message: "Use another NSManagedObjectContextConcurrencyType")
    public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

    // MARK: - Coordinator and parent

    /// The coordinator of the stores that the context fetches from and saves to; a child has that of its parent.
    ///
    /// - Precondition: The context has no parent when it is set.
    open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
        get { keptCoordinator ?? keptParent?.persistentStoreCoordinator }
        set {
            if newValue === keptCoordinator { return }
            guard keptParent == nil else {
                programmerError("Context already has a parent; cannot set the coordinator of a child context.")
            }
            lineage.source = newValue.map { .coordinator($0) } ?? .none
            setGraph(newValue.map { ManagedObjectContext($0.coordinator, on: executor) })
        }
    }

    /// The context that this one fetches from and saves to.
    ///
    /// - Precondition: The context has no coordinator and no parent that was used; the parent is not confined.
    open var parent: NSManagedObjectContext? {
        get { keptParent }
        set {
            if newValue === keptParent { return }
            guard keptCoordinator == nil else {
                programmerError("Context already has a coordinator; cannot replace it with a parent context.")
            }
            if let newValue, newValue.concurrencyType == .confinementConcurrencyType {
                programmerError(
                    "Parent NSManagedObjectContext must use either NSPrivateQueueConcurrencyType or NSMainQueueConcurrencyType.")
            }
            lineage.source = newValue.map { .parent($0) } ?? .none
            setGraph(newValue.flatMap(makeGraph))
        }
    }

    /// The graph's own context.
    ///
    /// - Precondition: There is a coordinator, or a parent.
    final var graph: ManagedObjectContext {
        if let madeGraph { return madeGraph }
        programmerError("This NSManagedObjectContext has no persistent stores: it has neither a coordinator nor a parent.")
    }

    /// Creates the graph's context of a child; nil until the parent has a coordinator.
    private func makeGraph(of parent: NSManagedObjectContext) -> ManagedObjectContext? {
        guard let graph = parent.madeGraph else {
            parent.lineage.waitingChildren.append(weakReference)
            return nil
        }
        return ManagedObjectContext(parent: graph, on: parent.executor, executor: executor)
    }

    private func setGraph(_ graph: ManagedObjectContext?) {
        if let madeGraph, let listener = noted.listener { madeGraph.removeListener(listener) }
        madeGraph?.setCounterpart(nil)
        madeGraph?.undoBackend = nil
        madeGraph = graph
        guard let graph else { return }
        graph.setCounterpart(weakReference)
        creation.entities = graph.model.entities.map(\.counterpart)
        creation.lastMade = nil
        settings.apply(to: graph)
        readState.knownSaves = keptCoordinator?.saves.load(ordering: .acquiring) ?? 0
        listen()
        graph.undoBackend = undoBridge
        let waiting = lineage.waitingChildren.compactMap { NSManagedObjectContext.of($0) }
        lineage.waitingChildren = []
        for child in waiting where child.keptParent === self && child.madeGraph == nil { child.setGraph(child.makeGraph(of: self)) }
    }

    // MARK: - Undo

    /// The undo manager of the context's changes; `nil`, the default, disables undo.
    open var undoManager: UndoManager? {
        get { undoBridge?.undoManager }
        set {
            if newValue === undoManager { return }
            undoBridge = newValue.map { UndoBridge($0, of: self) }
            madeGraph?.undoBackend = undoBridge
        }
    }

    /// Takes the last step of the ``undoManager`` back.
    open func undo() { undoManager?.undo() }
    /// Redoes the last undone step.
    open func redo() { undoManager?.redo() }

    // MARK: - Queues

    /// Runs a block on the context's queue asynchronously, and ends an event after it.
    ///
    /// - Precondition: The context has a queue.
    @preconcurrency
    open func perform(_ block: @escaping @Sendable () -> Void) {
        requireQueue()
        executor.async {
            self.run(block)
            self.endEvent()
        }
    }

    /// Runs a block on the context's queue and waits for it; within another block of the context, right away.
    open func performAndWait(_ block: () -> Void) {
        requireQueue()
        executor.sync { run(block) }
    }

    // MARK: - Objects

    /// All objects that are here.
    open var registeredObjects: Set<NSManagedObject> { objects(\.registeredObjects) }
    /// The new objects that the next save inserts.
    open var insertedObjects: Set<NSManagedObject> { objects(\.insertedObjects) }
    /// The saved objects that have changes.
    open var updatedObjects: Set<NSManagedObject> { objects(\.updatedObjects) }
    /// The saved objects that the next save deletes, and those that merged saves deleted since the last one.
    open var deletedObjects: Set<NSManagedObject> { objects(\.deletedObjects).union(noted.mergedDeletions) }
    /// Whether a save would change something.
    open var hasChanges: Bool { madeGraph?.hasChanges ?? false }

    /// Returns the object with an ID if it is registered with the context; fetches nothing.
    open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
        madeGraph?.registeredObject(for: objectID.id) as? NSManagedObject
    }

    /// Returns the object with an ID, a fault if it is not registered; neither fetches it nor checks that it exists.
    open func object(with objectID: NSManagedObjectID) -> NSManagedObject { own(graph.object(with: objectID.id)) }

    /// Returns the object with an ID.
    ///
    /// - Throws: An `NSError` with the code `NSManagedObjectReferentialIntegrityError` if missing; its store's.
    open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
        try cocoa { own(try graph.existingObject(with: objectID.id)) }
    }

    /// Inserts an object that was made without a context.
    open func insert(_ object: NSManagedObject) { graph.insert(object) }

    /// Marks an object to be deleted by the next save.
    open func delete(_ object: NSManagedObject) {
        guard object.managedObjectContext === self || object.managedObjectContext == nil else {
            programmerError("An NSManagedObjectContext cannot delete objects in other contexts.")
        }
        graph.delete(object)
    }

    /// Rereads an object's values, and reapplies or discards its changes.
    ///
    /// With a ``stalenessInterval`` below zero, the default, an object without changes fires with the row that it has, as from Core
    /// Data's row cache, until another context saves to the coordinator, or a batch inserts or deletes there; with zero it is read from
    /// its store. So is one whose entity has derived attributes.
    open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
        graph.refreshesFromRows = hasCurrentRows
        graph.refresh(object, mergeChanges: flag)
    }

    /// Rereads all objects when they are used next, and keeps their changes.
    open func refreshAllObjects() {
        madeGraph?.refreshesFromRows = hasCurrentRows
        madeGraph?.refreshAllObjects()
    }

    /// Marks an unchanged object for the optimistic-lock check of the next save.
    open func detectConflicts(for object: NSManagedObject) { graph.detectConflicts(for: object) }

    /// Chooses the store that a new object is saved to.
    ///
    /// - Precondition: The object was never saved, and the store is of the context's coordinator.
    open func assign(_ object: Any, to store: NSPersistentStore) {
        guard let object = object as? NSManagedObject else { return }
        do { try graph.assign(object, to: store.opened) } catch {
            programmerError("Can't assign an object to a store: \(cocoaError(error).localizedDescription)")
        }
    }

    /// Gives new objects permanent IDs before they are saved.
    ///
    /// - Throws: An `NSError` of the store's failure.
    open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        try cocoa { try graph.obtainPermanentIDs(for: objects) }
    }

    /// Processes pending changes: applies delete rules, and posts notifications.
    open func processPendingChanges() { try? madeGraph?.processPendingChanges() }

    /// Saves all changes to the coordinator's stores, or to the parent; all of them or none.
    ///
    /// Observers are notified of a save without changes, too.
    ///
    /// - Throws: An `NSError` in the domain `NSCocoaErrorDomain`: of validation, conflicts or stores.
    open func save() throws { if let madeGraph { try save(madeGraph) } }

    /// Takes back the changes since the last save.
    open func rollback() {
        noted.mergedDeletions = []
        madeGraph?.rollback()
    }

    /// Forgets all objects.
    open func reset() {
        guard let madeGraph else { return }
        noted.mergedDeletions = []
        readState.latestObjects = []
        readState.knownSaves = keptCoordinator?.saves.load(ordering: .acquiring) ?? 0
        noted.forgottenIDs = madeGraph.registeredObjects.map { NSManagedObjectID($0.objectID) }
        madeGraph.reset()
        noted.forgottenIDs = []
    }

    /// Returns whether an object whose row was deleted counts as deleted; an override may decide for each.
    open func shouldHandleInaccessibleFault(
        _ fault: NSManagedObject, for objectID: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
    ) -> Bool { shouldDeleteInaccessibleFaults }

    /// Merges the changes of another context's save.
    ///
    /// - Parameter notification: `NSManagedObjectContextDidSave`, its variant with IDs, or a history transaction's.
    open func mergeChanges(fromContextDidSave notification: Notification) {
        guard let madeGraph else { return }
        noted.isMerging = true
        defer { noted.isMerging = false }
        if let change = notification.userInfo?[ContextNotifications.changeKey] as? ContextChange {
            madeGraph.mergeChanges(fromContextDidSave: change)
        } else {
            madeGraph.mergeChanges(fromRemoteContextSave: RemoteChanges(userInfo: notification.userInfo ?? [:], in: madeGraph))
        }
    }
}
