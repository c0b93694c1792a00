import StrataCoordinator
import StrataModel
import StrataStore

/// The reader of saved rows for a context: it fetches the rows of faults and the destinations of relationships.
///
/// It reads through the coordinator all that is not the answer of a fetch: prefetched rows wait here for their faults,
/// faults that were fetched together fire together, and every row is given its object, registered or new. It throws its
/// errors; those of accessors, which cannot throw, are recorded in ``failures``. It looks objects up in the
/// ``IdentityMap``. Deleted and restored rows are mutations, through the ``ChangeTracker``. It never asks the
/// coordinator for an object that was never saved, whatever its ID.
final class RowLoader {
    let failures: FailedAccesses
    /// Whether an object whose row was deleted counts as deleted when its fault fires.
    var deletesInaccessibleFaults = true
    /// Decides it for each object whose row was deleted.
    var handleInaccessibleFault: ((ManagedObject, ObjectID) -> Bool)?
    /// The greatest age of a fetched row for firing its fault; `nil` for any.
    var stalenessInterval: Duration? {
        didSet {
            prefetcher.cache.stalenessInterval = stalenessInterval
            if stalenessInterval == nil { arrivals = [:] }
        }
    }
    /// The arrival times of rows, while a staleness interval is set.
    private var arrivals: [ObjectID: ContinuousClock.Instant] = [:]
    /// Advances with each change of saved rows: the answer of an earlier request may be outdated.
    private(set) var generation = 0

    // Exclusivity is not checked at run time: traversals access it at each step, on one thread, none within another.
    @safe @exclusivity(unchecked) var prefetcher = Prefetcher()
    /// Is notified of loops that fetch one object after the other.
    var onDiagnostic: ((FaultingDiagnostic) -> Void)?

    /// The source of rows: the coordinator, in the state that the context is pinned to, or the parent.
    @safe @exclusivity(unchecked) var source: any Coordinator
    let identity: IdentityMap
    let tracker: ChangeTracker
    @safe @exclusivity(unchecked) private var lastScopes: (storeID: StoreID, scopes: ObjectIDScopes)?

    init(_ coordinator: any Coordinator, _ identity: IdentityMap, _ tracker: ChangeTracker, _ failures: FailedAccesses) {
        source = coordinator
        self.identity = identity
        self.tracker = tracker
        self.failures = failures
    }

    // MARK: - Rows of single faults

    /// Loads a fault's row where it exists; throws the error of the store; the object stays a fault and fires again.
    func requireRow(of object: ManagedObject) throws {
        guard object.row == nil, !object.isNew, !object.isInaccessible else { return }
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
        failures.lastError = RowLoader.missingRowError(object.objectID)
        generation += 1
        object.markLoading(.inaccessible, clearing: .fault)
        guard handleInaccessibleFault?(object, object.objectID) ?? deletesInaccessibleFaults else { return }
        tracker.countAsDeleted(object)
        // Links to it stay: they are changes of their other ends, and conflict until the deletion is merged.
        object.managedObjectContext?.leavePendingOwners(object, includesLinks: false)
    }

    static func missingRowError(_ id: ObjectID) -> StoreError {
        StoreError(.notFound, .fault, "the row of \(id) was deleted", entity: id.entity.name)
    }

    func loadRows(of objects: [ManagedObject]) throws {
        let faults = try objects.filter { object in
            guard object.row == nil, !object.isNew, !object.isInaccessible else { return false }
            guard let row = prefetcher.cache.takeRow(of: object.objectID) else { return true }
            try give(row, to: object)
            return false
        }
        guard let root = faults.first?.entity.root else { return }
        if faults.allSatisfy({ $0.entity.root == root }) { return try loadRows(ofHierarchy: faults) }
        for (_, group) in Dictionary(grouping: faults, by: { $0.entity.root }) { try loadRows(ofHierarchy: group) }
    }

    private func loadRows(ofHierarchy faults: [ManagedObject]) throws {
        for (object, row) in zip(faults, try source.rows(for: faults.map(\.objectID))) {
            if let row { try give(row, to: object) }
        }
    }

    func give(_ row: Row, to object: ManagedObject) throws {
        object.row = row
        if row.entityIndex != object.entityIndex {
            identity.refine(object, to: ObjectID(scope: try scopes(of: object.objectID)[row.entityIndex], reference: row.reference))
        }
        if object.isInaccessible { tracker.restoreFault(object) }
        tracker.didGetRow(object)
    }

    /// Fetches the row of an object again that was missing: another process may have inserted it.
    func lookAgain(for object: ManagedObject) throws { if let row = try source.row(for: object.objectID) { try give(row, to: object) } }

    func replaceRow(of object: ManagedObject, by row: Row) {
        generation += 1
        object.row = row
        object.markLoading(.fault)
        tracker.didGetRow(object)
    }

    /// Records faults that were read together: when one fires, all do.
    func noteSiblings(_ objects: [ManagedObject], of relationship: RelationshipDescription? = nil) {
        prefetcher.faults.add(objects, of: relationship)
    }

    // MARK: - Current rows

    /// Returns the current row of an object in the coordinator; `nil` where there is none.
    func savedRow(of id: ObjectID) throws -> Row? { try source.row(for: id) }

    /// Returns the current rows of objects of one hierarchy in the coordinator; `nil` for each that is missing.
    func savedRows(of ids: [ObjectID]) throws -> [Row?] { try source.rows(for: ids) }

    /// Returns which of some objects, of any entity hierarchies, exist in the parent or the stores.
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

    /// Discards prefetched rows, as saved rows have changed, and releases the last destinations.
    ///
    /// - Parameter id: The only object concerned; `nil` for all.
    func forgetRows(of id: ObjectID? = nil) {
        generation += 1
        if let id { return prefetcher.cache.remove(id) }
        prefetcher.forgetRows()
        LeavingList.releaseAll(prefetcher.recent.takeAll())
    }

    // MARK: - Stores

    /// Refreshes the stores of some objects, so that they show others' saves; an error becomes the last one.
    func refreshStores(of ids: some Sequence<ObjectID>) {
        var storeIDs: [StoreID] = []
        var last: ObjectIDScope?
        for id in ids where id.scope != last {
            last = id.scope
            if let storeID = id.storeID, !storeIDs.contains(storeID) { storeIDs.append(storeID) }
        }
        if storeIDs.isEmpty { return }
        do { try source.refreshStores(storeIDs) } catch { failures.lastError = error }
    }

    /// Records a store of objects that is not open as the last error.
    func requireStores(of objects: [ManagedObject]) {
        var last: ObjectIDScope?
        for object in objects where object.objectID.scope != last {
            last = object.objectID.scope
            guard let storeID = object.objectID.storeID else { continue }
            do { _ = try source.scopes(ofStore: storeID) } catch { failures.lastError = error }
        }
    }

    /// Refreshes all stores, so that they show others' saves; an error becomes the last one.
    func refreshStores() {
        do { try source.refreshStores(nil) } catch { failures.lastError = error }
    }

    // MARK: - Outdated rows

    func noteArrival(of objects: [ManagedObject]) {
        if stalenessInterval == nil { return }
        let now = ContinuousClock.Instant.now
        for object in objects where object.isFault && object.row != nil { arrivals[object.objectID] = now }
    }

    /// Fetches the row of an unchanged object again whose fault is about to fire, where it is too old.
    ///
    /// Where that fails the old one is used, and the error recorded as the last.
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

    /// Returns the scopes of the IDs of an object's store; throws `StoreError` with `noStore`.
    func scopes(of id: ObjectID) throws -> ObjectIDScopes {
        if let scopes = lastScopes(with: id.scope) { return scopes }
        return try scopes(ofStore: id.isTemporary ? source.storeID(of: id) : id.scope.storeID)
    }

    /// Returns the scopes of a store's IDs; throws `StoreError` with `noStore`.
    func scopes(ofStore storeID: StoreID) throws -> ObjectIDScopes {
        if let lastScopes, lastScopes.storeID == storeID { return lastScopes.scopes }
        let scopes = try source.scopes(ofStore: storeID)
        lastScopes = (storeID, scopes)
        return scopes
    }

    /// Returns the scopes of the store of a scope, where that store was used last; compares no text.
    @inline(__always)
    private func lastScopes(with scope: ObjectIDScope) -> ObjectIDScopes? {
        guard let scopes = lastScopes?.scopes, scopes.entityIndices.contains(scope.entityIndex), scopes[scope.entityIndex] == scope
        else { return nil }
        return scopes
    }

    /// Returns the ID of a permanent reference in the store of another object, where that store was used last.
    func id(_ reference: Int64, _ entity: EntityIndex, near other: ObjectIDScope) -> ObjectID? {
        guard reference > 0, let scopes = lastScopes(with: other), scopes.entityIndices.contains(entity) else { return nil }
        return ObjectID(scope: scopes[entity], reference: reference)
    }

    /// Returns the registered object with a reference in the store of another one, where that store was used last.
    func registeredObject(_ reference: Int64, _ entity: EntityIndex, near other: ObjectIDScope) -> ManagedObject? {
        id(reference, entity, near: other).flatMap { identity[$0.scope, $0.reference] }
    }
}
