import StrataModel

// Changes of relationships, with their inverses.

extension ManagedObject {
    /// Sets the destination of a to-one relationship, and the inverses; throws the error of reading a row that the
    /// change needs; nothing is changed then.
    final func set(_ object: ManagedObject?, _ relationship: RelationshipDescription) throws {
        if flags.rawValue & ObjectFlags.unread != 0 { try requireAssignable(relationship.name) }
        guard let context = managedObjectContext, !isInaccessible else { return try hold(object.map { [$0] } ?? [], relationship) }
        let old = currentDestination(relationship)
        if old == object?.objectID && readDestinationID(relationship) == old {
            if flags.contains(.unreadable) { context.failedAccesses.didAssign(self, relationship.name) }
            return
        }
        let inverse = context.model.inverse(of: relationship)
        if let inverse, !inverse.isToMany {
            // The rows of the partners, and of the new partner's partner, hold their side.
            if let old { try context.fault(with: old).requireAssignable(inverse.name) }
            try object?.requireAssignable(inverse.name)
            if let id = object?.currentDestination(inverse) { try context.fault(with: id).requireAssignable(relationship.name) }
        }
        if let old, let inverse { try context.detach(objectID, from: old, inverse) }
        change(relationship.index, to: object.map { .objectID($0.objectID) } ?? .null)
        context.tracker.updateOwnersOfOlderRow(of: self)
        guard let object else { return }
        context.modelCache.plainLinks.note(relationship, of: objectID.scope, in: context.model)
        keepDestination(object, relationship)
        guard let inverse else { return }
        if inverse.isToMany {
            object.note(self, addedTo: inverse, wasSaved: object.wasSaved(self, in: inverse, relationship))
        } else {
            if let partner = object.currentDestination(inverse), partner != objectID {
                try context.detach(object.objectID, from: partner, relationship)
            }
            object.change(inverse.index, to: .objectID(objectID))
            object.keepDestination(self, inverse)
        }
        context.tracker.applyRulesAgain(of: self)
        context.tracker.applyRulesAgain(of: object)
    }

    /// Sets the destinations of a to-many relationship, and the inverses; throws the error of reading the destinations,
    /// now or before, with nothing changed; that of reading a row that the change needs.
    final func set(_ objects: [ManagedObject], _ relationship: RelationshipDescription) throws {
        if isDetached { return try hold(objects, relationship) }
        try requireSettled(relationship)
        var seen: Set<ObjectID> = []
        let unique = objects.filter { seen.insert($0.objectID).inserted }
        let state = try loadedState(relationship)
        try requireEnds(of: relationship, unique, state.members.filter { !seen.contains($0) })
        for id in state.members where !seen.contains(id) {
            if let context = managedObjectContext { try removeMember(context.fault(with: id), relationship) }
        }
        for object in unique { try addMember(object, relationship) }
        if relationship.isOrdered, state.order != unique.map(\.objectID) {
            managedObjectContext?.tracker.reorder(unique.map(\.objectID), of: relationship, state, of: self)
        }
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didAssign(self, relationship.name) }
    }

    /// Throws the error of an earlier failed read of a relationship.
    final func requireSettled(_ relationship: RelationshipDescription) throws {
        if flags.contains(.unreadable), let refusal = managedObjectContext?.failedAccesses.refusal(of: self, relationship.name) {
            throw refusal
        }
    }

    /// Loads the rows of the members in one round trip.
    final func requireEnds(of relationship: RelationshipDescription, _ members: [ManagedObject], _ removed: [ObjectID]) throws {
        guard let context = managedObjectContext, !isInaccessible, let inverse = context.model.inverse(of: relationship), !inverse.isToMany
        else { return }
        let removed = removed.map { context.fault(with: $0) }
        try context.loader.loadRows(of: members + removed)
        for object in removed { try object.requireValues() }
        for object in members { try object.requireAssignable(inverse.name) }
    }

    /// Loads the orders that the object is to be added to, where the objects are related already.
    final func requireOrders(of objects: [ManagedObject], _ relationship: RelationshipDescription) throws {
        guard let context = managedObjectContext, let inverse = context.model.inverse(of: relationship), inverse.isOrdered else { return }
        for object in objects where !object.isInaccessible && object.managedObjectContext === context {
            _ = try object.loadedState(inverse)
        }
    }

    /// Adds a destination to a to-many relationship, and the inverse.
    ///
    /// - Parameter inChild: Whether a save stored it there, where a child context knows that.
    /// - Throws: The error of reading a row that the change needs; `StoreError` with `closed` where the other
    ///   destinations are not loaded and the context was released.
    final func addMember(_ object: ManagedObject, _ relationship: RelationshipDescription, wasSaved inChild: Bool? = nil) throws {
        guard let context = managedObjectContext, !isInaccessible
        else { return try hold(try heldMembers(relationship) + [object], relationship) }
        guard let inverse = context.model.inverse(of: relationship) else { return note(object, addedTo: relationship, wasSaved: inChild) }
        if inverse.isToMany {
            try link(object, relationship, inverse, wasSaved: inChild)
            context.tracker.applyRulesAgain(of: self)
            context.tracker.applyRulesAgain(of: object)
        } else {
            // Another context may have moved a loaded member since: adding it again does not revert that.
            if let state = extra?.toMany(relationship.index), state.isLoaded, state.contains(object.objectID),
                !object.isPending(inverse.index)
            {
                return
            }
            try object.set(self, inverse)
        }
    }

    /// Removes a destination from a to-many relationship, and the inverse.
    ///
    /// - Parameter inChild: Whether a save stored it there, where a child context knows that.
    /// - Throws: The error of reading a row that the change needs.
    final func removeMember(_ object: ManagedObject, _ relationship: RelationshipDescription, wasSaved inChild: Bool? = nil) throws {
        guard let context = managedObjectContext, !isInaccessible
        else { return try hold(try heldMembers(relationship).filter { $0 !== object }, relationship) }
        guard let inverse = context.model.inverse(of: relationship)
        else { return note(object.objectID, removedFrom: relationship, wasSaved: inChild) }
        if inverse.isToMany { return try unlink(object, relationship, inverse, wasSaved: inChild) }
        try object.requireValues()
        if object.currentDestination(inverse) == objectID { try object.set(nil, inverse) }
    }

    /// Records a destination at this end only.
    ///
    /// - Parameter known: Whether a save stored it there, where that is known already.
    final func note(_ object: ManagedObject, addedTo relationship: RelationshipDescription, wasSaved known: Bool? = nil) {
        var state = state(relationship)
        // Only a loaded order is maintained.
        if relationship.isOrdered && !state.isPlaced(object.objectID) {
            state = recording(relationship.name, isAnswered: false) { try loadedState(relationship) } ?? state
        }
        let id = object.objectID
        if state.isLoaded && keepsDestinations && !state.contains(id) { makeRetained().add(object, to: relationship.index) }
        let isSaved = known ?? wasSaved(object, in: relationship, state)
        withContext { $0.tracker }?.add(id, wasSaved: isSaved, to: relationship, state, of: self)
    }

    /// Records the removal of a destination at this end only.
    ///
    /// - Parameter known: Whether a save stored it there, where that is known already.
    final func note(_ id: ObjectID, removedFrom relationship: RelationshipDescription, wasSaved known: Bool? = nil) {
        let state = state(relationship)
        let object = withContext { $0.registered(id) } ?? nil
        let isSaved = known ?? object.flatMap { wasSaved($0, in: relationship, state) }
        withContext { $0.tracker }?.remove(id, wasSaved: isSaved, from: relationship, state, of: self)
        if let kept, let object { kept.remove(object, from: relationship.index) }
    }

    /// Sets the destinations of an object that no context saves, without their inverses; throws `StoreError` with
    /// `notFound` where the object's row is missing, and it does not count as deleted.
    private func hold(_ objects: [ManagedObject], _ relationship: RelationshipDescription) throws {
        try requireNotLost()
        if managedObjectContext == nil, KeyPathProbe.isProbe(self) { return }
        var seen: Set<ObjectIdentifier> = []
        makeExtra().held[relationship.index] = objects.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
