import Dispatch
import StrataCoordinator
import StrataModel
import StrataQuery
import StrataStore
import Synchronization

/// A scratch pad of managed objects over a coordinator: it fetches, keeps track of changes, and saves them all at once.
///
/// A context belongs to one thread or queue, and so do its objects. The view context of a container belongs to the main actor; others live
/// inside a ``BackgroundContext``, which hands them out only in its own blocks. As neither contexts nor objects are `Sendable`, the
/// compiler keeps them there; in debug builds a context also traps when it is used elsewhere all the same.
public final class ManagedObjectContext {
    /// Where fetches go and saves arrive.
    public let coordinator: any Coordinator
    /// The model of all objects.
    public var model: ManagedObjectModel { coordinator.model }
    /// A name for people to tell contexts apart.
    public var name: String?
    /// Whether an object whose row is gone from the store counts as deleted, with all its values nil, when its fault fires. True unless
    /// said otherwise; where it is false, ``lastFaultError`` tells, and what is assigned to the object is refused: ``save()`` throws.
    public var shouldDeleteInaccessibleFaults = true
    /// What becomes of changes that conflict with what others saved, or with a constraint, when they are saved.
    public var mergePolicy = MergePolicy.error
    /// What went wrong when a fault fired last; accessors cannot throw. Where it was not just that the row is gone, ``save()`` throws it, too.
    public internal(set) var lastFaultError: (any Error)?

    private let queue: DispatchQueue?
    private(set) var tables: [TreeKey: IdentityTable] = [:]
    private var tablesByScope: [ObjectIdentifier: (scope: ObjectIDScope, table: IdentityTable)] = [:]
    /// The table asked for last, which is nearly always the next one too.
    private var lastTable: (scope: ObjectIDScope, table: IdentityTable)?
    /// The comparison that a fetch made last, which is often the next one's too.
    var lastComparison: ComparisonTemplate?
    private var entitiesByClass: [ObjectIdentifier: EntityDescription?] = [:]
    /// The class asked for last, with its entity.
    private var lastEntity: (type: ManagedObject.Type, entity: EntityDescription)?
    private var lastScopes: (uuid: String, scopes: ObjectIDScopes)?
    private let temporaryScopes: ObjectIDScopes
    /// All objects with changes, in the order of their first change.
    private(set) var changed: [ManagedObject] = []
    /// The objects changed while a save lets objects hear of it; `nil` at other times.
    var touched: [ManagedObject]?
    /// Objects whose delete rules are still to be followed.
    var pendingDeletions: [ManagedObject] = []
    /// Faults that came together from one relationship each, the latest last.
    var siblings: [Set<ObjectID>] = []
    /// Advances whenever the context learns that saved rows are others than it knew: an answer that was asked for before may be older than
    /// what the context has.
    var rowGeneration = 0
    /// What could not be read, and is not made up for.
    @exclusivity(unchecked) var failedAccesses = FailedAccesses()
    /// Whether an object hears that its values came.
    @exclusivity(unchecked) var isAwaking = false
    /// Rows that came along with fetches.
    var prefetchedRows = PrefetchedRows()
    /// The stores that new objects were assigned to, by temporary reference.
    var assignedStores: [Int64: String] = [:]
    /// The permanent IDs by the temporary references before them, of objects that got theirs without a save or that a query may name.
    var permanentIDs: [Int64: ObjectID] = [:]

    /// A context that belongs to whoever makes it, and traps outside of `queue` in debug builds where one is given.
    public init(_ coordinator: any Coordinator, queue: DispatchQueue? = nil) {
        self.coordinator = coordinator
        self.queue = queue
        temporaryScopes = ObjectIDScopes(model: coordinator.model, storeUUID: nil)
    }

    deinit {
        for table in tables.values { table.forEach { $0.managedObjectContext = nil } }
    }

    @inline(__always)
    func assertQueue() {
        #if DEBUG
            if let queue { dispatchPrecondition(condition: .onQueue(queue)) }
        #endif
    }

    // MARK: - Entities

    /// The entity whose objects are of a class; `nil` unless exactly one names it.
    public func entity(of type: ManagedObject.Type) -> EntityDescription? {
        if let lastEntity, lastEntity.type == type { return lastEntity.entity }
        let entity = findEntity(of: type)
        lastEntity = entity.map { (type, $0) }
        return entity
    }

    private func findEntity(of type: ManagedObject.Type) -> EntityDescription? {
        if let known = entitiesByClass[ObjectIdentifier(type)] { return known }
        let entity = model.entity(ofClass: type)
        entitiesByClass[ObjectIdentifier(type)] = .some(entity)
        return entity
    }

    /// The entity with a name.
    ///
    /// - Throws: ``StoreError`` with `unknownEntity`.
    public func entity(named name: String) throws -> EntityDescription {
        guard let entity = model.entity(named: name) else {
            throw StoreError(.unknownEntity, "look up", "the model has no entity \(name)", entity: name)
        }
        return entity
    }

    func checkInsertable(_ entity: EntityDescription) throws {
        guard entity.index < model.entities.count, model.entities[entity.index] === entity else {
            throw StoreError(.unknownEntity, "insert", "the entity is of another model", entity: entity.name)
        }
        guard !entity.isAbstract else {
            throw StoreError(.unknownEntity, "insert", "the entity is abstract", entity: entity.name)
        }
    }

    func objectClass(of entity: EntityDescription) -> ManagedObject.Type { entity.objectClass as? ManagedObject.Type ?? ManagedObject.self }

    // MARK: - Inserting and deleting

    /// Makes a new object of an entity.
    ///
    /// - Throws: ``StoreError`` with `unknownEntity` when there is no such entity or it is abstract.
    @discardableResult
    public func insert(_ entityName: String) throws -> ManagedObject {
        let entity = try entity(named: entityName)
        try checkInsertable(entity)
        let object = objectClass(of: entity).init(ObjectOrigin(id: temporaryID(for: entity), context: self))
        register(inserted: object)
        return object
    }

    /// Chooses the store that a new object goes to; else it goes to the first writable one that holds its entity.
    ///
    /// - Throws: ``StoreError`` with `noStore` when the coordinator has no such store, `unsupported` for an object that was saved.
    public func assign(_ object: ManagedObject, to store: any PersistentStore) throws {
        assertQueue()
        guard object.objectID.isTemporary else {
            throw StoreError(.unsupported, "assign", "a saved object stays in its store", entity: object.entity.name)
        }
        _ = try coordinator.scopes(ofStore: store.uuid)
        assignedStores[object.objectID.reference] = store.uuid
    }

    /// Marks an object to be deleted by the next save. Its delete rules are followed at ``processPendingChanges()``, which a save begins
    /// with; deleting a new object that was never saved just forgets it.
    public func delete(_ object: ManagedObject) {
        assertQueue()
        guard object.managedObjectContext === self, object.flags.isDisjoint(with: [.deleted, .leaving]) else { return }
        // Others that it deletes first may delete it, too.
        object.flags.insert(.leaving)
        object.prepareForDeletion()
        object.flags.remove(.leaving)
        guard object.managedObjectContext === self, !object.flags.contains(.deleted) else { return }
        if !failedAccesses.isEmpty { failedAccesses.noteChange() }
        object.flags.insert(.deleted)
        touched?.append(object)
        list(object)
        pendingDeletions.append(object)
    }

    // MARK: - Registering

    /// Temporary references ascend from the least number, and no two contexts of the process share one.
    private static let nextTemporary = Atomic<Int64>(Int64.min + 1)

    func temporaryID(for entity: EntityDescription) -> ObjectID {
        let reference = ManagedObjectContext.nextTemporary.add(1, ordering: .relaxed).oldValue
        return ObjectID(scope: temporaryScopes[entity.index], reference: reference)
    }

    func register(inserted object: ManagedObject) {
        assertQueue()
        object.flags = .inserted
        let extra = ObjectExtra()
        object.extra = extra
        for attribute in object.entity.attributes where !attribute.defaultValue.isNull {
            extra.set(attribute.defaultValue, attribute.index, of: object.entity.properties.count)
        }
        table(object.objectID.scope).insert(object, object.objectID.reference)
        list(object)
        if !failedAccesses.isEmpty { failedAccesses.noteChange() }
        object.awakeFromInsert()
        // What an object gives itself is a default like those of the model.
        extra.forgetGiven()
    }

    func table(_ scope: ObjectIDScope) -> IdentityTable {
        if let lastTable, lastTable.scope === scope { return lastTable.table }
        let table = findTable(scope)
        lastTable = (scope, table)
        return table
    }

    private func findTable(_ scope: ObjectIDScope) -> IdentityTable {
        if let known = tablesByScope[ObjectIdentifier(scope)] { return known.table }
        let key = TreeKey(storeUUID: scope.storeUUID, root: scope.entity.rootName)
        let table = tables[key] ?? IdentityTable()
        tables[key] = table
        tablesByScope[ObjectIdentifier(scope)] = (scope, table)
        return table
    }

    func forget(_ object: ManagedObject) { table(object.objectID.scope).remove(object, object.objectID.reference) }

    /// Gives an object another ID, and its place in the identity map with it.
    func rename(_ object: ManagedObject, to id: ObjectID) {
        forget(object)
        object.objectID = id
        table(id.scope).insert(object, id.reference)
    }

    /// The permanent ID of an object that got one without a save.
    func permanent(_ id: ObjectID) -> ObjectID { id.reference < 0 && !permanentIDs.isEmpty ? permanentIDs[id.reference] ?? id : id }

    func markUpdated(_ object: ManagedObject) {
        touched?.append(object)
        if !failedAccesses.isEmpty { failedAccesses.noteChange() }
        if !object.flags.contains(.updated) {
            object.flags.insert(.updated)
            list(object)
        }
    }

    private func list(_ object: ManagedObject) {
        guard !object.flags.contains(.listed) else { return }
        object.flags.insert(.listed)
        changed.append(object)
    }

    /// Empties the list of changed objects, and returns what was in it.
    func takeChanged() -> [ManagedObject] {
        defer { changed = [] }
        for object in changed { object.flags.remove(.listed) }
        return changed
    }

    /// Puts objects back on the list of changed ones, which is empty.
    func restoreChanged(_ objects: [ManagedObject]) {
        for object in objects { object.flags.insert(.listed) }
        changed = objects
    }

    func keepChanged(where isKept: (ManagedObject) -> Bool) {
        changed.removeAll { object in
            if isKept(object) { return false }
            object.flags.remove(.listed)
            return true
        }
    }

    func dropTables() {
        tables = [:]
        tablesByScope = [:]
        lastTable = nil
    }

    func allRegistered() -> [ManagedObject] { tables.values.flatMap(\.all) }

    // MARK: - IDs

    func scopes(of id: ObjectID) throws -> ObjectIDScopes { try scopes(ofStore: id.scope.storeUUID) }

    func scopes(ofStore uuid: String) throws -> ObjectIDScopes {
        if let lastScopes, lastScopes.uuid == uuid { return lastScopes.scopes }
        let scopes = try coordinator.scopes(ofStore: uuid)
        lastScopes = (uuid, scopes)
        return scopes
    }

    /// The ID of a reference, permanent or temporary, in a tree.
    func id(root: Int, reference: Int64, store uuid: String) throws -> ObjectID {
        ObjectID(scope: reference < 0 ? temporaryScopes[root] : try scopes(ofStore: uuid)[root], reference: reference)
    }

    /// The UUID of the store that an object is in, or goes to when it is saved.
    ///
    /// - Throws: ``StoreError`` with `noStore`.
    func targetStore(of object: ManagedObject) throws -> String {
        if let uuid = object.objectID.storeUUID { return uuid }
        return try assignedStores[object.objectID.reference] ?? coordinator.storeForNewObjects(of: object.entity)
    }

    /// The ID of a reference found in a row of another object's store.
    ///
    /// - Returns: `nil` where the model has no such entity.
    /// - Throws: ``StoreError`` with `noStore` where the store was removed.
    func id(_ reference: Int64, _ entity: Int, near other: ObjectID) throws -> ObjectID? {
        guard entity >= 0, entity < model.entities.count else { return nil }
        return ObjectID(scope: try scopes(of: other)[entity], reference: reference)
    }
}

/// Names a table of the identity map.
struct TreeKey: Hashable {
    let storeUUID: String
    let root: String
}
