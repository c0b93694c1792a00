import StrataCoordinator
import StrataModel
import StrataStore

/// What a context knows of saved rows: one part of a context, which brings the rows of faults and the destinations of relationships.
///
/// It reads through the coordinator whatever is not the answer of a fetch: the rows that came along with fetches wait here for their faults,
/// faults that came together fire together, and every row finds its object here, the registered one or a new one. What it cannot read it
/// throws; where an accessor asked, which cannot throw, that is written down in ``failures``. It asks the ``IdentityMap`` who is here. A row
/// that is gone or is back is a mutation like any other, and goes through the ``ChangeTracker``. It never asks the coordinator for an object
/// that was never saved, whatever its ID.
final class RowLoader {
    /// What could not be read, and is not made up for.
    let failures: FailedAccesses
    /// Whether an object whose row is gone counts as deleted when its fault fires.
    var deletesInaccessibleFaults = true
    /// Decides for each object whose row is gone, instead of that.
    var handleInaccessibleFault: ((ManagedObject, ObjectID) -> Bool)?
    /// How long a row that came with a fetch is used for its fault; `nil` for any time.
    var stalenessInterval: Duration? {
        didSet {
            prefetcher.cache.stalenessInterval = stalenessInterval
            if stalenessInterval == nil { arrivals = [:] }
        }
    }
    /// When the rows of faults came, while that is asked for.
    private var arrivals: [ObjectID: ContinuousClock.Instant] = [:]
    /// Advances whenever saved rows turn out to be others than was known: an answer that was asked for before may be older than what is here.
    private(set) var generation = 0

    /// What to read ahead, and what was.
    // Exclusivity is not checked at run time, as each step of a traversal accesses it: a context is on one thread, and no access spans another.
    @safe @exclusivity(unchecked) var prefetcher = Prefetcher()
    /// Hears of loops that ask for one object after the other.
    var onDiagnostic: ((FaultingDiagnostic) -> Void)?

    /// What it reads through: the coordinator, in the state that the context is pinned to, or what stands for the parent.
    @safe @exclusivity(unchecked) var source: any Coordinator
    let identity: IdentityMap
    let tracker: ChangeTracker
    private var lastScopes: (storeID: StoreID, scopes: ObjectIDScopes)?

    init(_ coordinator: any Coordinator, _ identity: IdentityMap, _ tracker: ChangeTracker, _ failures: FailedAccesses) {
        source = coordinator
        self.identity = identity
        self.tracker = tracker
        self.failures = failures
    }

    // MARK: - Rows of single faults

    /// Brings a fault's row, where the row is there.
    ///
    /// - Throws: What kept the store from telling; the object stays a fault without values, and fires again.
    func requireRow(of object: ManagedObject) throws {
        guard object.row == nil, !object.isNew, !object.isGone else { return }
        do {
            prefetcher.willFire(object.objectID)
            if let row = prefetcher.cache.takeRow(of: object.objectID) { return try give(row, to: object) }
            if try requireRowOfMembers(of: object) { return }
            let faults = prefetcher.takeFaults(with: object.objectID, identity)
            if !faults.isEmpty {
                try loadRows(of: [object] + faults)
                if object.row != nil { return }
            }
            if try requireRowOfReached(object) { return }
            if try requireRowOfTraversal(of: object) { return }
            let followed = prefetcher.traversals.relationship(to: object.objectID)
            noteSingleRead((followed?.scope.entity ?? object.entity).name, followed?.relationship.name)
            if let row = try source.row(for: object.objectID) { return try give(row, to: object) }
        } catch {
            object.markLoading(.fault)
            throw error
        }
        failures.lastError = RowLoader.goneError(object.objectID)
        generation += 1
        object.markLoading(.inaccessible, clearing: .fault)
        guard handleInaccessibleFault?(object, object.objectID) ?? deletesInaccessibleFaults else { return }
        tracker.countAsDeleted(object)
        // Links to it stay: they are changes of their other ends, too, and conflict until the deletion is merged.
        object.managedObjectContext?.leavePendingOwners(object, includesLinks: false)
    }

    /// What says that a row is not there.
    static func goneError(_ id: ObjectID) -> StoreError {
        StoreError(.notFound, .fault, "the row of \(id) was deleted", entity: id.entity.name)
    }

    /// Brings the rows of several faults at once, those that are there.
    ///
    /// - Throws: What kept a store from telling.
    func loadRows(of objects: [ManagedObject]) throws {
        let faults = try objects.filter { object in
            guard object.row == nil, !object.isNew, !object.isGone else { return false }
            guard let row = prefetcher.cache.takeRow(of: object.objectID) else { return true }
            try give(row, to: object)
            return false
        }
        guard let root = faults.first?.entity.root else { return }
        if faults.allSatisfy({ $0.entity.root == root }) { return try loadRows(ofTree: faults) }
        for (_, group) in Dictionary(grouping: faults, by: { $0.entity.root }) { try loadRows(ofTree: group) }
    }

    private func loadRows(ofTree faults: [ManagedObject]) throws {
        for (object, row) in zip(faults, try source.rows(for: faults.map(\.objectID))) {
            if let row { try give(row, to: object) }
        }
    }

    func give(_ row: Row, to object: ManagedObject) throws {
        object.row = row
        if row.entityIndex != object.entity.index {
            identity.refine(object, to: ObjectID(scope: try scopes(of: object.objectID)[row.entityIndex], reference: row.reference))
        }
        if object.isGone { tracker.comeBack(object) }
    }

    /// Asks again for the row of an object that was gone: somebody else may have made it anew.
    ///
    /// - Throws: What kept the store from telling.
    func lookAgain(for object: ManagedObject) throws {
        if let row = try source.row(for: object.objectID) { try give(row, to: object) }
    }

    /// Gives an object another row than it had, as the store has it now.
    func replaceRow(of object: ManagedObject, by row: Row) {
        generation += 1
        object.row = row
        object.markLoading(.fault)
    }

    /// Records faults that were read together: when one fires, so will the others.
    func noteSiblings(_ objects: [ManagedObject], of relationship: RelationshipDescription? = nil) {
        prefetcher.addFaults(objects, of: relationship)
    }

    // MARK: - Rows as they are now

    /// Returns the row that the coordinator has of an object just now, whatever is known of it here; `nil` where there
    /// is none.
    ///
    /// - Throws: What kept it from telling.
    func savedRow(of id: ObjectID) throws -> Row? { try source.row(for: id) }

    /// Returns the rows that the coordinator has of objects of one tree just now, `nil` in the place of each that there
    /// is none of.
    ///
    /// - Throws: What kept it from telling.
    func savedRows(of ids: [ObjectID]) throws -> [Row?] { try source.rows(for: ids) }

    /// Returns which of some objects, of any entity hierarchies, the parent or the stores have just now.
    ///
    /// - Throws: What kept a store from answering.
    func existingIDs(_ ids: [ObjectID]) throws -> Set<ObjectID> {
        var existing: Set<ObjectID> = []
        for group in Dictionary(grouping: ids, by: \.entity.root).values {
            var rows = try savedRows(of: group)
            try (source as? ParentContext)?.removeMissing(&rows, of: group)
            for (id, row) in zip(group, rows) where row != nil { existing.insert(id) }
        }
        return existing
    }

    // MARK: - Prefetched rows

    /// Keeps what a fetch prefetched, until faults fire.
    func keep(_ batch: PrefetchedRows.Batch) { prefetcher.cache.add(batch) }

    /// Returns whether an object's row was prefetched, or read ahead.
    func hasRow(of id: ObjectID) -> Bool { prefetcher.cache.hasRow(of: id) }

    /// Forgets prefetched rows, as saved rows are others than was known.
    ///
    /// - Parameter id: The only object concerned; `nil` for all.
    func forgetRows(of id: ObjectID? = nil) {
        generation += 1
        if let id { prefetcher.forgetRow(of: id) } else { prefetcher.forgetRows() }
    }

    // MARK: - Stores

    /// Has stores show what others saved in them, those that objects are in; what keeps them from it is the last error.
    func refreshStores(of ids: some Sequence<ObjectID>) {
        var storeIDs: [StoreID] = []
        var last: ObjectIDScope?
        for id in ids where id.scope !== last {
            last = id.scope
            if let storeID = id.storeID, !storeIDs.contains(storeID) { storeIDs.append(storeID) }
        }
        if storeIDs.isEmpty { return }
        do { try source.refreshStores(storeIDs) } catch { failures.lastError = error }
    }

    /// Records a store that objects are in and that is not open as the last error.
    func requireStores(of objects: [ManagedObject]) {
        var last: ObjectIDScope?
        for object in objects where object.objectID.scope !== last {
            last = object.objectID.scope
            guard let storeID = object.objectID.storeID else { continue }
            do { _ = try source.scopes(ofStore: storeID) } catch { failures.lastError = error }
        }
    }

    /// Has all stores show what others saved in them; what keeps them from it is the last error.
    func refreshStores() {
        do { try source.refreshStores(nil) } catch { failures.lastError = error }
    }

    // MARK: - Rows that grow old

    /// Takes note of when the rows of faults came.
    private func noteArrival(of objects: [ManagedObject]) {
        if stalenessInterval == nil { return }
        let now = ContinuousClock.Instant.now
        for object in objects where object.isFault && object.row != nil { arrivals[object.objectID] = now }
    }

    /// Gives an object without changes whose fault is about to fire the row that its store has now, where the one that came with it is too old.
    ///
    /// Where the store cannot tell it is used all the same: the last error says so.
    func replaceStaleRow(of object: ManagedObject) {
        guard let stalenessInterval, let arrival = arrivals.removeValue(forKey: object.objectID), object.row != nil, !object.hasChanges,
            arrival.duration(to: .now) > stalenessInterval
        else { return }
        do {
            if let row = try source.row(for: object.objectID) {
                generation += 1
                object.row = row
            } else {
                object.row = nil
                try requireRow(of: object)
            }
        } catch {
            failures.lastError = error
        }
    }

    // MARK: - Scopes

    /// Returns the scopes of the IDs of an object's store.
    ///
    /// - Throws: `StoreError` with `noStore`.
    func scopes(of id: ObjectID) throws -> ObjectIDScopes {
        try scopes(ofStore: id.isTemporary ? source.storeID(of: id) : id.scope.storeID)
    }

    /// Returns the scopes of a store's IDs.
    ///
    /// - Throws: `StoreError` with `noStore`.
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes {
        if let lastScopes, lastScopes.storeID == storeID { return lastScopes.scopes }
        let scopes = try source.scopes(ofStore: storeID)
        lastScopes = (storeID, scopes)
        return scopes
    }

    /// Returns the object with a reference in the store of another one, where it is registered, and the store is the
    /// one that was asked about last.
    func registeredObject(_ reference: Int64, _ entity: EntityIndex, near other: ObjectIDScope) -> ManagedObject? {
        guard let scopes = lastScopes?.scopes, scopes.entityIndices.contains(other.entity.index), scopes.entityIndices.contains(entity),
            scopes[other.entity.index] === other
        else { return nil }
        return identity[scopes[entity], reference]
    }

    // MARK: - Objects of rows

    /// Returns the object of a row: the registered one, which keeps its values where it has any, or a new one.
    ///
    /// - Throws: `StoreError` with `corrupt` for a row of an entity that the model does not have.
    func object(of row: Row, _ scopes: ObjectIDScopes, for context: ManagedObjectContext) throws -> ManagedObject {
        let scope = try (row.reference < 0 ? identity.temporaryScopes : scopes).scope(of: row)
        return object(of: row, scope, identity.table(scope), scope.entity.managedObjectClass, context)
    }

    @inline(__always)
    private func object(
        of row: Row, _ scope: ObjectIDScope, _ table: IdentityTable, _ type: ManagedObject.Type, _ context: ManagedObjectContext
    ) -> ManagedObject {
        let reference = row.reference
        if let known = table[reference] {
            if known.flags.contains(.unreadable) { failures.didReadRow(of: known) }
            if known.row == nil && !known.isNew {
                if known.isGone { tracker.comeBack(known) }
                known.row = row
                // A fault made from an ID may have been given an ancestor's entity.
                if known.objectID.scope !== scope { known.objectID = ObjectID(scope: scope, reference: reference) }
            } else if let old = known.row, old.version != row.version || !old.isOfStore {
                renew(known, old, row)
            }
            return known
        }
        let object = type.init(ObjectOrigin(id: ObjectID(scope: scope, reference: reference), context: context))
        object.row = row
        object.markLoading(.fault)
        table.insert(object, reference)
        return object
    }

    /// Has an object that is here keep up with a row that was fetched: one that nobody touched has the newest row.
    private func renew(_ object: ManagedObject, _ old: Row, _ row: Row) {
        if !old.isOfStore {
            // The same, and now it is known which version it is.
            if old.isEqual(to: row, in: object.entity) { object.row = row }
            return
        }
        // Answers may be older than what is here: versions only grow.
        guard object.flags.contains(.fault), row.isOfStore, row.version > old.version, !object.hasChanges else { return }
        tracker.willReplaceValues(of: object)
        replaceRow(of: object, by: row)
    }

    /// Returns the objects of fetched rows.
    ///
    /// - Throws: `StoreError` with `corrupt` for a row of an entity that the model does not have.
    func objects(of fetched: FetchedRows, for context: ManagedObjectContext) throws -> [ManagedObject] {
        if fetched.rows.count == 1 {
            let object = try object(of: fetched.rows[0], fetched.scopes(ofRowAt: 0), for: context)
            noteArrival(of: [object])
            return [object]
        }
        var objects: [ManagedObject] = []
        objects.reserveCapacity(fetched.rows.count)
        var next = 0
        while next < fetched.rows.count {
            // Rows of one entity and store mostly come together.
            let (entity, store) = (fetched.rows[next].entityIndex, fetched.store(ofRowAt: next))
            let scope = try fetched.scopes(ofRowAt: next).scope(of: fetched.rows[next])
            let (table, type) = (identity.table(scope), scope.entity.managedObjectClass)
            if next == 0 { table.reserve(fetched.rows.count) }
            repeat {
                objects.append(object(of: fetched.rows[next], scope, table, type, context))
                next += 1
            } while next < fetched.rows.count && fetched.rows[next].entityIndex == entity && fetched.store(ofRowAt: next) == store
        }
        noteArrival(of: objects)
        return objects
    }
}
