import StrataModel

extension ManagedObjectContext {
    /// Follows the delete rules of the objects deleted since the last time.
    ///
    /// - Throws: What a store throws while destinations are loaded; what was not followed yet is followed next time.
    public func processPendingChanges() throws {
        assertQueue()
        // Deletions that cascade join the list while it is walked.
        while let object = pendingDeletions.last {
            if object.flags.contains(.propagated) {
                pendingDeletions.removeLast()
                continue
            }
            let place = pendingDeletions.count - 1
            try propagateDeletion(of: object)
            object.flags.insert(.propagated)
            if pendingDeletions.count == place + 1 { pendingDeletions.removeLast() }
        }
    }

    private func propagateDeletion(of object: ManagedObject) throws {
        try requireRow(of: object)
        for property in object.entity.properties {
            guard let relationship = property.relationship else { continue }
            switch relationship.deleteRule {
            case .nullify where relationship.inverse == nil: continue
            case .nullify, .cascade: break
            // An object that was never saved just goes: nothing may keep it, and nothing may lead to it.
            case .noAction, .deny: guard object.flags.contains(.inserted), relationship.inverse != nil else { continue }
            }
            let ids = try destinations(of: object, relationship)
            let inverse = model.inverse(of: relationship)
            if relationship.deleteRule == .cascade || inverse?.isToMany == false { try loadRows(of: ids.map { self.object(with: $0) }) }
            for id in ids {
                if relationship.deleteRule == .cascade {
                    let destination = self.object(with: id)
                    if !destination.isDeleted { delete(destination) }
                } else if let inverse {
                    try detach(object.objectID, from: id, inverse)
                }
            }
        }
    }

    /// The IDs of a relationship's destinations.
    func destinations(of object: ManagedObject, _ relationship: RelationshipDescription) throws -> [ObjectID] {
        if relationship.isToMany {
            let state = try object.loadedState(relationship)
            return relationship.isOrdered ? state.order : Array(state.members)
        }
        guard case .objectID(let id) = object.currentValue(.relationship(relationship)) else { return [] }
        return [id]
    }

    /// Has an object forget another one, on its own side only.
    ///
    /// - Throws: What kept the object from being read.
    func detach(_ id: ObjectID, from ownerID: ObjectID, _ relationship: RelationshipDescription) throws {
        if relationship.isToMany {
            // An owner that is not here yet is made: it may load its destinations before the save.
            object(with: ownerID).note(id, removedFrom: relationship)
            return
        }
        let owner = object(with: ownerID)
        try owner.requireValues()
        guard !owner.isDeleted, case .objectID(let current) = owner.currentValue(.relationship(relationship)), current == id else { return }
        owner.change(relationship.index, to: .null)
    }

    // MARK: - Undoing everything

    /// Forgets all changes: new objects go, deleted ones are back, changed ones have their saved values.
    public func rollback() {
        assertQueue()
        pendingDeletions = []
        for object in takeChanged() {
            if object.flags.contains(.inserted) {
                drop(object)
            } else {
                object.dropChanges()
            }
        }
        failedAccesses.removeAll()
        assignedStores = [:]
    }

    /// Forgets all objects and changes. Objects that an application still holds have no context any more.
    public func reset() {
        assertQueue()
        rowGeneration += 1
        pendingDeletions = []
        failedAccesses.removeAll()
        let forgotten = takeChanged()
        for object in allRegistered() {
            object.managedObjectContext = nil
            clear(object)
        }
        withExtendedLifetime(forgotten) {}
        dropTables()
        prefetchedRows.removeAll()
        assignedStores = [:]
        permanentIDs = [:]
    }

    /// Takes an object out of the context.
    func drop(_ object: ManagedObject) {
        forget(object)
        if object.flags.contains(.unreadable) { failedAccesses.remove(object) }
        object.managedObjectContext = nil
        clear(object)
    }

    /// Takes a new object that became part of another one out of the context: it counts as deleted, keeps its values, and stands for the
    /// other wherever it is used as a destination or looked up by its ID.
    func leave(_ object: ManagedObject, for survivor: ManagedObject) {
        forget(object)
        if object.flags.contains(.unreadable) { failedAccesses.remove(object) }
        if object.objectID.isTemporary { permanentIDs[object.objectID.reference] = survivor.objectID }
        object.managedObjectContext = nil
        object.flags = .deleted
        object.row = nil
        object.extra?.dropRelationships()
    }

    private func clear(_ object: ManagedObject) {
        object.flags = []
        object.row = nil
        object.extra = nil
    }

    // MARK: - Refreshing

    /// Turns an object into a fault, or reads it anew.
    ///
    /// - Parameter mergeChanges: Whether the object's pending changes are applied to the values read anew; they are forgotten otherwise,
    ///   at both ends of its relationships. Members that others' own to-one relationships brought or took are changes of theirs, and stay. The
    ///   order of an ordered relationship is merged: what was moved here stays where it was put, and what others added stands behind what
    ///   it stood behind.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
        assertQueue()
        refreshStores(of: CollectionOfOne(object.objectID))
        readAnew(object, mergeChanges: mergeChanges)
    }

    func readAnew(_ object: ManagedObject, mergeChanges: Bool) {
        guard object.managedObjectContext === self, !object.flags.contains(.inserted) else { return }
        rowGeneration += 1
        object.willTurnIntoFault()
        prefetchedRows.remove(object.objectID)
        if mergeChanges && object.hasChanges {
            let old = object.row
            object.row = nil
            object.unloadRelationships()
            object.extra?.fetched = [:]
            do {
                try requireRow(of: object)
                if object.flags.contains(.unreadable) { failedAccesses.didReadRow(of: object) }
            } catch {
                noteFailure(error, of: object, nil, isAnswered: false)
            }
            if object.row != nil { PairKeeper(self).keep(object, from: old) }
        } else {
            let isRevived = object.isDeleted && !object.isGone
            object.flags.subtract([.updated, .deleted, .propagated, .inaccessible])
            object.flags.insert(.fault)
            if object.flags.contains(.unreadable) { failedAccesses.didForgetChanges(of: object) }
            pendingDeletions.removeAll { $0 === object }
            keepChanged { $0 !== object }
            RelationshipForgetter(self).forget(object, isRevived: isRevived)
            object.extra?.forgetValues()
            if object.extra?.isEmpty == true { object.extra = nil }
            object.row = nil
        }
        object.didTurnIntoFault()
    }

    /// Refreshes all objects, keeping their pending changes.
    public func refreshAllObjects() {
        let objects = allRegistered()
        refreshStores(of: objects.lazy.map(\.objectID))
        for object in objects { readAnew(object, mergeChanges: true) }
    }
}
