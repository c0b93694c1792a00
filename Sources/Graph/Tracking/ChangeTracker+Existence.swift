import StrataModel
import StrataStore

// Inserting and deleting.

extension ChangeTracker {
    /// Makes an object a new one, with the model's default values.
    ///
    /// - Parameter isBegun: Whether it has its own initial values already.
    func insert(_ object: ManagedObject, isBegun: Bool = false) {
        let token = token
        journal?.willChangeExistence(of: object, existed: false, hadValues: false)
        recorder(of: object)?.didCome(object, isNew: true)
        object.mark(.inserted, token)
        setDefaults(of: object)
        enlist(object)
        if !isBegun {
            object.setInitialValues()
            generateValues(of: object, onlyMissing: false)
        }
        object.awakeFromInsert()
        // The initial values of an object's own are defaults like those of the model.
        object.withExtra { $0.forgetGiven(token) }
    }

    /// Makes an object a new one with the values of a child's row, which calls `awakeFromFetch()`.
    ///
    /// - Parameters:
    ///   - given: The values that were set, other than by defaults.
    ///   - scopes: Those of the object's store, where the row has references.
    func adopt(_ object: ManagedObject, _ row: Row, _ given: PropertySet, _ scopes: ObjectIDScopes?) {
        journal?.willChangeExistence(of: object, existed: false, hadValues: false)
        recorder(of: object)?.didCome(object, isNew: true)
        object.mark([.inserted, .fault], token)
        object.makeExtra().adopt(row, given, of: object.entity, scopes, token)
        enlist(object)
        list.indexes.referrers?.add(object)
    }

    /// Makes a restored object a new one, without values.
    func reinsert(_ object: ManagedObject) {
        journal?.willChangeExistence(of: object, existed: false, hadValues: false)
        recorder(of: object)?.didCome(object, isNew: true)
        object.mark(.inserted, clearing: .all, token)
        setDefaults(of: object)
        enlist(object)
    }

    /// Sets the generated values of a new object; those that cannot be generated are when it is saved, which reports the error.
    func generateValues(of object: ManagedObject, onlyMissing: Bool) {
        guard object.entity.generatesValues else { return }
        do { try object.generateValues(onlyMissing: onlyMissing) } catch {
            object.managedObjectContext?.saveState.lacksGeneratedValues = true
        }
    }

    private func enlist(_ object: ManagedObject) {
        noted?.append(object)
        list.add(object, token)
        list.indexes.pending?.touch(object)
        failures.noteChange()
    }

    private func setDefaults(of object: ManagedObject) {
        object.beginExtra(token)
        let scope = object.objectID.scope
        if scope == plainScopes.withoutDefaults { return }
        let attributes = scope.entity.attributes.filter { !$0.defaultValue.isNull }
        if attributes.isEmpty { return plainScopes.withoutDefaults = scope }
        for attribute in attributes {
            let value = NewValue(value: attribute.defaultValue, slot: scope.entity.propertySlots[attribute.index])
            object.withExtra { $0.set(value, of: object, pendingRows, token) }
        }
    }

    /// Marks an object for deletion, and its delete rules to be applied.
    ///
    /// - Parameter isAnnounced: Whether `prepareForDeletion()` is called.
    func delete(_ object: ManagedObject, isAnnounced: Bool = true) {
        guard let context = object.managedObjectContext, object.flags.isDisjoint(with: [.deleted, .leaving]) else { return }
        if isAnnounced {
            // Others that it deletes first may delete it, too.
            object.mark(.leaving, token)
            object.prepareForDeletion()
            object.mark(clearing: .leaving, token)
        }
        guard object.managedObjectContext === context, !object.isDeleted else { return }
        journal?.willChangeExistence(of: object, existed: true, hadValues: true)
        // Without a test for listeners, as its delete rules may reach observed objects.
        recorder?.didGo(object)
        object.mark(.deleted, token)
        if object.isNew { deletions.includesNewObjects = true }
        enlist(object)
        list.indexes.referrers?.add(object)
        deletions.add(object)
    }

    /// Reverts the deletion of an object; its pending values stay.
    func takeBackDeletion(of object: ManagedObject) {
        journal?.willChangeExistence(of: object, existed: false, hadValues: true)
        recorder(of: object)?.didCome(object)
        failures.noteChange()
        deletions.remove(object)
        object.mark(clearing: [.deleted, .propagated], token)
        noted?.append(object)
        if !object.hasChanges { list.remove(object, token) }
        list.indexes.pending?.touch(object)
    }

    var hasDeletions: Bool { !deletions.isEmpty }

    func didApplyRules(of object: ManagedObject) { object.mark(.propagated, token) }

    /// Applies the delete rules of a deleted object once more, as it got other relationships since.
    func applyRulesAgain(of object: ManagedObject) {
        guard object.flags.contains([.deleted, .propagated]), !object.isInaccessible else { return }
        object.mark(clearing: .propagated, token)
        deletions.add(object)
    }

    func assignedStoreID(of object: ManagedObject) -> StoreID? {
        assignedStoreIDs.isEmpty ? nil : assignedStoreIDs[object.objectID.reference]
    }

    var hasAssignedStores: Bool { !assignedStoreIDs.isEmpty }

    func assign(_ object: ManagedObject, to storeID: StoreID) { assignedStoreIDs[object.objectID.reference] = storeID }
}
