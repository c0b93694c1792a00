import StrataModel
import Synchronization

/// Who is here, by ID: one part of a context, which has at most one object per row.
///
/// The map does not keep its objects alive; they leave it as they go. An object is registered under its ID, which is temporary until its
/// row has a reference of its own; then it is renamed, and the map goes on to find it under the temporary ID where somebody may have kept
/// that. The map knows nothing of rows and changes. The context and the ``RowLoader`` ask it; it asks nobody. All of that is on the context's
/// thread; only an object that goes leaves it on any, see ``forgetGoing(_:)``.
///
/// Whether an ID is temporary says nothing about the object: ``ManagedObject/isNew`` is what tells whether it was ever saved. A new object
/// may have a permanent ID, and where the coordinator is another context, a saved one may have a temporary one.
final class IdentityMap {
    private var tables: [Tree: IdentityTable] = [:]
    /// Changed with the lock held; objects that go look here.
    private var tablesByScope: [ObjectIdentifier: (scope: ObjectIDScope, table: IdentityTable)] = [:]
    /// The table of these that was asked for last.
    @safe @exclusivity(unchecked) private var lastGoing: (scope: ObjectIDScope, table: IdentityTable)?
    /// Guards what objects that go ask for.
    private var lock = IdentityLock.none
    /// The tables asked for last, of which nearly always one is the next one too: a save goes to and fro between temporary and permanent IDs.
    @safe @exclusivity(unchecked) private var last: (scope: ObjectIDScope, table: IdentityTable)?
    @safe @exclusivity(unchecked) private var lastButOne: (scope: ObjectIDScope, table: IdentityTable)?
    /// The scopes of temporary IDs, which a context shares with its parent.
    let temporaryScopes: ObjectIDScopes
    /// Whether there may be any objects, or children with some.
    let occupancy = Occupancy()
    /// Whether the objects are kept alive.
    var keepsObjects = false {
        didSet { for table in tables.values { table.keepsObjects = keepsObjects } }
    }
    /// The permanent IDs by the temporary references before them.
    private(set) var permanentIDs: [Int64: ObjectID] = [:]
    /// The children of the context, who know objects by the same temporary IDs.
    var children: ChildContexts?
    /// The temporary references that are kept until the children know the other ones.
    private var lent: [Int64] = []

    /// A tree of entities in a store, whose references are unique: what a table is for.
    private struct Tree: Hashable {
        let storeID: StoreID
        let root: String
    }

    init(_ temporaryScopes: ObjectIDScopes) { self.temporaryScopes = temporaryScopes }

    /// Takes the lock that the objects of a context, which is just made, know.
    func belong(to context: ManagedObjectContext) { lock = unsafe IdentityLock.of(Unmanaged.passUnretained(context)) }

    // MARK: - Looking up

    /// The object with an ID that is registered here.
    subscript(id: ObjectID) -> ManagedObject? {
        let id = permanent(id)
        return table(id.scope)[id.reference]
    }

    /// The object of a row that is registered here.
    subscript(scope: ObjectIDScope, reference: Int64) -> ManagedObject? { table(scope)[reference] }

    /// Returns the object with an ID; where none is registered, a fault is made and is.
    func object(with id: ObjectID, for context: ManagedObjectContext) -> ManagedObject {
        let id = permanent(id)
        let table = table(id.scope)
        if let object = table[id.reference] { return object }
        let object = id.entity.managedObjectClass.init(ObjectOrigin(id: id, context: context))
        object.markLoading(.fault)
        table.insert(object, id.reference)
        return object
    }

    var all: [ManagedObject] { tables.values.flatMap(\.all) }
    var isEmpty: Bool { tables.values.allSatisfy { $0.count == 0 } }

    /// Returns the objects of one store and entity tree, for whoever registers many.
    func table(_ scope: ObjectIDScope) -> IdentityTable {
        if let last, last.scope === scope { return last.table }
        if let lastButOne, lastButOne.scope === scope { return lastButOne.table }
        let table = findTable(scope)
        lastButOne = last
        last = (scope, table)
        return table
    }

    private func findTable(_ scope: ObjectIDScope) -> IdentityTable {
        if let known = tablesByScope[ObjectIdentifier(scope)] { return known.table }
        let tree = Tree(storeID: scope.storeID, root: scope.entity.rootName)
        let table = tables[tree] ?? IdentityTable(lock)
        table.keepsObjects = keepsObjects
        occupancy.begin()
        tables[tree] = table
        lock.withLock { tablesByScope[ObjectIdentifier(scope)] = (scope, table) }
        return table
    }

    // MARK: - Registering

    /// Registers an object under its ID.
    func register(_ object: ManagedObject) { table(object.objectID.scope).insert(object, object.objectID.reference) }

    /// Has an object not be found any more.
    func forget(_ object: ManagedObject) { table(object.objectID.scope).remove(object, object.objectID.reference) }

    /// Has an object not be found any more that goes, on any thread, and holds the lock.
    func forgetGoing(_ object: ManagedObject) {
        let id = object.objectID
        if lastGoing?.scope !== id.scope { lastGoing = tablesByScope[ObjectIdentifier(id.scope)] }
        lastGoing?.table.removeGoing(object, id.reference)
    }

    /// Has no object be found any more, and none by an earlier ID.
    func forgetAll() {
        letGo()
        let released = tablesByScope
        tables = [:]
        lock.withLock {
            tablesByScope = [:]
            lastGoing = nil
        }
        last = nil
        lastButOne = nil
        permanentIDs = [:]
        lent = []
        withExtendedLifetime(released) {}
    }

    /// Has all objects be without the context, which they are not to look for as they go.
    func letGo() { for table in tables.values { table.letGo() } }

    // MARK: - IDs

    /// Temporary references ascend from the least number, and no two contexts of the process share one.
    private static let nextTemporary = Atomic<Int64>(Int64.min + 1)

    /// Returns an ID for a new object.
    func temporaryID(for entity: EntityDescription) -> ObjectID {
        let reference = IdentityMap.nextTemporary.add(1, ordering: .relaxed).oldValue
        return temporaryID(entity.index, reference)
    }

    func temporaryID(_ entityIndex: EntityIndex, _ reference: Int64) -> ObjectID {
        ObjectID(scope: temporaryScopes[entityIndex], reference: reference)
    }

    /// Gives an object another ID, and its place in the map with it.
    ///
    /// - Parameter isRemembered: Whether the object is found under a temporary ID that it had, too.
    func rename(_ object: ManagedObject, to id: ObjectID, remembering isRemembered: Bool) {
        forget(object)
        if isRemembered { redirect(object.objectID, to: id) }
        tellChildren(object.objectID, id)
        object.objectID = id
        register(object)
    }

    /// Gives an object, which keeps its place, an ID of its own entity, by which the place is found when the object goes.
    func refine(_ object: ManagedObject, to id: ObjectID) {
        _ = table(id.scope)
        object.objectID = id
    }

    /// Has the children hear of an object's other ID, and find it under the one before until then.
    func tellChildren(_ temporary: ObjectID, _ id: ObjectID) {
        guard let children, temporary.isTemporary else { return }
        if permanentIDs[temporary.reference] == nil { lent.append(temporary.reference) }
        redirect(temporary, to: id)
        children.tell(temporary.reference, id)
    }

    /// Forgets the temporary IDs that were kept for the children, where all of them know the other ones.
    func forgetLent() {
        guard let children, !lent.isEmpty, children.knowAllIDs else { return }
        for reference in lent { permanentIDs[reference] = nil }
        lent = []
    }

    /// Has a temporary ID stand for another ID; does nothing for a permanent one.
    func redirect(_ temporary: ObjectID, to id: ObjectID) {
        if temporary.isTemporary { permanentIDs[temporary.reference] = id }
    }

    /// Returns the permanent ID of an object that is known to have got one; the ID itself otherwise.
    func permanent(_ id: ObjectID) -> ObjectID {
        id.reference < 0 && !permanentIDs.isEmpty && id.isTemporary ? permanentIDs[id.reference] ?? id : id
    }

    /// Goes back to what temporary IDs stood for at an earlier moment.
    func restore(permanentIDs: [Int64: ObjectID]) { self.permanentIDs = permanentIDs }
}
