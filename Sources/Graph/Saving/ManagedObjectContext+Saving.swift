package import StrataCoordinator
import StrataModel
import StrataStore

extension ManagedObjectContext {
    /// Saves all changes: in all stores that they touch, or nowhere.
    ///
    /// First the delete rules are applied, then objects get ``ManagedObject/willSave()`` until nothing changes any
    /// more, then everything is validated, then the coordinator saves. On conflicts with other contexts' saves or with
    /// a constraint, ``mergePolicy`` changes the objects, they are validated again, and the save is tried again, some
    /// times. Where any of this fails, the stores are untouched and the context is as it was, so that the save can be
    /// tried again.
    ///
    /// Where an accessor failed to read a value, a save throws its error, with the object and the key, and stores
    /// nothing: any change may depend on it. An assignment to a property that could not be read, or of an object whose
    /// row cannot be read, is refused, so that `balance = (balance ?? 0) + 10` never makes 10 of 100. Repeat the
    /// changes, and save again; or roll back. A value that has been read after all, by the same accessor, by refreshing
    /// the object, or by a fetch, does not prevent a save any more; but where objects were changed in between, which
    /// may depend on the failed read, one save throws it first.
    ///
    /// - Returns: The saved changes, which cost nothing if unused.
    /// - Throws: ``ValidationError`` with everything that is invalid; `SaveConflictError` with conflicts that the merge
    ///   policy does not resolve; ``UnstableSaveError`` where objects change at every ``ManagedObject/willSave()``;
    ///   `StoreError` for everything else.
    @discardableResult
    public func save() throws -> SavedChanges {
        assertQueue()
        return try readingLatest { try saveChanges() }
    }

    private func saveChanges() throws -> SavedChanges {
        try failedAccesses.throwFirst()
        if options.isReadOnly && hasChanges { throw StoreError(readOnlyContext: .save) }
        if hasChanges { notify(.willSave) }
        // Cascades of the save itself are of current relationships.
        let cascades = tracker.deletions.cascades
        try applyDeleteRules()
        try announcingSave { try announceSave(tracker.changed) }
        clearReferencesToDeleted()
        deliverChanges()
        try tracker.journal?.willSave(tracker.changed)
        let saved = try saveResolvingConflicts(cascades)
        tracker.journal?.didSave(tracker.changed)
        endUndoEvent()
        let event = eventOfSave()
        let changes: SavedChanges
        let deleted: [ManagedObject]
        switch saved {
        case .stored(let outcome, let stores, let extent):
            deleted = adopt(outcome, stores, extent)
            changes = SavedChanges(outcome, model)
        case .given(let builder):
            deleted = adopt(builder)
            changes = SavedChanges(builder.changes, inserted: builder.inserted.map(\.objectID))
        }
        // Observers of derived values are notified first, so that the save is no change for them. Changes in didSave()
        // belong to the next event.
        if notifiesDerivedValues && tracker.isUnchanged { deliverChanges() }
        if let event { observation.listeners?.notify(event) }
        // Until then they have their values, for removing referenced files.
        release(deleted)
        deliverChanges()
        return changes
    }

    private enum Saved {
        /// The outcome, with the changes of each store and the temporary references of the new objects.
        case stored(SaveOutcome, [SaveChangesRequestBuilder.StoreChanges], TemporaryTable.Extent)
        case given(ContextChangesBuilder)
    }

    /// - Parameter cascades: The deletions by cascade that other contexts' saves may conflict with.
    private func saveResolvingConflicts(_ cascades: [PendingDeletions.Cascade]) throws -> Saved {
        var before: (changes: ChangeSnapshot, permanentIDs: [Int64: ObjectID])?
        var attempt = 1
        tracker.dropIndexes()
        defer { saveState.forgetResolution() }
        do {
            try generateMissingValues()
            while true {
                do {
                    if attempt == 1 && !cascades.isEmpty { try DeletionPropagator(context: self).confirm(cascades) }
                    // The rows of a parent have no versions to compare.
                    if parent == nil { try reconcilePairs() }
                    var validator = Validator(self)
                    try validator.validate(tracker.changed)
                    // Failed reads of the objects' own methods.
                    try failedAccesses.throwFirst()
                    if let parent {
                        let builder = try save(to: parent)
                        loader.forgetRows()
                        return .given(builder)
                    }
                    var builder = SaveChangesRequestBuilder(self)
                    try builder.build()
                    let request = builder.request
                    if request.isEmpty { return .stored(SaveOutcome(), builder.stores, builder.extent) }
                    let outcome = try store(request, builder.stores)
                    loader.forgetRows()
                    return .stored(outcome, builder.stores, builder.extent)
                } catch let error as SaveConflictError where attempt < ConflictResolver.attempts {
                    if !adoptRows(of: error) {
                        guard mergePolicy.resolution != .error || DeletedDestinations.areAll(of: error) else { throw error }
                        before = before ?? (ChangeSnapshot(tracker.changed), identity.permanentIDs)
                        try resolve(error)
                        try failedAccesses.throwFirst()
                    }
                }
                attempt += 1
            }
        } catch {
            if let before {
                restore(before.changes)
                for (object, id) in before.changes.ids {
                    object.managedObjectContext = self
                    if parent == nil, object.objectID != id { identity.rename(object, to: id, remembering: false) }
                }
                if parent == nil { identity.restore(permanentIDs: before.permanentIDs) }
                // Their consequences are undone.
                failedAccesses.removeAll()
            }
            if let error = error as? SaveConflictError { throw describing(error) }
            throw error
        }
    }

    private func store(_ request: SaveChangesRequest, _ stores: [SaveChangesRequestBuilder.StoreChanges]) throws -> SaveOutcome {
        do { return try source.save(request) } catch {
            if request.exclusive?.areChanged == true {
                for store in stores {
                    let objects = store.inserted.objects
                    let requested = objects.map(\.objectID.reference)
                    tracker.takeBackRows(of: objects, GivenReferences(store.part.changes.inserted, requested: requested, model))
                }
            }
            throw error
        }
    }

    /// Gives objects that were read before their store was added again the current rows, where these have the same
    /// values: a format without versions counts anew in each opening.
    ///
    /// - Returns: Whether any object has another row now.
    private func adoptRows(of error: SaveConflictError) -> Bool {
        var areAdopted = false
        for conflict in error.conflicts {
            guard case .changed(let stored) = conflict.reason, let object = registered(conflict.objectID), let row = object.row,
                !object.isNew, let storeID = object.objectID.storeID, source.hasRemoved(storeID),
                stored.hasValues(of: row, object.entity.layout)
            else { continue }
            object.row = stored
            areAdopted = true
        }
        return areAdopted
    }

    /// Resolves conflicts, and prepares the changed objects for the save as the others.
    private func resolve(_ error: SaveConflictError) throws {
        let touched = try tracker.noting {
            try tracker.unjournaled { try ConflictResolver(self).resolve(error) }
            try DeletionPropagator(context: self).run(inStepsOfDeletions: true)
        }
        try announceSave(touched)
        clearReferencesToDeleted()
        try tracker.journal?.willSave(touched)
    }

    /// Reconciles the ends of changed one-to-one pairs.
    ///
    /// Changes of partners that others set meanwhile are not undoable.
    private func reconcilePairs() throws { try tracker.unjournaled { try OneToOneReconciler(context: self).reconcile() } }

    /// Marks an unchanged object for the optimistic-lock check of the next save, which conflicts with changes by
    /// others.
    ///
    /// For an object that other changes are based on. A successful save forgets it, and so does a rollback. In a child
    /// the parent's save compares.
    public func detectConflicts(for object: ManagedObject) {
        assertQueue()
        guard object.managedObjectContext === self, !object.isNew, !object.isInaccessible else { return }
        object.fireFault()
        tracker.watched.insert(object)
    }

    /// Runs `body`, which calls `willSave()`, unless an object saves the context there.
    private func announcingSave(_ body: () throws -> Void) throws {
        if saveState.isAnnouncing {
            throw StoreError(.unsupported, .save, "an object saves its context in willSave(), which is saving already")
        }
        saveState.isAnnouncing = true
        defer { saveState.isAnnouncing = false }
        try body()
    }

    /// Returns the request that a save would make now.
    package func saveChangesRequest() throws -> SaveChangesRequest {
        assertQueue()
        try failedAccesses.throwFirst()
        try applyDeleteRules()
        clearReferencesToDeleted()
        defer { saveState.forgetResolution() }
        try reconcilePairs()
        var builder = SaveChangesRequestBuilder(self, .display)
        try builder.build()
        return builder.request
    }

    /// Gives new objects their permanent IDs before they are saved.
    ///
    /// - Throws: `StoreError` with `noStore`; what the store throws. No object has a new ID then.
    public func obtainPermanentIDs(for objects: [ManagedObject]) throws {
        assertQueue()
        let ofParent = objects.filter { !$0.isNew && $0.objectID.isTemporary && $0.managedObjectContext === self }
        if !ofParent.isEmpty { try parent?.obtainPermanentIDs(for: ofParent.map(\.objectID)) }
        let new = objects.filter { $0.isNew && $0.objectID.isTemporary && $0.managedObjectContext === self }
        let requests = try new.map { (entity: $0.entity, storeID: try targetStoreID(of: $0)) }
        let references = try source.obtainReferences(requests)
        for ((object, request), reference) in zip(zip(new, requests), references) {
            let id = ObjectID(scope: try loader.scopes(ofStore: request.storeID)[request.entity.index], reference: reference)
            identity.rename(object, to: id, remembering: true)
        }
        tracker.rename(identity.permanent)
    }
}
