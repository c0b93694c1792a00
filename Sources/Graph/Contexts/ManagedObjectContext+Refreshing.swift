import StrataCoordinator
import StrataModel

extension ManagedObjectContext {
    /// Discards all changes: new objects are removed, deleted ones restored, changed ones have their saved values.
    ///
    /// Later reads see the stores' current state, as after ``refreshAllObjects()``.
    public func rollback() {
        assertQueue()
        loader.refreshStores()
        loader.forgetRows()
        saveState.discards += 1
        forgetSteps()
        let saved = tracker.changed.filter { !$0.isNew }
        for object in tracker.rollback() {
            tracker.recorder?.didGo(object)
            drop(object)
        }
        for object in saved where !object.isFault { tracker.awake(object, from: .rollback) }
        deliverChanges()
    }

    /// Forgets all objects and changes, as a new context has none.
    ///
    /// Objects that an application still holds lose their context. Later reads see the stores' current state, as after
    /// ``refreshAllObjects()``.
    public func reset() {
        assertQueue()
        loader.refreshStores()
        saveState.discards += 1
        forgetSteps()
        let forgotten = tracker.reset()
        for object in identity.all {
            object.announceReplacement(of: nil)
            object.managedObjectContext = nil
            tracker.clear(object)
        }
        withExtendedLifetime(forgotten) {}
        identity.forgetAll()
        readingLatest { loader.forgetRows() }
        observation.observedObjects.forgetAll()
        tracker.recorder?.forget()
        notify(.didReset)
    }

    func drop(_ object: ManagedObject) {
        takeOut(object)
        tracker.clear(object)
    }

    /// Removes a new object that was united with another, which it redirects to: it counts as deleted, with its values.
    func leave(_ object: ManagedObject, for survivor: ManagedObject) {
        takeOut(object)
        identity.redirect(object.objectID, to: survivor.objectID)
        identity.notifyChildren(object.objectID, survivor.objectID)
        tracker.clear(object, isUnited: true)
    }

    private func takeOut(_ object: ManagedObject) {
        object.announceReplacement(of: nil)
        identity.forget(object)
        failedAccesses.remove(object)
        object.managedObjectContext = nil
    }

    /// Turns an object into a fault, or reads it anew.
    ///
    /// - Parameters:
    ///   - object: An object of this context.
    ///   - mergeChanges: Whether the object's pending changes are applied to the values read anew; otherwise they are
    ///     discarded, at both ends of its relationships. Members that the to-one relationships of other objects added
    ///     or removed are changes of those objects, and stay. The order of an ordered relationship is merged: what was
    ///     moved here keeps its position, and what others added stays behind the same member as in the store. A change
    ///     that references an object whose row was deleted cannot be applied, and is discarded.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        assertQueue()
        loader.refreshStores(of: CollectionOfOne(object.objectID))
        readAnew(object, mergeChanges: mergeChanges, retainsRow: options.refreshesFromRows)
        // Core Data's clients then get a fault, which fires with the object's values.
        if options.semantics.turnsRefreshedInsertionsIntoFaults, object.isNew, !mergeChanges, object.managedObjectContext === self {
            object.markLoading(.fault)
        }
        do {
            try takeBackReferencesToMissing(of: [object])
            // Other objects may reference it, and need not be refreshed themselves.
            if object.isInaccessible {
                let others = tracker.referrers(of: object)?.compactMap { registered($0) } ?? tracker.changed
                try takeBackReferencesToMissing(of: others, among: [object.objectID])
            }
        } catch {
            failedAccesses.add(error, of: object, nil, isAnswered: false)
        }
    }

    /// Removes the link of a relationship at both of its ends.
    func unlink(_ id: ObjectID, from object: ManagedObject, _ relationship: RelationshipDescription) {
        object.note(id, removedFrom: relationship)
        guard let inverse = model.inverse(of: relationship), inverse.isToMany, let other = registered(id) else { return }
        other.note(object.objectID, removedFrom: inverse)
    }

    /// Refreshes all objects, keeping their pending changes, except references to objects that are deleted in their
    /// stores.
    ///
    /// XML and binary stores read their file anew where another coordinator or process replaced it; an error that
    /// prevented it is in ``lastFaultError``.
    public func refreshAllObjects() {
        readingLatest {
            // Prefetched rows of objects that are not alive, too.
            loader.forgetRows()
            let objects = identity.all
            loader.refreshStores()
            loader.requireStores(of: objects)
            for object in objects { readAnew(object, mergeChanges: true, retainsRow: options.refreshesFromRows) }
            takeBackReferencesToMissing()
        }
    }

    /// Whether refreshed objects become faults that fire with the rows they have, as with Core Data's row cache; false by
    /// default: they are read from their stores.
    public var refreshesFromRows: Bool {
        get { options.refreshesFromRows }
        set { options.refreshesFromRows = newValue }
    }

    /// - Parameters:
    ///   - properties: The properties whose saved values differ, where known.
    ///   - retainsRow: Whether the fault of an object whose changes are discarded fires with its row.
    func readAnew(_ object: ManagedObject, mergeChanges: Bool, _ properties: PropertySet? = nil, retainsRow: Bool = false) {
        guard object.managedObjectContext === self, !object.isNew else { return }
        // Derived values are the store's.
        let isRetained = retainsRow && !(mergeChanges && object.hasChanges) && object.entity.derivedAttributes.isEmpty
        let row = isRetained && !object.isInaccessible ? object.row : nil
        tracker.unjournaled { replaceRow(of: object, mergeChanges: mergeChanges, properties) }
        if let row, object.row == nil, !object.isInaccessible { object.row = row }
    }

    private func replaceRow(of object: ManagedObject, mergeChanges: Bool, _ properties: PropertySet?) {
        object.willTurnIntoFault()
        tracker.willReplaceValues(of: object, properties)
        loader.forgetRows(of: object.objectID)
        if mergeChanges && object.hasChanges {
            let old = object.row
            keepChanges(of: object)
            object.row = nil
            object.unloadRelationships()
            object.extra?.fetched = [:]
            do {
                try loader.requireRow(of: object)
                failedAccesses.didReadRow(of: object)
            } catch {
                failedAccesses.add(error, of: object, nil, isAnswered: false)
            }
            if object.row != nil {
                OneToOneReconciler(context: self).keep(object, from: old)
                tracker.awake(object, from: .refresh)
            } else if object.isInaccessible && object.isDeleted {
                // Its changes are discarded, as when its deletion is merged.
                leavePendingOwners(object)
                tracker.becomeDeleted(object)
            }
        } else {
            let isRevived = object.isDeleted && !object.isInaccessible
            failedAccesses.didForgetChanges(of: object)
            tracker.forgetRowChanges(of: object)
            RelationshipForgetter(context: self).forget(object, isRevived: isRevived)
            tracker.forgetValues(of: object)
            object.row = nil
            object.kept = nil
            // Discarding references may have read the row.
            object.markLoading(.fault)
        }
        object.didTurnIntoFault()
    }

    /// Gives a registered object its newly fetched row; its pending changes stay.
    ///
    /// - Throws: `StoreError` with `corrupt` for a row of an entity that the model does not have.
    func refetched(_ row: Row, _ scopes: ObjectIDScopes) throws {
        guard let object = identity[try scopes.scope(of: row), row.reference], let old = object.row, !object.isDeleted else { return }
        object.unloadRelationships()
        failedAccesses.didReadRow(of: object)
        if old.version == row.version && object.entity.derivedAttributes.allSatisfy({ $0.isEqual(old, row) }) { return }
        tracker.willReplaceValues(of: object)
        // What an object set in `awakeFromFetch` is no change: it awakes again.
        if !object.hasChanges { tracker.forgetStoredValues(of: object) }
        if object.hasChanges { keepChanges(of: object) }
        loader.replaceRow(of: object, by: row)
        if object.hasChanges { OneToOneReconciler(context: self).keep(object, from: old) }
    }

    /// Prepares an object for another row: it keeps its changes, except values that were changed back.
    ///
    /// A composite attribute is kept as a whole where any of its elements is changed.
    func keepChanges(of object: ManagedObject) {
        guard object.row != nil, !object.isNew, object.extra?.hasValues == true else { return }
        let united = saveState.unitedProperties[ObjectIdentifier(object)] ?? PropertySet()
        for attribute in object.entity.attributes where object.isPending(attribute.index) && !united.contains(attribute.index) {
            let whole = object.entity.attributes(with: attribute)
            if whole.allSatisfy({ !object.isPending($0.index) || object.keepsValue(object.entity.propertySlots[$0.index]) }) {
                tracker.forget(attribute.index, of: object)
            }
        }
        // Including hidden ones, the inverses of relationships that are declared at one end.
        for property in object.entity.properties where object.isPending(property.index) && !united.contains(property.index) {
            guard let relationship = property.relationship, !relationship.isTransient else { continue }
            forgetRetainedDestination(relationship, of: object)
        }
        tracker.completeComposites(of: object)
    }

    private func forgetRetainedDestination(_ relationship: RelationshipDescription, of object: ManagedObject) {
        guard object.keepsDestination(relationship) else { return }
        if let id = object.pendingValue(relationship.index)?.objectID, let inverse = model.inverse(of: relationship),
            let destination = registered(id)
        {
            // Both ends of a pair are changed, or none.
            if !inverse.isToMany && !destination.keepsDestination(inverse) { return }
            if inverse.isToMany { tracker.forgetAddition(of: object.objectID, to: destination.extra?.toMany(inverse.index)) }
        }
        tracker.forget(relationship.index, of: object)
    }
}

extension AttributeDescription {
    func isEqual(_ a: Row, _ b: Row) -> Bool { slot.map { a.slot($0, slotKind, equals: b) } ?? true }
}
