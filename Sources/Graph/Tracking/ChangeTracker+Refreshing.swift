import StrataModel

// Refreshing, merging and rolling back.

extension ChangeTracker {
    /// Lets `body` mutate an object, without notification or with its own.
    private func touch(_ object: ManagedObject, _ body: (MutationToken) -> Void) {
        list.indexes.pending?.touch(object)
        body(token)
    }

    /// Reverts a deletion and the pending values.
    func revive(_ object: ManagedObject) {
        touch(object) { token in
            object.mark(clearing: [.deleted, .propagated, .inaccessible], token)
            object.extra?.dropValues(token)
        }
    }

    /// Discards the changes of an object's own row; inverses are left to the caller.
    func forgetRowChanges(of object: ManagedObject) {
        touch(object) { token in
            object.mark(clearing: [.updated, .deleted, .propagated, .inaccessible], token)
            object.markLoading(.fault)
            deletions.remove(object)
            list.remove(object, token)
        }
    }

    /// Discards the values of an object, except changes of its to-many relationships.
    func forgetValues(of object: ManagedObject) {
        touch(object) { token in
            object.extra?.forgetValues(token)
            if object.extra?.isEmpty == true { object.setExtra(nil, token) }
        }
    }

    /// Turns an object into one whose row was deleted by others.
    func becomeDeleted(_ object: ManagedObject) {
        object.announceReplacement(of: nil)
        recorder?.didGo(object)
        touch(object) { token in
            object.setExtra(nil, token)
            object.mark([.inaccessible, .deleted], clearing: [.updated, .propagated, .fault], token)
            deletions.remove(object)
            list.remove(object, token)
        }
    }

    /// Marks an object whose row is missing as deleted: there is nothing to save of it.
    func countAsDeleted(_ object: ManagedObject) { touch(object) { object.mark(.deleted, $0) } }

    /// Turns an object whose row exists again into a fault.
    func restoreFault(_ object: ManagedObject) {
        object.announceReplacement(of: nil)
        recorder(of: object)?.didCome(object)
        touch(object) { token in
            object.setExtra(nil, token)
            object.mark(.fault, clearing: [.inaccessible, .deleted], token)
        }
    }

    /// Marks an object that others deleted for insertion by the next save.
    func makeAnew(_ object: ManagedObject) { touch(object) { object.mark(.inserted, clearing: .updated, $0) } }

    /// Turns a new object into a saved one, whose set values are changes.
    func becomeSaved(_ object: ManagedObject) {
        forgetDestinations(of: object)
        object.mark(clearing: .inserted, token)
        noteChange(of: object)
    }

    /// Unites a new object with another one from the next save on.
    func unite(_ new: ManagedObject, with survivor: ManagedObject) {
        recorder?.didGo(new)
        touch(new) { token in
            new.extra?.setSurvivor(survivor, token)
            new.mark([.deleted, .propagated], token)
        }
    }

    /// Discards all changes; returns the new objects, which no context saves any more.
    func rollback() -> [ManagedObject] {
        let changed = reset()
        for object in changed where !object.isNew { dropChanges(of: object) }
        return changed.filter(\.isNew)
    }

    /// Restores the objects of an earlier moment; others lose their changes.
    ///
    /// IDs and contexts are left to the caller.
    func restore(_ snapshot: ChangeSnapshot) {
        dropIndexes()
        for object in list.takeAll(token) { dropChanges(of: object) }
        snapshot.restore(token)
        for object in snapshot.objects {
            list.add(object, token)
            if object.isDeleted { recorder?.didGo(object) }
        }
        deletions.keepDeleted()
    }

    /// Discards the changes of a saved object; one whose row was missing becomes a fault again, which looks for it.
    private func dropChanges(of object: ManagedObject) {
        // An object whose deletion was notified counts as inserted, not as refreshed.
        if object.isDeleted { recorder(of: object)?.didCome(object) }
        willReplaceValues(of: object, object.isDeleted ? nil : object.changedProperties)
        object.extra?.dropValues(token)
        object.extra?.dropRelationships(token)
        if object.isInaccessible {
            object.row = nil
            object.markLoading(.fault)
        }
        object.mark(clearing: [.updated, .deleted, .propagated, .inaccessible], token)
    }

    /// Empties an object that no context saves any more; a united one counts as deleted, and keeps its values.
    func clear(_ object: ManagedObject, isUnited: Bool = false) {
        touch(object) { token in
            list.remove(object, token)
            // Its rules would look for its row.
            deletions.remove(object)
            object.mark(isUnited ? .deleted : [], clearing: .all, token)
            if isUnited, let row = object.row, object.extra?.hasValues != true {
                object.makeExtra().adopt(row, PropertySet(), of: object.entity, nil, token)
            }
            object.row = nil
            object.kept = nil
            if isUnited { object.extra?.dropRelationships(token) } else { object.setExtra(nil, token) }
        }
    }
}
