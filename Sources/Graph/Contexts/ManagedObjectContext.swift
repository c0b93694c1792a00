package import Dispatch
public import StrataCoordinator
public import StrataStore

/// A scratch pad of managed objects over a coordinator: it fetches, tracks changes, and saves them all at once.
///
/// A context and its objects belong to one thread or queue. The view context of a container belongs to the main actor;
/// others live inside a ``BackgroundContext``, which passes them to its own blocks only. As neither contexts nor
/// objects are `Sendable`, the compiler keeps them there; in debug builds a context also traps on use elsewhere.
// Its state is in its parts, each with one responsibility. The loader uses the identity map and the change tracker;
// these use no other part. Fetching, saving, deleting and merging are extensions of the context.
public final class ManagedObjectContext {
    package let coordinator: any Coordinator
    /// The model of all objects.
    public let model: ManagedObjectModel
    /// The name of the context, for descriptions.
    public var name: String? {
        get { options.name }
        set { options.name = newValue }
    }
    /// Whether saving changes, and batch requests, throw `StoreError` with `readOnly`; false by default.
    public var isReadOnly: Bool {
        get { options.isReadOnly }
        set { options.isReadOnly = newValue }
    }
    /// Who saves, for save events and for stores that keep a history.
    public var transactionAuthor: String? {
        get { options.transactionAuthor }
        set { options.transactionAuthor = newValue }
    }
    /// Values of the application's own.
    public var userInfo: [String: Any] {
        get { options.userInfo }
        set { options.userInfo = newValue }
    }
    /// How changes are resolved that conflict with other saves, or with a constraint, when they are saved.
    public var mergePolicy: MergePolicy {
        get { options.mergePolicy }
        set { options.mergePolicy = newValue }
    }
    /// Whether an object whose row was deleted from the store counts as deleted, all its values nil, when its fault
    /// fires.
    ///
    /// True by default. Otherwise ``lastFaultError`` reports it, and assignments to the object make ``save()`` throw.
    public var shouldDeleteInaccessibleFaults: Bool {
        get { loader.deletesInaccessibleFaults }
        set { loader.deletesInaccessibleFaults = newValue }
    }
    /// Decides for each object whose row was deleted when its fault fires whether it counts as deleted, and overrides
    /// ``shouldDeleteInaccessibleFaults``.
    ///
    /// ``existingObject(with:)`` does not call it.
    ///
    /// ```swift
    /// context.shouldHandleInaccessibleFault = { object, id in
    ///     log.warning("\(id) was deleted")
    ///     return !(object is Receipt)
    /// }
    /// ```
    public var shouldHandleInaccessibleFault: ((ManagedObject, ObjectID) -> Bool)? {
        get { loader.handleInaccessibleFault }
        set { loader.handleInaccessibleFault = newValue }
    }
    /// The greatest age of a fetched row for firing faults; an older one is fetched again.
    ///
    /// `nil`, the default, for any age. It applies to objects that are fetched or prefetched after it was set.
    public var stalenessInterval: Duration? {
        get { loader.stalenessInterval }
        set { loader.stalenessInterval = newValue }
    }
    /// Whether ``processPendingChanges()`` and fetches propagate deletes by the delete rules; else only a save does.
    ///
    /// True by default. With an ``undoManager`` deletes are propagated at the end of each of its steps in any case.
    public var propagatesDeletesAtEndOfEvent: Bool {
        get { options.propagatesDeletesAtEndOfEvent }
        set { options.propagatesDeletesAtEndOfEvent = newValue }
    }
    /// Whether the context retains all of its objects; else only those with changes and, until it saves, refreshes or
    /// merges, the last 4,096 that were read over to-one relationships.
    ///
    /// False by default. When it becomes true, registered objects are retained, too.
    public var retainsRegisteredObjects: Bool {
        get { identity.keepsObjects }
        set { identity.keepsObjects = newValue }
    }
    /// The error of the fault that failed last; accessors cannot throw.
    ///
    /// Unless the row was just deleted, ``save()`` throws it, too.
    public internal(set) var lastFaultError: (any Error)? {
        get { failedAccesses.lastError }
        set { failedAccesses.lastError = newValue }
    }

    // MARK: - Parts

    let identity: IdentityMap
    let tracker: ChangeTracker
    let loader: RowLoader
    let executor: ContextExecutor
    // Exclusivity is not checked at run time: accessors read and write whole values, so no access spans another.
    @safe @exclusivity(unchecked) var options = ContextOptions()
    let observation = ContextObservation()
    /// What other contexts saved, on its way into this one.
    let remoteChanges = RemoteChangeState()
    @safe @exclusivity(unchecked) var saveState = SaveState()
    @safe @exclusivity(unchecked) var modelCache = ModelCache()
    @safe @exclusivity(unchecked) var lifetime = ContextLifetime()

    /// The coordinator of fetches and saves: the stores' own, one pinned to a query generation, or the parent.
    var source: any Coordinator { loader.source }
    /// What the children have to know; `nil` where the context never had any.
    var children: ChildContexts? {
        get { identity.children }
        set { identity.children = newValue }
    }
    var failedAccesses: FailedAccesses { loader.failures }

    // MARK: - Life cycle

    /// Creates a context that belongs to its creator.
    ///
    /// In debug builds it traps when it is used off its queue, or off its actor where it has no queue.
    ///
    /// - Parameters:
    ///   - queue: The queue that it is used on, where it is one queue.
    ///   - isolation: The actor that it is used on: the caller's by default; `nil` for a context that is passed on.
    package convenience init(_ coordinator: any Coordinator, queue: DispatchQueue? = nil, isolation: (any Actor)? = #isolation) {
        self.init(coordinator, on: ContextExecutor(queue, isolation))
    }

    package convenience init(_ coordinator: any Coordinator, on executor: any ExternalExecutor) {
        self.init(coordinator, on: .external(executor))
    }

    convenience init(_ coordinator: any Coordinator, on executor: ContextExecutor) {
        self.init(coordinator, over: coordinator, ObjectIDScopes(model: coordinator.model, storeID: nil), executor)
    }

    init(_ source: any Coordinator, over coordinator: any Coordinator, _ temporaryScopes: ObjectIDScopes, _ executor: ContextExecutor) {
        self.coordinator = coordinator
        model = coordinator.model
        self.executor = executor
        options.isObservable = executor.isMainActor
        let failures = FailedAccesses()
        identity = IdentityMap(temporaryScopes)
        tracker = ChangeTracker(coordinator.model, failures)
        loader = RowLoader(source, identity, tracker, failures)
        identity.belong(to: self)
        weakReference.set(self)
        openInbox()
    }

    deinit {
        weakReference.set(nil)
        undoBackend?.remove(self)
        observation.signals.endAll()
        let objects = lifetime.hasRetainedDestinations ? identity.all : []
        identity.detachAll()
        ManagedObjectContext.release(objects, on: executor)
    }

    @inline(__always)
    func assertQueue() {
        #if DEBUG
            executor.check(self)
        #endif
    }

    // MARK: - Entities

    /// Returns the entity whose objects are of a class; `nil` unless exactly one names it.
    public func entity(of type: ManagedObject.Type) -> EntityDescription? { entityIndex(of: type).map { model.entities[$0] } }

    func entityIndex(of type: ManagedObject.Type) -> EntityIndex? { modelCache.entityClasses.entityIndex(of: type, in: coordinator) }

    /// Returns the entity with a name.
    ///
    /// - Throws: `StoreError` with `unknownEntity`.
    public func entity(named name: String) throws -> EntityDescription {
        guard let entity = model.entity(named: name)
        else { throw StoreError(.unknownEntity, .lookUp, "the model has no entity \(name)", entity: name) }
        return entity
    }

    // MARK: - Inserting and deleting

    /// Makes a new object of an entity.
    ///
    /// - Throws: `StoreError` with `unknownEntity` when there is no such entity or it is abstract.
    @discardableResult
    public func insert(_ entityName: String) throws -> ManagedObject {
        let entity = try entity(named: entityName)
        let object = entity.managedObjectClass.init(try originOfNewObject(of: entity))
        register(inserted: object)
        return object
    }

    /// Makes a new object of the one entity that names a class: `let person = context.insert(Person.self)`.
    ///
    /// - Precondition: Exactly one entity of the model names the class.
    @discardableResult
    public func insert<T: ManagedObject>(_ type: T.Type) -> T { T(context: self) }

    package func register(inserted object: ManagedObject) {
        assertQueue()
        identity.register(object)
        tracker.insert(object)
    }

    /// Chooses the store of a new object; by default it is the first writable one that holds its entity.
    ///
    /// - Throws: `StoreError` with `noStore` when the coordinator has no such store, `unsupported` for an object that
    ///   was saved, or has a permanent ID, which names its store.
    public func assign(_ object: ManagedObject, to store: any PersistentStore) throws {
        assertQueue()
        guard object.isNew else { throw StoreError(.unsupported, .assign, "a saved object stays in its store", entity: object.entity.name) }
        guard object.objectID.isTemporary
        else { throw StoreError(.unsupported, .assign, "the object's permanent ID names its store", entity: object.entity.name) }
        _ = try coordinator.scopes(ofStore: store.id)
        tracker.assign(object, to: store.id)
    }

    /// Marks an object to be deleted by the next save.
    ///
    /// Its delete rules are applied at ``processPendingChanges()``, which a save begins with; a new object that was
    /// never saved is just discarded.
    public func delete(_ object: ManagedObject) {
        assertQueue()
        guard object.managedObjectContext === self else { return }
        tracker.delete(object)
        scheduleDeleteRules()
    }
}
