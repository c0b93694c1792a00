import StrataModel
import Synchronization

/// The registered objects of a context by ID, at most one per row.
///
/// The map does not retain its objects; they leave it when they are deallocated. An object is registered under its ID,
/// which is temporary until its row has a reference; then it is renamed, and found under the temporary ID as well where
/// that may have been kept. The map knows nothing of rows and changes, and calls no other part. It is used on the
/// context's thread; only deallocated objects leave it on any, see ``forgetGoing(_:)``.
///
/// Whether an ID is temporary says nothing about the object: only ``ManagedObject/isNew`` shows whether it was ever
/// saved. A new object may have a permanent ID, and the saved object of a child context a temporary one.
@safe final class IdentityMap {
    private var tables: [Hierarchy: IdentityTable] = [:]
    /// Changed with the lock held; deallocations read it.
    private var tablesByScope: [ObjectIDScope: IdentityTable] = [:]
    /// The table that a deallocation used last; `tables` retains it.
    @safe @exclusivity(unchecked) private var lastGoing: (scope: ObjectIDScope, table: Unmanaged<IdentityTable>)?
    @safe @exclusivity(unchecked) private var listed = ListedOwners()
    /// Guards what deallocations read.
    private var lock = IdentityLock.none
    @safe @exclusivity(unchecked) private(set) var used = UsedTables()

    let temporaryScopes: ObjectIDScopes
    /// Whether the context or a child may have objects.
    let registrationFlag = RegistrationFlag()
    var keepsObjects = false {
        didSet { for table in tables.values { table.keepsObjects = keepsObjects } }
    }
    /// The permanent IDs by the temporary references before them.
    @safe @exclusivity(unchecked) private(set) var permanentIDs: [Int64: ObjectID] = [:]
    /// The children of the context, who know objects by the same temporary IDs.
    @safe @exclusivity(unchecked) var children: ChildContexts?
    /// The temporary references that are kept until the children know the permanent ones.
    private var lent: [Int64] = []

    /// The entity hierarchy of a store, whose references are unique; each has a table.
    private struct Hierarchy: Hashable {
        let storeID: StoreID
        let root: String
    }

    init(_ temporaryScopes: ObjectIDScopes) { self.temporaryScopes = temporaryScopes }

    /// Adopts the lock of a new context.
    func belong(to context: ManagedObjectContext) { lock = unsafe IdentityLock.of(Unmanaged.passUnretained(context)).takeUnretainedValue() }

    subscript(id: ObjectID) -> ManagedObject? {
        let id = permanent(id)
        return withTable(id.scope) { $0[id.reference] }
    }

    subscript(scope: ObjectIDScope, reference: Int64) -> ManagedObject? { withTable(scope) { $0[reference] } }

    /// Returns the object with an ID; registers a fault where there is none.
    func object(with id: ObjectID, for context: ManagedObjectContext) -> ManagedObject {
        let id = permanent(id)
        if let object = self[id.scope, id.reference] { return object }
        let object = id.entity.managedObjectClass.init(ObjectOrigin(id: id, context: context))
        object.markLoading(.fault)
        register(object)
        return object
    }

    var all: [ManagedObject] { tables.values.flatMap(\.all) }

    /// Returns the objects of some entity hierarchies, by the names of the roots.
    func all(of roots: Set<String>) -> [ManagedObject] {
        tables.lazy.filter { roots.contains($0.key.root) }.flatMap(\.value.all)
    }

    /// The objects with to-many relationships that were read or changed: merges do not search the others.
    var owners: [ManagedObject] {
        var seen: Set<ObjectIdentifier> = []
        let owners = listed.ids.compactMap { self[$0.scope, $0.reference] }
            .filter { $0.flags.contains(.owner) && seen.insert(ObjectIdentifier($0)).inserted }
        listed.keep(owners.map(\.objectID))
        return owners.sorted { $0.objectID.reference < $1.objectID.reference }
    }

    /// Lists an object among ``owners``, by its ID.
    ///
    /// - Precondition: All other objects are registered by the IDs that they have.
    func list(owner id: ObjectID) {
        if listed.isOutgrown { _ = owners }
        listed.add(id)
    }

    /// Lists an owner by another ID, by which it is about to be registered.
    func list(renamedOwner id: ObjectID) { listed.add(id) }

    var isEmpty: Bool { tables.values.allSatisfy { $0.count == 0 } }

    /// Returns the table of one store and entity hierarchy, for registering many objects.
    func table(_ scope: ObjectIDScope) -> IdentityTable { unsafe reference(scope).takeUnretainedValue() }

    /// Calls `body`, which runs no application code, with the table of one store and entity hierarchy, without counting
    /// a reference to it.
    @inline(__always)
    private func withTable<Result>(_ scope: ObjectIDScope, _ body: (IdentityTable) -> Result) -> Result {
        unsafe reference(scope)._withUnsafeGuaranteedRef { body($0) }
    }

    @inline(__always)
    private func reference(_ scope: ObjectIDScope) -> Unmanaged<IdentityTable> {
        if let known = unsafe used[scope] { return unsafe known }
        let table = unsafe Unmanaged.passUnretained(findTable(scope))
        unsafe used.note(table, of: scope)
        return unsafe table
    }

    private func findTable(_ scope: ObjectIDScope) -> IdentityTable {
        if let known = tablesByScope[scope] { return known }
        let hierarchy = Hierarchy(storeID: scope.storeID, root: scope.entity.rootName)
        let table = tables[hierarchy] ?? IdentityTable(lock)
        table.keepsObjects = keepsObjects
        registrationFlag.begin()
        tables[hierarchy] = table
        lock.withLock { tablesByScope[scope] = table }
        return table
    }

    /// Records the table of a to-one relationship's destination, by the scope and the property of its source.
    func noteDestination(_ object: ManagedObject, of property: Int, from scope: ObjectIDScope) {
        used.note(table(object.objectID.scope), of: property, from: scope)
    }

    func register(_ object: ManagedObject) {
        let id = object.objectID
        withTable(id.scope) { $0.insert(object, id.reference) }
    }

    func forget(_ object: ManagedObject) {
        let id = object.objectID
        withTable(id.scope) { $0.remove(object, id.reference) }
    }

    /// Removes an object that is being deallocated, on any thread; it holds the lock.
    func forgetGoing(_ object: ManagedObject) {
        let id = object.objectID
        if lastGoing?.scope != id.scope {
            lastGoing = unsafe tablesByScope[id.scope].map { unsafe (id.scope, Unmanaged.passUnretained($0)) }
        }
        unsafe lastGoing?.table._withUnsafeGuaranteedRef { $0.takeOut(object, id.reference) }
    }

    func forgetAll() {
        detachAll()
        let released = tablesByScope
        used = UsedTables()
        listed = ListedOwners()
        tables = [:]
        lock.withLock {
            tablesByScope = [:]
            lastGoing = nil
        }
        permanentIDs = [:]
        lent = []
        withExtendedLifetime(released) {}
    }

    /// Detaches all objects from the context, which their deallocation must not look for.
    func detachAll() { for table in tables.values { table.detachAll() } }

    /// Temporary references ascend from the least number, and are unique in the process.
    private static let nextTemporary = Atomic<Int64>(Int64.min + 1)

    static func newReference() -> Int64 { nextTemporary.add(1, ordering: .relaxed).oldValue }

    func newTemporaryID(_ entityIndex: EntityIndex) -> ObjectID { temporaryID(entityIndex, IdentityMap.newReference()) }

    func temporaryID(_ entityIndex: EntityIndex, _ reference: Int64) -> ObjectID {
        ObjectID(scope: temporaryScopes[entityIndex], reference: reference)
    }

    /// Returns whether an ID is one that a context gives a new object; a coordinator's own temporary ones are not.
    func isOfNewObject(_ id: ObjectID) -> Bool {
        let scope = id.scope
        return id.reference < 0 && scope.isTemporary && temporaryScopes.entityIndices.contains(scope.entityIndex)
            && temporaryScopes[scope.entityIndex] == scope
    }

    /// Gives an object another ID, and moves it in the map.
    ///
    /// - Parameter isRemembered: Whether the object is found under a temporary ID that it had, too.
    func rename(_ object: ManagedObject, to id: ObjectID, remembering isRemembered: Bool) {
        forget(object)
        if isRemembered { redirect(object.objectID, to: id) }
        notifyChildren(object.objectID, id)
        object.objectID = id
        register(object)
    }

    /// Gives an object an ID of its own entity, by which its slot is found on deallocation.
    func refine(_ object: ManagedObject, to id: ObjectID) {
        _ = table(id.scope)
        object.objectID = id
    }

    /// Notifies the children of an object's new ID; the object is found under the old one until then.
    func notifyChildren(_ temporary: ObjectID, _ id: ObjectID) {
        guard let children, temporary.isTemporary else { return }
        if permanentIDs[temporary.reference] == nil { lent.append(temporary.reference) }
        redirect(temporary, to: id)
        children.notify(temporary.reference, id)
    }

    /// Forgets the temporary IDs that were kept for the children, once all of them know the permanent ones.
    func forgetLent() {
        guard let children, !lent.isEmpty, children.knowAllIDs else { return }
        for reference in lent { permanentIDs[reference] = nil }
        lent = []
    }

    /// Maps a temporary ID to another ID; does nothing for a permanent one.
    func redirect(_ temporary: ObjectID, to id: ObjectID) { if temporary.isTemporary { permanentIDs[temporary.reference] = id } }

    /// Returns the permanent ID of an object where one is known; the ID itself otherwise.
    func permanent(_ id: ObjectID) -> ObjectID {
        id.reference < 0 && !permanentIDs.isEmpty && id.isTemporary ? permanentIDs[id.reference] ?? id : id
    }

    /// Restores the meaning of temporary IDs at an earlier moment.
    func restore(permanentIDs: [Int64: ObjectID]) { self.permanentIDs = permanentIDs }
}
