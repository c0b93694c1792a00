public import Dispatch
public import StrataCoordinator
import StrataEvaluation
public import StrataModel
import StrataQuery
public import StrataStore
import Synchronization

/// A scratch pad of managed objects over a coordinator: it fetches, keeps track of changes, and saves them all at once.
///
/// A context belongs to one thread or queue, and so do its objects. The view context of a container belongs to the main actor; others live
/// inside a ``BackgroundContext``, which hands them out only in its own blocks. As neither contexts nor objects are `Sendable`, the
/// compiler keeps them there; in debug builds a context also traps when it is used elsewhere all the same.
// The face of three parts, which hold all that it knows: who is here, what the next save will say, and what is saved. The loader asks the
// other two; the tracker and the map ask nobody. What takes several of them (fetching, saving, deleting, merging) is written over the context.
public final class ManagedObjectContext {
    /// Where fetches go and saves arrive.
    public let coordinator: any Coordinator
    /// The model of all objects.
    public var model: ManagedObjectModel { coordinator.model }
    /// A name for people to tell contexts apart.
    public var name: String?
    /// Who saves, for save events and for stores that keep a history.
    public var transactionAuthor: String?
    /// What stands for the context in a module with other names.
    package var counterpart: Lifeline<AnyObject>?
    /// What an application likes to find with the context; the context does nothing with it.
    public var userInfo: [String: Any] = [:]
    /// How changes are resolved that conflict with other saves, or with a constraint, when they are saved.
    public var mergePolicy = MergePolicy.error
    /// Whether an object whose row was deleted from the store counts as deleted, with all its values nil, when its fault fires.
    ///
    /// True by default; where it is false, ``lastFaultError`` tells, and what is assigned to the object is refused: ``save()``
    /// throws.
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
    /// How old a row may be that a fetch brought when its fault fires; the store is asked again where it is older.
    ///
    /// `nil`, the default, for any age. It is about objects that are fetched after it was set, and those that were prefetched.
    public var stalenessInterval: Duration? {
        get { loader.stalenessInterval }
        set { loader.stalenessInterval = newValue }
    }
    /// Whether ``processPendingChanges()``, and fetches, follow the delete rules of deleted objects; else only a save does.
    ///
    /// With an ``undoManager`` they are followed at the end of each of its steps in any case: what they take belongs to the deletion's step.
    /// True by default.
    public var propagatesDeletesAtEndOfEvent = true
    /// Whether the context keeps all of its objects alive; else it keeps those with changes, and the application those that it uses.
    ///
    /// False by default. Objects that are here already are kept from when it becomes true.
    public var retainsRegisteredObjects: Bool {
        get { identity.keepsObjects }
        set { identity.keepsObjects = newValue }
    }
    /// What went wrong when a fault fired last; accessors cannot throw.
    ///
    /// Where it was not just that the row was deleted, ``save()`` throws it, too.
    public internal(set) var lastFaultError: (any Error)? {
        get { failedAccesses.lastError }
        set { failedAccesses.lastError = newValue }
    }

    /// Whether objects keep the destinations of their relationships that are read; else the application keeps the objects that it uses.
    package var keepsDestinations = false
    /// Whether any does.
    var hasKeptDestinations = false

    /// Whether a save checks objects just now, the properties of which it checks itself.
    var isValidating = false
    /// Whether objects hear just now that they are about to be saved.
    var isAnnouncingSave = false
    /// The objects that a save changes only because their partners of one-to-one relationships do.
    var joinedPartners: Set<ObjectIdentifier> = []
    /// The properties of stored objects that have the values of new ones with the same unique values, during a save: they are changes, also
    /// where a row says the same.
    var unitedProperties: [ObjectIdentifier: PropertySet] = [:]
    /// How often all changes were taken back at once.
    var discards = 0

    let identity: IdentityMap
    let tracker: ChangeTracker
    let loader: RowLoader
    /// The comparison that a fetch made last, which is often the next one's too.
    var lastComparison: ComparisonTemplate?
    private var entityClasses = EntityClasses()
    var entityRules = EntityRulesTable()
    let home: ContextHome

    // MARK: - Families

    /// What fetches ask and saves go to: the coordinator, in the state that the context is pinned to, or what stands for the parent.
    var source: any Coordinator { loader.source }
    /// Whether the application takes what replicas of the stores answer.
    var allowsReplicas = false
    /// What the children of this context have to know; `nil` where it never had any.
    var children: ChildContexts? {
        get { identity.children }
        set { identity.children = newValue }
    }
    /// What this context saved while it has children.
    var ownVersions = OwnVersions()

    // MARK: - Observation

    /// What leads to the context from those that do not keep it.
    let lifeline = Lifeline<ManagedObjectContext>()
    /// Who listens to it; `nil` where nobody does.
    var listeners: ContextListeners?
    /// Whether its objects take note of who reads them.
    var observesAccesses: Bool
    /// The objects that somebody observed.
    let observedObjects = ObservedObjects()

    /// Who waits for what happens to it, be it on other threads.
    let signals = LiveSignals()

    // MARK: - Merging

    /// Where what others save arrives.
    let inbox = MergeInbox()
    /// What brings it what others save; `nil` where nothing does.
    var merging: AutomaticMerging?
    /// Whether the application wants it to merge what others save.
    var mergesAutomatically = false
    /// What brings it what batch requests change; of a child its parent does.
    var reach: SaveEventSubscription?
    /// Tells its saves from those of others.
    let serial = ManagedObjectContext.nextSerial.add(1, ordering: .relaxed).newValue
    private static let nextSerial = Atomic<UInt64>(0)

    /// A context that belongs to its creator.
    ///
    /// In debug builds it traps when it is used elsewhere than on its queue, or on its actor where it has no queue.
    ///
    /// - Parameters:
    ///   - coordinator: The coordinator over its stores.
    ///   - queue: The queue that it is used on, where it is one queue.
    ///   - isolation: The actor that it is used on: the caller's by default. Say `nil` for a context that is handed on.
    public convenience init(_ coordinator: any Coordinator, queue: DispatchQueue? = nil, isolation: (any Actor)? = #isolation) {
        self.init(coordinator, home: ContextHome(queue, isolation))
    }

    /// A context whose maker sees to it where it is used.
    package convenience init(_ coordinator: any Coordinator, at place: any ContextPlace) { self.init(coordinator, home: .place(place)) }

    convenience init(_ coordinator: any Coordinator, home: ContextHome) {
        self.init(coordinator, over: coordinator, ObjectIDScopes(model: coordinator.model, storeID: nil), home)
    }

    init(_ source: any Coordinator, over coordinator: any Coordinator, _ temporaryScopes: ObjectIDScopes, _ home: ContextHome) {
        self.coordinator = coordinator
        self.home = home
        observesAccesses = if case .mainActor = home { true } else { false }
        let failures = FailedAccesses()
        identity = IdentityMap(temporaryScopes)
        tracker = ChangeTracker(coordinator.model, failures)
        loader = RowLoader(source, identity, tracker, failures)
        identity.belong(to: self)
        lifeline.lead(to: self)
        openInbox()
    }

    deinit {
        lifeline.cut()
        stepKeeper?.remove(self)
        signals.endAll()
        let objects = hasKeptDestinations ? identity.all : []
        identity.letGo()
        ManagedObjectContext.release(objects, at: home)
    }

    @inline(__always)
    func assertQueue() {
        #if DEBUG
            home.check(name)
        #endif
    }

    /// What could not be read, and is not made up for.
    var failedAccesses: FailedAccesses { loader.failures }

    // MARK: - Entities

    /// The entity whose objects are of a class; `nil` unless exactly one names it.
    public func entity(of type: ManagedObject.Type) -> EntityDescription? { entityClasses.entity(of: type, in: model) }

    /// The entity with a name.
    ///
    /// - Throws: `StoreError` with `unknownEntity`.
    public func entity(named name: String) throws -> EntityDescription {
        guard let entity = model.entity(named: name) else {
            throw StoreError(.unknownEntity, .lookUp, "the model has no entity \(name)", entity: name)
        }
        return entity
    }

    func checkInsertable(_ entity: EntityDescription) throws {
        guard model.entities.places().contains(entity.index), model.entities[entity.index] === entity else {
            throw StoreError(.unknownEntity, .insert, "the entity is of another model", entity: entity.name)
        }
        guard !entity.isAbstract else {
            throw StoreError(.unknownEntity, .insert, "the entity is abstract", entity: entity.name)
        }
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

    /// Chooses the store that a new object goes to; else it goes to the first writable one that holds its entity.
    ///
    /// - Throws: `StoreError` with `noStore` when the coordinator has no such store, `unsupported` for an object that was saved, or has a
    ///   permanent ID, which names its store.
    public func assign(_ object: ManagedObject, to store: any PersistentStore) throws {
        assertQueue()
        guard object.isNew else {
            throw StoreError(.unsupported, .assign, "a saved object stays in its store", entity: object.entity.name)
        }
        guard object.objectID.isTemporary else {
            throw StoreError(.unsupported, .assign, "the object's permanent ID names its store", entity: object.entity.name)
        }
        _ = try coordinator.scopes(ofStore: store.id)
        tracker.assign(object, to: store.id)
    }

    /// Marks an object to be deleted by the next save.
    ///
    /// Its delete rules are followed at ``processPendingChanges()``, which a save begins with; deleting a new object that was never saved
    /// just forgets it.
    public func delete(_ object: ManagedObject) {
        assertQueue()
        if object.managedObjectContext === self { tracker.delete(object) }
    }

    // MARK: - IDs

    /// The ID of a reference, permanent or temporary, in a tree.
    func id(root: EntityIndex, reference: Int64, storeID: StoreID) throws -> ObjectID {
        if reference < 0 { return identity.temporaryID(root, reference) }
        return ObjectID(scope: try loader.scopes(ofStore: storeID)[root], reference: reference)
    }

    /// The ID of a reference found in a row of another object's store.
    ///
    /// - Returns: `nil` where the model has no such entity.
    /// - Throws: `StoreError` with `noStore` where the store was removed.
    func id(_ reference: Int64, _ entity: EntityIndex, near other: ObjectID) throws -> ObjectID? {
        guard model.entities.places().contains(entity) else { return nil }
        if reference < 0 { return identity.temporaryID(entity, reference) }
        return ObjectID(scope: try loader.scopes(ofStore: targetStoreID(of: other))[entity], reference: reference)
    }

    /// The ID of the store that the object of an ID is in, or goes to: a new one may have been assigned to another than its entity's.
    ///
    /// - Throws: `StoreError` with `noStore`.
    func targetStoreID(of id: ObjectID) throws -> StoreID {
        if let storeID = id.storeID { return storeID }
        return try registered(id).map { try targetStoreID(of: $0) } ?? source.storeID(of: id)
    }

    /// The ID of the store that an object is in, or goes to when it is saved.
    ///
    /// - Throws: `StoreError` with `noStore`.
    func targetStoreID(of object: ManagedObject) throws -> StoreID {
        if let storeID = object.objectID.storeID { return storeID }
        if !object.isNew { return try source.storeID(of: object.objectID) }
        return try tracker.assignedStoreID(of: object) ?? source.storeForNewObjects(of: object.entity)
    }
}
