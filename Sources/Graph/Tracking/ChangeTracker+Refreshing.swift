import StrataModel

// Refreshing, merging and rolling back: objects that are without changes, or with others' ones.

extension ChangeTracker {
    /// Takes a deletion back, and the values that were pending.
    func revive(_ object: ManagedObject) {
        unannounced { token in
            object.mark(clearing: [.deleted, .propagated, .inaccessible], token)
            object.extra?.dropValues(token)
        }
    }

    /// Has an object be without changes of its own row; others that they concern are left to the caller.
    func forgetRowChanges(of object: ManagedObject) {
        unannounced { token in
            object.mark(clearing: [.updated, .deleted, .propagated, .inaccessible], token)
            object.markLoading(.fault)
            deletions.remove(object)
            list.remove(object, token)
        }
    }

    /// Forgets the values of an object, but for changes of its to-many relationships.
    func forgetValues(of object: ManagedObject) {
        unannounced { token in
            object.extra?.forgetValues(token)
            if object.extra?.isEmpty == true { object.setExtra(nil, token) }
        }
    }

    /// Has an object be one whose row someone else deleted.
    func becomeDeleted(_ object: ManagedObject) {
        object.announceReplacement(of: nil)
        recorder?.didGo(object)
        unannounced { token in
            object.setExtra(nil, token)
            object.mark([.inaccessible, .deleted], clearing: [.updated, .propagated, .fault], token)
            deletions.remove(object)
            list.remove(object, token)
        }
    }

    /// Has an object whose row turned out to be gone count as deleted: there is nothing to save of it.
    func countAsDeleted(_ object: ManagedObject) { unannounced { object.mark(.deleted, $0) } }

    /// Has an object whose row was gone be a fault again: there is a row.
    func comeBack(_ object: ManagedObject) {
        object.announceReplacement(of: nil)
        recorder(of: object)?.didCome(object)
        unannounced { token in
            object.setExtra(nil, token)
            object.mark(.fault, clearing: [.inaccessible, .deleted], token)
        }
    }

    /// Has an object that someone else deleted be inserted by the next save.
    func makeAnew(_ object: ManagedObject) { unannounced { object.mark(.inserted, clearing: .updated, $0) } }

    /// Has a new object be one that was saved, with what was set since as its changes.
    func becomeSaved(_ object: ManagedObject) {
        forgetDestinations(of: object)
        unannounced { object.mark(clearing: .inserted, $0) }
        noteChange(of: object)
    }

    /// Has a new object be part of another one from the next save on.
    func unite(_ new: ManagedObject, with survivor: ManagedObject) {
        recorder?.didGo(new)
        unannounced { token in
            new.extra?.setSurvivor(survivor, token)
            new.mark([.deleted, .propagated], token)
        }
    }

    /// Has no object have changes.
    ///
    /// - Returns: The new objects, which no context saves any more.
    func rollback() -> [ManagedObject] {
        let changed = reset()
        for object in changed where !object.isNew { dropChanges(of: object) }
        return changed.filter(\.isNew)
    }

    /// Has the objects be as they were at an earlier moment; others without changes.
    ///
    /// Their IDs and contexts are left to the caller.
    func restore(_ snapshot: ChangeSnapshot) {
        unannounced { token in
            for object in list.takeAll(token) { dropChanges(of: object) }
            snapshot.restore(token)
            for object in snapshot.objects {
                list.add(object, token)
                if object.isDeleted { recorder?.didGo(object) }
            }
        }
        deletions.keepDeleted()
    }

    /// Has a saved object be without changes; one whose row was gone is a fault again, which looks for it when it fires.
    private func dropChanges(of object: ManagedObject) {
        // One whose deletion was told comes, and is not just read anew.
        if object.isDeleted { recorder(of: object)?.didCome(object) }
        willReplaceValues(of: object, object.isDeleted ? nil : object.changedProperties)
        unannounced { token in
            object.extra?.dropValues(token)
            object.extra?.dropRelationships(token)
            if object.isGone {
                object.row = nil
                object.markLoading(.fault)
            }
            object.mark(clearing: [.updated, .deleted, .propagated, .inaccessible], token)
        }
    }

    /// Empties an object that no context saves any more; one that became part of another counts as deleted, and keeps its values.
    func clear(_ object: ManagedObject, isUnited: Bool = false) {
        unannounced { token in
            list.remove(object, token)
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
