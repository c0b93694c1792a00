import StrataCoordinator
import StrataModel
import StrataStore

// Adopting the saved state.

extension ManagedObjectContext {
    /// Whether observers may be notified of derived values of a save.
    var notifiesDerivedValues: Bool { model.hasDerivedAttributes && (observation.listeners != nil || options.isObservable) }

    /// Adopts the saved state: rows, permanent IDs, no changes.
    ///
    /// Nothing may fail here, as all is saved.
    ///
    /// - Returns: The objects whose deletion is saved, which the caller removes from the context.
    func adopt(
        _ outcome: SaveOutcome, _ stores: [SaveChangesRequestBuilder.StoreChanges], _ extent: TemporaryTable.Extent
    ) -> [ManagedObject] {
        let saved = tracker.takeSaved()
        let hasChildren = children?.isEmpty == false
        if hasChildren { identity.forgetLent() } else { saveState.ownVersions = OwnVersions() }
        let notifiesDerived = notifiesDerivedValues
        // The scopes of the store that replaced one that was migrated meanwhile.
        func scopes(_ store: SaveChangesRequestBuilder.StoreChanges) -> ObjectIDScopes {
            (try? loader.scopes(ofStore: store.storeID)) ?? store.scopes
        }
        var ids = SavedIDs(identity, extent, stores.first { !$0.inserted.objects.isEmpty }.map { scopes($0) })
        for store in stores {
            let applied = outcome.applied.first { $0.storeID == store.storeID }
            let inserted = applied?.changes.inserted ?? []
            if notifiesDerived {
                for (object, row) in zip(store.inserted.objects, inserted) { tracker.willGetDerivedValues(of: object, in: row) }
            }
            if !inserted.isEmpty { store.inserted.settle(as: inserted, scopes(store), in: identity, &ids) }
            for (object, row) in zip(store.updated, (applied?.changes.updated ?? []).lazy.map(\.row)) {
                if let old = object.row {
                    if hasChildren { saveState.ownVersions.add(object.objectID, from: old.version, to: row.version) }
                    if notifiesDerived { tracker.willReplaceDerivedValues(of: object, old, by: row) }
                }
                object.row = row
            }
        }
        if hasChildren {
            for object in saved where object.isDeleted && !object.isNew { saveState.ownVersions.deletions.insert(object.objectID) }
        }
        adoptDerived(outcome)
        notifyChildren(of: saved, outcome)
        return finish(saved, ids)
    }

    /// Notifies the children that merge automatically of a save.
    private func notifyChildren(of saved: [ManagedObject], _ outcome: SaveOutcome) {
        guard let children, children.areListening else { return }
        var changes = RemoteChanges()
        for object in saved where !object.isForgotten {
            changes[object.isDeleted ? .deleted : object.isNew ? .inserted : .updated].append(object.objectID)
        }
        for applied in outcome.applied {
            if let scopes = try? loader.scopes(ofStore: applied.storeID) {
                changes.updated += applied.derivedRows.map { scopes.id(of: $0) }
            }
        }
        children.notify(changes)
    }

    /// Adopts the state that the parent has now; returns as ``adopt(_:_:_:)``.
    func adopt(_ builder: ContextChangesBuilder) -> [ManagedObject] {
        let saved = tracker.takeSaved()
        for (object, row) in zip(builder.inserted, builder.changes.inserted) { object.row = row }
        for (object, update) in zip(builder.updated, builder.changes.updated) { object.row = update.row }
        return finish(saved, SavedIDs(identity))
    }

    /// Clears the changes of saved objects, and calls `didSave()`; returns as ``adopt(_:_:_:)``.
    private func finish(_ saved: [ManagedObject], _ ids: SavedIDs) -> [ManagedObject] {
        var deleted: [ManagedObject] = []
        saved.forEachUncounted { if $0.isDeleted { deleted.append($0) } else { tracker.didSave($0, ids) } }
        saved.forEachUncounted { if $0.isIn(self) && !$0.isForgotten { $0.didSave() } }
        // A united object represents its survivor from now on, and one that was never saved is in no event.
        for object in deleted where object.isIn(self) {
            if let survivor = object.extra?.survivor { leave(object, for: survivor) } else if object.isForgotten { drop(object) }
        }
        if !deleted.isEmpty {
            unloadMembers(deleted: deleted)
            if parent != nil { clearReferences(to: deleted) }
        }
        return deleted
    }

    func release(_ deleted: [ManagedObject]) { for object in deleted where object.isIn(self) && object.isDeleted { drop(object) } }

    /// Gives objects with derived values changed by the save their rows, unless others changed them meanwhile.
    private func adoptDerived(_ outcome: SaveOutcome) {
        for applied in outcome.applied where !applied.derivedRows.isEmpty {
            guard let scopes = try? loader.scopes(ofStore: applied.storeID) else { continue }
            for row in applied.derivedRows {
                guard let scope = try? scopes.scope(of: row), let object = identity[scope, row.reference],
                    let old = object.row, old.version == row.version
                else { continue }
                tracker.willReplaceDerivedValues(of: object, old, by: row)
                object.row = row
            }
        }
    }
}
