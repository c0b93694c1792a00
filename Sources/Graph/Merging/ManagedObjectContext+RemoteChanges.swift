public import StrataCoordinator
import StrataModel

extension ManagedObjectContext {
    /// Merges changes that were made in the stores without a context, such as those of a batch request, into contexts
    /// of this thread.
    ///
    /// Objects that were updated are read anew when they are accessed, and keep their own pending changes; those that
    /// were deleted become deleted objects, with all their values nil, and unsaved references to them are set to nil;
    /// relationships are loaded anew. No objects are created that are not registered. A deletion of an object that is
    /// in its store again when the change is merged counts as an update.
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
        // Core Data's clients hear of what is new in the stores as of what comes into the context.
        readingLatest { merge(changes, intoAllChildren: false, registersInserted: options.semantics.registersMergedInsertions) }
    }

    /// Brings what a save of another context changed into this one; see ``mergeChanges(fromRemoteContextSave:)``.
    ///
    /// - Parameter change: One that says ``ContextEvent/Kind/didSave``, of a context whose coordinator has the same stores; others tell of
    ///   nothing that was stored, and are merged all the same.
    public func mergeChanges(fromContextDidSave change: ContextChange) { mergeChanges(fromRemoteContextSave: change.changes) }

    /// Brings what a save, or a batch request, changed into this context; see ``mergeChanges(fromRemoteContextSave:)``.
    public func mergeChanges(from event: SaveEvent) { mergeChanges(fromRemoteContextSave: event.changes) }

    /// - Parameters:
    ///   - isForAll: Whether also those children hear of it that do not want to be told of what others save.
    ///   - registersInserted: Whether objects are made of those that were inserted.
    func merge(_ changes: RemoteChanges, intoAllChildren isForAll: Bool, registersInserted: Bool = false) {
        if changes.isEmpty { return }
        parent?.learnIDs()
        loader.refreshStores(of: RemoteChanges.Kind.allCases.lazy.flatMap { changes[$0] })
        loader.forgetRows()
        let changes = currentChanges(changes)
        for id in changes.deleted {
            if let object = registered(id) { becomeDeleted(object) }
        }
        let made = registersInserted ? makeFaults(of: changes.inserted) : []
        defer { withExtendedLifetime(made) {} }
        let refreshed = (changes.inserted + changes.updated).compactMap { registered($0) }
        for object in refreshed {
            let names = changes.changedProperties[object.objectID]
            readAnew(object, mergeChanges: !object.isGone, names.map { PropertySet(named: $0, of: object.entity) })
        }
        loader.noteSiblings(refreshed)
        readSourcesAnew(of: changes.deleted)
        unloadRelationships(touchedBy: changes)
        children?.tell(changes, toAll: isForAll)
        tellMerge(of: changes)
    }

    /// Returns changes as they are now.
    ///
    /// A later save may have inserted a deleted object again, this context's own among them, and a parent may have taken a deletion back: such
    /// an object was updated. An object that was deleted since stays deleted. What cannot be read is merged as it came.
    ///
    /// - Complexity: One read of rows for each entity hierarchy of which a registered object was deleted; else none.
    private func currentChanges(_ changes: RemoteChanges) -> RemoteChanges {
        let deleted = changes.deleted.filter { registered($0).map { !$0.isGone } ?? false }
        let inserted = (changes.inserted + changes.updated).filter { registered($0)?.isGone ?? false }
        let ids = deleted + inserted
        if ids.isEmpty { return changes }
        guard let existing = try? loader.existingIDs(ids) else { return changes }
        let missing = Set(ids).subtracting(existing)
        var current = changes
        current.deleted.removeAll(where: existing.contains)
        current.inserted.removeAll(where: missing.contains)
        current.updated.removeAll(where: missing.contains)
        current.updated += deleted.filter(existing.contains)
        return current
    }

    /// Faults of objects that are new in their stores, for those that are not here; those of other models stay away.
    private func makeFaults(of inserted: [ObjectID]) -> [ManagedObject] {
        inserted.compactMap { id in
            let index = id.entity.index.rawValue
            guard registered(id) == nil, model.entities.indices.contains(index), model.entities[index] === id.entity else { return nil }
            let object = object(with: id)
            observation.listeners?.recorder.didCome(object)
            return object
        }
    }

    /// Has everything be read anew, as more was changed than is worth a list.
    func mergeEverything() {
        let objects = identity.all
        loader.refreshStores()
        loader.forgetRows()
        for object in objects where !object.isNew { readAnew(object, mergeChanges: !object.isGone) }
        takeBackReferencesToMissing()
        loader.noteSiblings(objects)
        children?.tellEverything()
        tellMerge(of: nil)
    }

    /// Has the objects be read anew whose rows lead to some that are gone: the store took these destinations from them, be it that whoever
    /// tells of the deletions does not tell of that, as a batch request's client does.
    private func readSourcesAnew(of deleted: [ObjectID]) {
        if deleted.isEmpty { return }
        let roots = roots(of: deleted)
        lazy var ids = Set(deleted)
        var relationships: [EntityIndex: [RelationshipDescription]] = [:]
        for object in identity.all where object.row != nil && !object.isNew {
            let leading =
                relationships[object.entity.index]
                ?? object.entity.relationships.filter { !$0.isToMany && roots.contains(model.destination(of: $0).root) }
            relationships[object.entity.index] = leading
            let lost = leading.filter { object.storedDestination($0).objectID.map(ids.contains) ?? false }
            if !lost.isEmpty { readAnew(object, mergeChanges: true, lost.reduce(into: PropertySet()) { $0.insert($1.index) }) }
        }
        takeBackReferencesToMissing(among: ids)
    }

    /// Has an object be what a fault is whose row was deleted.
    func becomeDeleted(_ object: ManagedObject) {
        if object.isGone && object.isDeleted { return }
        object.willTurnIntoFault()
        failedAccesses.didForgetChanges(of: object)
        leavePendingOwners(object)
        object.row = nil
        object.kept = nil
        tracker.becomeDeleted(object)
        object.didTurnIntoFault()
    }

    /// Removes an object whose row is gone from the to-many relationships that it was added to here: no save can store that.
    ///
    /// Its own ends say which these are: to-one references, links, and the hidden inverses of relationships that are declared at one end.
    func leavePendingOwners(_ object: ManagedObject, includesLinks: Bool = true) {
        var owners: [ManagedObject] = []
        for relationship in object.entity.properties.lazy.compactMap(\.relationship) {
            guard let inverse = model.inverse(of: relationship), inverse.isToMany, includesLinks || !relationship.isToMany else { continue }
            for owner in object.pendingDestinationIDs(relationship).compactMap({ registered($0) }) {
                guard let state = owner.extra?.toMany(inverse.index), state.isAdded(object.objectID) else { continue }
                tracker.willReplaceValues(of: owner, PropertySet(inverse.index))
                tracker.forgetAddition(of: object.objectID, to: state)
                owners.append(owner)
            }
        }
        tracker.settle(owners)
    }

    /// Returns the roots of the trees that objects are of: many of one tree mostly follow each other.
    private func roots(of ids: some Sequence<ObjectID>) -> Set<EntityIndex> {
        var roots: Set<EntityIndex> = []
        var last: EntityIndex?
        for id in ids where id.entity.root != last {
            last = id.entity.root
            roots.insert(id.entity.root)
        }
        return roots
    }

    /// Has the to-many relationships that the changed objects may have joined or left be loaded anew.
    func unloadRelationships(touchedBy changes: RemoteChanges) {
        let roots = roots(of: [changes.inserted, changes.updated, changes.deleted].joined())
        if roots.isEmpty { return }
        for object in identity.all where !object.isNew {
            for (property, state) in object.toManyStates {
                guard let relationship = object.entity.properties[property].relationship, !relationship.isTransient,
                    roots.contains(model.destination(of: relationship).root)
                else { continue }
                if state.isLoaded { tracker.willReplaceValues(of: object, PropertySet(property)) }
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
