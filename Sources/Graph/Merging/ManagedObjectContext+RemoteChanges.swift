import StrataCoordinator
import StrataModel

extension ManagedObjectContext {
    /// Brings what someone else changed in the stores, such as a batch request, into contexts of this thread.
    ///
    /// Objects that were updated are read anew when they are touched, keeping their own changes; those that were deleted are gone, with all
    /// their values nil; relationships are loaded anew. Objects that are not registered are not made.
    ///
    /// XML and binary stores, which keep their file in memory, read it anew where another coordinator or process replaced it; what kept them
    /// from it is in ``lastFaultError``.
    public static func mergeChanges(fromRemoteContextSave changes: RemoteChanges, into contexts: [ManagedObjectContext]) {
        for context in contexts { context.mergeChanges(fromRemoteContextSave: changes) }
    }

    /// Brings what someone else changed in the stores into this context, as ``mergeChanges(fromRemoteContextSave:into:)`` does.
    ///
    /// - Complexity: O(n) in the changes and in the registered objects.
    public func mergeChanges(fromRemoteContextSave changes: RemoteChanges) {
        assertQueue()
        refreshStores(of: RemoteChanges.Kind.allCases.lazy.flatMap { changes[$0] })
        rowGeneration += 1
        prefetchedRows.removeAll()
        for id in changes.deleted {
            if let object = registeredObject(for: id) { becomeDeleted(object) }
        }
        let refreshed = (changes.inserted + changes.updated).compactMap { registeredObject(for: $0) }
        for object in refreshed { readAnew(object, mergeChanges: !object.isGone) }
        noteSiblings(refreshed)
        unloadRelationships(touchedBy: changes)
    }

    /// Has stores show what others saved in them, those that objects are in.
    func refreshStores(of ids: some Sequence<ObjectID>) {
        var uuids: [String] = []
        var last: ObjectIDScope?
        for id in ids where id.scope !== last {
            last = id.scope
            if let uuid = id.storeUUID, !uuids.contains(uuid) { uuids.append(uuid) }
        }
        if uuids.isEmpty { return }
        do { try coordinator.refreshStores(uuids) } catch { lastFaultError = error }
    }

    /// Has an object be what a fault is whose row is gone.
    func becomeDeleted(_ object: ManagedObject) {
        if object.isGone { return }
        object.willTurnIntoFault()
        if object.flags.contains(.unreadable) { failedAccesses.didForgetChanges(of: object) }
        object.row = nil
        object.extra = nil
        object.flags.subtract([.updated, .propagated, .fault])
        object.flags.insert([.inaccessible, .deleted])
        pendingDeletions.removeAll { $0 === object }
        keepChanged { $0 !== object }
        object.didTurnIntoFault()
    }

    /// Has the to-many relationships that the changed objects may have joined or left be loaded anew.
    func unloadRelationships(touchedBy changes: RemoteChanges) {
        let roots = Set((changes.inserted + changes.updated + changes.deleted).map(\.entity.root))
        if roots.isEmpty { return }
        for object in allRegistered() where !object.flags.contains(.inserted) {
            for (property, state) in object.extra?.toManyStates ?? [] where state.isLoaded {
                guard let relationship = object.entity.properties[property].relationship, !relationship.isTransient,
                    roots.contains(model.destination(of: relationship).root)
                else { continue }
                state.unload()
            }
        }
    }
}

extension BackgroundContext {
    /// Brings what someone else changed in the stores into contexts, each on its own queue, one after the other.
    public static func mergeChanges(fromRemoteContextSave changes: RemoteChanges, into contexts: [BackgroundContext]) async {
        for context in contexts {
            // The block throws nothing.
            try? await context.perform { $0.mergeChanges(fromRemoteContextSave: changes) }
        }
    }
}
