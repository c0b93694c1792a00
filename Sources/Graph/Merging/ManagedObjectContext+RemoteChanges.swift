public import StrataCoordinator
import StrataModel

extension ManagedObjectContext {
    /// Merges changes that were made in the stores without a context, such as those of a batch request, into contexts
    /// of this thread.
    ///
    /// Updated objects are read anew on access, and keep their pending changes; deleted ones become deleted objects,
    /// with all values nil, and unsaved references to them become nil; relationships are loaded anew. No objects are
    /// registered. A deletion of an object that is in its store again counts as an update.
    ///
    /// XML and binary stores read their file anew where another coordinator or process replaced it; an error that
    /// prevented it is in ``lastFaultError``.
    public static func mergeChanges(fromRemoteContextSave changes: RemoteChanges, into contexts: [ManagedObjectContext]) {
        for context in contexts { context.mergeChanges(fromRemoteContextSave: changes) }
    }

    /// Merges changes of others in the stores into this context, as ``mergeChanges(fromRemoteContextSave:into:)`` does.
    ///
    /// - Complexity: O(n) in the changes, in the registered objects with to-many relationships that were read or
    ///   changed, and where there are deletions in those of the entities with to-one relationships to deleted objects.
    public func mergeChanges(fromRemoteContextSave changes: RemoteChanges) { mergeHere(changes, namesOwners: false) }

    private func mergeHere(_ changes: RemoteChanges, namesOwners: Bool) {
        assertQueue()
        readingLatest { merge(changes, namesOwners: namesOwners, registersInserted: options.semantics.registersMergedInsertions) }
    }

    /// Merges a save of another context into this one; see ``mergeChanges(fromRemoteContextSave:)``.
    ///
    /// - Parameter change: One of the kind ``ContextEvent/Kind/didSave``, of a context whose coordinator has the same
    ///   stores; others report nothing that was stored, and are merged all the same.
    public func mergeChanges(fromContextDidSave change: ContextChange) { mergeChanges(fromRemoteContextSave: change.changes) }

    /// Merges a save, or a batch request, into this context; see ``mergeChanges(fromRemoteContextSave:)``.
    public func mergeChanges(from event: SaveEvent) { mergeHere(event.changes, namesOwners: event.namesOwners) }

    /// - Parameters:
    ///   - namesOwners: See `SaveEvent.namesOwners`.
    ///   - isForAll: Whether children without automatic merging are notified, too.
    ///   - registersInserted: Whether faults are registered for inserted objects, as Core Data's clients are notified of insertions in the
    ///     stores as of ones in the context.
    func merge(
        _ changes: RemoteChanges, namesOwners: Bool = false, intoAllChildren isForAll: Bool = false, registersInserted: Bool = false
    ) {
        if changes.isEmpty { return }
        parent?.learnIDs()
        loader.refreshStores(of: RemoteChanges.Kind.allCases.lazy.flatMap { changes[$0] })
        loader.forgetRows()
        let changes = currentChanges(changes)
        for id in changes.deleted {
            if let object = registered(id) { becomeDeleted(object) }
        }
        let refreshed = (changes.inserted + changes.updated).compactMap { registered($0) }
        // These are no changes of registered objects.
        let made = registersInserted ? makeFaults(of: changes.inserted) : []
        defer { withExtendedLifetime(made) {} }
        for object in refreshed {
            let names = changes.changedProperties[object.objectID]
            readAnew(object, mergeChanges: !object.isInaccessible, names.map { PropertySet(named: $0, of: object.entity) })
        }
        loader.noteSiblings(refreshed + made)
        readSourcesAnew(of: changes.deleted)
        unloadRelationships(touchedBy: changes, namesOwners: namesOwners)
        children?.notify(changes, toAll: isForAll)
        deliverMerge(of: changes)
    }

    /// Returns changes as they are now.
    ///
    /// A later save may have inserted a deleted object again, and a parent may have reverted a deletion: such an object
    /// counts as updated. What cannot be read is merged unchecked.
    ///
    /// - Complexity: One read of rows for each entity hierarchy of which a registered object was deleted; else none.
    private func currentChanges(_ changes: RemoteChanges) -> RemoteChanges {
        let deleted = changes.deleted.filter { registered($0).map { !$0.isInaccessible } ?? false }
        let inserted = (changes.inserted + changes.updated).filter { registered($0)?.isInaccessible ?? false }
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

    /// Returns faults for inserted objects that are not registered; objects of other models are ignored.
    private func makeFaults(of inserted: [ObjectID]) -> [ManagedObject] {
        inserted.compactMap { id in
            let index = id.scope.entityIndex.rawValue
            guard registered(id) == nil, model.entities.indices.contains(index), model.entities[index] === id.entity else { return nil }
            let object = object(with: id)
            observation.listeners?.recorder.didCome(object)
            return object
        }
    }

    /// Refreshes all objects, as too many changed for a list.
    func mergeEverything() {
        loader.forgetRows()
        let objects = identity.all
        loader.refreshStores()
        for object in objects where !object.isNew { readAnew(object, mergeChanges: !object.isInaccessible) }
        takeBackReferencesToMissing()
        loader.noteSiblings(objects)
        children?.notifyOfEverything()
        deliverMerge(of: nil)
    }

    /// Refreshes the objects whose rows reference deleted ones: stores nullify these, which not all notifications list.
    private func readSourcesAnew(of deleted: [ObjectID]) {
        if deleted.isEmpty { return }
        let roots = roots(of: deleted)
        lazy var ids = Set(deleted)
        var relationships: [EntityIndex: [RelationshipDescription]] = [:]
        for object in objects(referencingAnyOf: roots, isToMany: false) where object.row != nil && !object.isNew {
            let leading =
                relationships[object.entityIndex]
                ?? object.entity.relationships.filter { !$0.isToMany && roots.contains(model.destination(of: $0).root) }
            relationships[object.entityIndex] = leading
            let lost = leading.filter { object.storedDestination($0).objectID.map(ids.contains) ?? false }
            if !lost.isEmpty { readAnew(object, mergeChanges: true, lost.reduce(into: PropertySet()) { $0.insert($1.index) }) }
        }
        takeBackReferencesToMissing(among: ids)
    }

    /// Turns an object into the fault of a deleted row.
    func becomeDeleted(_ object: ManagedObject) {
        if object.isInaccessible && object.isDeleted { return }
        object.willTurnIntoFault()
        failedAccesses.didForgetChanges(of: object)
        leavePendingOwners(object)
        object.row = nil
        object.kept = nil
        tracker.becomeDeleted(object)
        object.didTurnIntoFault()
    }

    /// Removes an object whose row was deleted from the to-many relationships that it was added to here.
    ///
    /// Its own ends list these: to-one references, links, and the hidden inverses of relationships that are declared at
    /// one end.
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

    /// Returns the roots of the entity hierarchies of objects; many of one mostly follow each other.
    private func roots(of ids: some Sequence<ObjectID>) -> Set<EntityIndex> {
        var roots: Set<EntityIndex> = []
        var last: EntityIndex?
        for id in ids where id.entity.root != last {
            last = id.entity.root
            roots.insert(id.entity.root)
        }
        return roots
    }

    /// Unloads the to-many relationships that the changed objects may have joined or left.
    ///
    /// Observers are notified of those that have other members as far as the changes show it; those of the updated objects
    /// have been already.
    func unloadRelationships(touchedBy changes: RemoteChanges, namesOwners: Bool = false) {
        let roots = roots(of: [changes.inserted, changes.updated, changes.deleted].joined())
        if roots.isEmpty { return }
        var memberships = MembershipChanges(changes, model, namesOwners: namesOwners)
        for object in identity.owners where !object.isNew {
            for (property, state) in object.toManyStates {
                guard let relationship = object.entity.properties[property].relationship, !relationship.isTransient,
                    roots.contains(model.destination(of: relationship).root)
                else { continue }
                if state.isLoaded || state.wasLoaded {
                    tracker.willUnload(relationship, of: object) { memberships.mayAlter(relationship, state) }
                }
                state.unload()
            }
        }
    }
}

extension BackgroundContext {
    /// Merges changes of others in the stores into contexts, each on its own queue, one after the other.
    public static func mergeChanges(fromRemoteContextSave changes: RemoteChanges, into contexts: [BackgroundContext]) async {
        for context in contexts {
            // The block throws nothing.
            try? await context.perform { $0.mergeChanges(fromRemoteContextSave: changes) }
        }
    }
}
