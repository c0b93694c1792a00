import StrataModel
import StrataQuery
import StrataStore

extension ManagedObject {
    /// Returns the ID of a to-one relationship's destination, whether pending or stored.
    final func currentDestination(_ relationship: RelationshipDescription) -> ObjectID? {
        if flags.rawValue & ObjectFlags.unreadOrObserved != 0 { prepareToRead(relationship.index) }
        return heldDestination(relationship)
    }

    /// Returns the same after firing the fault, or without firing it.
    final func heldDestination(_ relationship: RelationshipDescription) -> ObjectID? {
        if let pending = pendingValue(relationship.index) { return pending.objectID }
        return row.flatMap { destinationID(relationship, in: $0) }
    }

    /// Returns the ID of a to-one relationship's destination as it is read, consistent with the inverse.
    final func readDestinationID(_ relationship: RelationshipDescription) -> ObjectID? {
        guard let id = currentDestination(relationship) else { return nil }
        guard !isPending(relationship.index), let destination = withContext({ $0.registered(id) }) ?? nil else { return id }
        return hasLost(destination, relationship) ? nil : id
    }

    /// Returns whether the partner in the object's row has another partner, or none, in this context.
    ///
    /// A row that arrives later may hold a partner that another context set; the save takes that partner from it, so
    /// that it is read as nil.
    private final func hasLost(_ destination: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        guard destination.hasChanges, !destination.isDeleted, let inverse = withContext({ $0.model.inverse(of: relationship) }) ?? nil,
            !inverse.isToMany, let pending = destination.pendingValue(inverse.index)
        else { return false }
        return pending != .objectID(objectID)
    }

    /// Returns the ID of a to-one relationship's destination as it was saved.
    final func storedDestination(_ relationship: RelationshipDescription) -> Value {
        row.flatMap { destinationID(relationship, in: $0) }.map { .objectID($0) } ?? .null
    }

    /// Returns whether a to-one relationship references its saved destination, possibly again.
    final func keepsDestination(_ relationship: RelationshipDescription) -> Bool {
        guard let pending = pendingValue(relationship.index) else { return true }
        return row != nil && pending == storedDestination(relationship)
    }

    /// Returns whether a to-one relationship has a pending destination, or nil, other than the saved one.
    final func changesDestination(_ relationship: RelationshipDescription) -> Bool {
        guard let pending = pendingValue(relationship.index) else { return false }
        if !hasLostContext { return pending != storedDestination(relationship) }
        // Without the context there are no IDs, but whether there is a destination is known.
        let isNull = extra?.pending.isNull(entity.propertySlots[relationship.index]) == true
        return !isNull || (try? requireContext(forSaved: relationship)) == nil
    }

    final func destinationID(_ relationship: RelationshipDescription, in row: Row) -> ObjectID? {
        guard case .toOne(let slot, let entitySlot, _) = relationship.storage, let reference = row.integer(slot) else { return nil }
        let entity = row.destinationEntity(entitySlot, of: relationship)
        if let id = withContext({ $0.loader.id(reference, entity, near: objectID.scope) }) ?? nil { return id }
        guard let context = managedObjectContext else { return nil }
        return recording(relationship.name) { try context.id(reference, entity, near: objectID) }
    }

    final func destinationIDs(_ relationship: RelationshipDescription) throws -> [ObjectID] {
        if relationship.isToMany {
            let state = try loadedState(relationship)
            return relationship.isOrdered ? state.order : state.members
        }
        return readDestinationID(relationship).map { [$0] } ?? []
    }

    final func unloadRelationships() {
        for (property, state) in toManyStates where entity.properties[property].relationship?.isTransient == false {
            state.unload()
        }
    }

    final func destination(_ relationship: RelationshipDescription) -> ManagedObject? {
        var isTracked = false
        if flags.contains(.observed) { isTracked = noteAccess(relationship.index) }
        let destination = findDestination(relationship)
        if let destination {
            if isTracked { retainObserved([destination]) }
            keepDestination(destination, relationship)
        } else {
            kept?.drop(relationship.index)
        }
        return destination
    }

    private final func findDestination(_ relationship: RelationshipDescription) -> ManagedObject? {
        if flags.rawValue & ObjectFlags.unread != 0 { prepareToRead(relationship.index) }
        if let destination = readDestination(relationship) { return destination }
        if isDetached, let held = extra?.held[relationship.index] { return held.first }
        if !hasContext { do { try requireContext(for: relationship) } catch { report(error, relationship.name) } }
        guard let id = heldDestination(relationship), let context = managedObjectContext else { return nil }
        let known = context.registered(id)
        let object = known ?? context.fault(with: id)
        if known == nil && !keepsDestinations { context.loader.keepRecent(object) }
        if !isPending(relationship.index) && hasLost(object, relationship) { return nil }
        if object.row == nil && !object.isNew { context.loader.prefetcher.reach(object.objectID, over: relationship, from: self) }
        return object.isDeleted && object.isInaccessible ? nil : object
    }

    /// Returns the unchanged destination in the saved row of an object, where it is registered with its row.
    ///
    /// A loop over one relationship takes this path: the key was read last. It fires the fault of an object with a row.
    @inline(__always)
    final func registeredDestination(_ key: KeySlot) -> ManagedObject? {
        guard let propertySlot = key.slot(serial: objectID.scope.entitySerial), let slot = propertySlot.slot, row != nil else { return nil }
        if flags.rawValue & ObjectFlags.unread != 0 {
            // Other reads of the row may fail, and are recorded once.
            guard flags.rawValue & ObjectFlags.unread == ObjectFlags.fault.rawValue else { return nil }
            fireFault(reading: propertySlot.property)
            if flags.rawValue & ObjectFlags.unread != 0 { return nil }
        }
        guard !isPending(propertySlot.property), let reference = row?.integer(slot), reference > 0 else { return nil }
        let found = withContext { $0.identity.used.destination(reference, from: objectID.scope, propertySlot.property) }
        guard let destination = found ?? nil, destination.row != nil, !destination.hasChanges, !destination.isInaccessible else {
            return nil
        }
        #if DEBUG
            checkExecutor()
        #endif
        if flags.contains(.observed), noteAccess(propertySlot.property) { retainObserved([destination]) }
        return destination
    }

    /// Returns the destination in the saved row where it is registered with its row; counts no context reference.
    private final func readDestination(_ relationship: RelationshipDescription) -> ManagedObject? {
        guard let row, !isPending(relationship.index),
            case .toOne(let slot, let entitySlot, _) = relationship.storage, let reference = row.integer(slot), reference > 0
        else { return nil }
        let found = withContext { context in
            context.loader.registeredObject(reference, row.destinationEntity(entitySlot, of: relationship), near: objectID.scope)
        }
        guard let destination = found ?? nil, destination.row != nil, !destination.isInaccessible, !hasLost(destination, relationship)
        else { return nil }
        if !keepsDestinations { withContext { $0.identity.noteDestination(destination, of: relationship.index, from: objectID.scope) } }
        return destination
    }

    /// Returns the destinations that an object holds itself, as no context saves it.
    final func heldMembers(_ relationship: RelationshipDescription) throws -> [ManagedObject] {
        try requireContext(for: relationship)
        return extra?.held[relationship.index] ?? []
    }

    final func readMembers(_ relationship: RelationshipDescription) throws -> [ManagedObject] {
        var isTracked = false
        if flags.contains(.observed) { isTracked = noteAccess(relationship.index) }
        if isDetached { return try heldMembers(relationship) }
        let state = try loadedState(relationship)
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didRead(self, relationship.name) }
        let objects = objects(relationship.isOrdered ? state.order : state.members, of: relationship)
        if isTracked { retainObserved(objects) }
        if keepsDestinations { makeRetained().keep(objects, of: relationship.index) }
        return objects
    }

    final var keepsDestinations: Bool { withContext { $0.options.semantics.retainsDestinations } == true }

    /// Retains the destination of a to-one relationship, where the context's semantics require it.
    final func keepDestination(_ destination: ManagedObject, _ relationship: RelationshipDescription) {
        if keepsDestinations { makeRetained().keep(destination, of: relationship.index) }
    }

    final func makeRetained() -> RetainedDestinations {
        if let kept { return kept }
        let made = RetainedDestinations()
        kept = made
        withContext { $0.lifetime.hasRetainedDestinations = true }
        return made
    }

    final func objects(_ ids: [ObjectID], of relationship: RelationshipDescription) -> [ManagedObject] {
        guard let context = managedObjectContext else { return [] }
        let objects = context.loader.members(ids, of: relationship, from: objectID, for: context)
        context.loader.noteMembers(objects, of: relationship)
        return objects
    }

    final func state(_ relationship: RelationshipDescription) -> ToManyState {
        if let state = extra?.toMany(relationship.index) { return state }
        let state = ToManyState(relationship, isLoaded: isNew || relationship.isTransient, isNew: isNew)
        makeExtra().add(state)
        if !flags.contains(.owner) { listAsOwner() }
        return state
    }

    /// Makes sure that there is the state of a to-many relationship, without counting references to it.
    @inline(__always)
    final func beginState(_ relationship: RelationshipDescription, _ token: ChangeTracker.MutationToken) {
        if withExtra({ $0.hasToMany(relationship.index) }) == true { return }
        beginExtra(token)
        let state = ToManyState(relationship, isLoaded: isNew || relationship.isTransient, isNew: isNew)
        withExtra { $0.add(state) }
        if !flags.contains(.owner) { listAsOwner() }
    }

    /// Returns the state of a to-many relationship, after loading it with one round trip where necessary.
    final func loadedState(_ relationship: RelationshipDescription) throws -> ToManyState {
        let state = state(relationship)
        if !state.isLoaded, let context = managedObjectContext {
            context.assertQueue()
            context.loader.load(
                try context.loader.savedDestinationsReadingAhead(of: relationship, from: self), of: relationship, into: self)
        }
        return state
    }

    /// Checks that an object can be a destination of this one; throws `StoreError` with `wrongValue`; what a store
    /// throws that is asked again for a missing row.
    final func checkRelated(_ object: ManagedObject, _ relationship: RelationshipDescription) throws {
        if isDetached { return }
        if object.isInaccessible { try object.managedObjectContext?.loader.lookAgain(for: object) }
        guard object.managedObjectContext != nil else {
            throw wrongValue(relationship.name, "\(object.objectID) was deleted, or its context forgot it: nothing can be related to it")
        }
        guard let context = managedObjectContext, object.managedObjectContext === context
        else { throw wrongValue(relationship.name, "objects of different contexts cannot be related") }
        let destination = context.model.destination(of: relationship)
        guard object.entity.isKind(of: destination)
        else { throw wrongValue(relationship.name, "\(object.entity.name) is no \(destination.name)") }
    }
}
