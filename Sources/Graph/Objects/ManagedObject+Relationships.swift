import StrataModel
import StrataQuery
import StrataStore

// MARK: - Typed access

extension ManagedObject {
    /// The destination of a to-one relationship.
    ///
    /// Setting it maintains the inverse on both the old and the new destination.
    ///
    /// A destination that was made without a context is inserted. One that no context saves any more, see ``ManagedObject``, is refused, and
    /// ``ManagedObjectContext/save()`` throws why.
    ///
    /// - Precondition: The entity has the relationship, to objects of the key's class; a new destination is of its entity, and in no other
    ///   context.
    public final subscript<D: ManagedObject>(key: ToOne<D>) -> D? {
        get {
            guard let relationship = relationship(key.path, key.place, D.self), !relationship.isToMany else { return sample(key) }
            return destination(relationship) as? D
        }
        set { relate(newValue?.standing, toOne(key.path, key.place, D.self)) }
    }

    /// The destinations of a to-many relationship; an empty set where they cannot be loaded, see ``ManagedObjectContext/lastFaultError``.
    ///
    /// Setting them maintains the inverses; see ``ManagedObjectContext/save()`` for what becomes of those that are set where none could be
    /// loaded.
    ///
    /// - Precondition: The entity has the relationship, to objects of the key's class; new destinations are of its entity, and in no other
    ///   context.
    /// - Complexity: O(n).
    public final subscript<D: ManagedObject>(key: ToMany<D>) -> Set<D> {
        get {
            if KeyPathProbe.isProbe(self) { return Set(samples(key.path, isOrdered: false) as [D]) }
            return Set(members(toMany(key.path, key.place, D.self)).compactMap { $0 as? D })
        }
        set { setAll(Array(newValue), toMany(key.path, key.place, D.self)) }
    }

    /// The destinations of an ordered relationship, in order.
    ///
    /// Setting them maintains the inverses; repeated ones count once.
    ///
    /// - Precondition: As for a relationship without order.
    /// - Complexity: O(n).
    public final subscript<D: ManagedObject>(key: ToManyOrdered<D>) -> [D] {
        get {
            if KeyPathProbe.isProbe(self) { return samples(key.path, isOrdered: true) }
            return members(toMany(key.path, key.place, D.self)).compactMap { $0 as? D }
        }
        set { setAll(newValue, toMany(key.path, key.place, D.self)) }
    }

    /// Adds a destination to a to-many relationship without loading the others.
    public final func add<D: ManagedObject>(_ object: D, to key: ToMany<D>) {
        let (relationship, object) = (toMany(key.path, key.place, D.self), object.standing)
        if takes(object, relationship) { attempt(relationship) { try addMember(object, relationship) } }
    }

    /// Removes a destination from a to-many relationship without loading the others.
    public final func remove<D: ManagedObject>(_ object: D, from key: ToMany<D>) {
        let relationship = toMany(key.path, key.place, D.self)
        attempt(relationship) { try removeMember(object.standing, relationship) }
    }

    /// Adds a destination to an ordered relationship, at its end or at an index.
    public final func add<D: ManagedObject>(_ object: D, to key: ToManyOrdered<D>, at index: Int? = nil) {
        let (relationship, object) = (toMany(key.path, key.place, D.self), object.standing)
        guard takes(object, relationship) else { return }
        attempt(relationship) {
            guard let index, !isDetached else { return try addMember(object, relationship) }
            var members = try loadedState(relationship).order.filter { $0 != object.objectID }
            members.insert(object.objectID, at: min(max(0, index), members.count))
            try addMember(object, relationship)
            managedObjectContext?.tracker.reorder(members, of: relationship, state(relationship), of: self)
        }
    }

    /// Removes a destination from an ordered relationship.
    public final func remove<D: ManagedObject>(_ object: D, from key: ToManyOrdered<D>) {
        let relationship = toMany(key.path, key.place, D.self)
        attempt(relationship) { try removeMember(object.standing, relationship) }
    }

    private func toOne<D: ManagedObject>(_ name: String, _ cache: KeyPlace, _ type: D.Type) -> RelationshipDescription {
        guard let relationship = relationship(name, cache, type), !relationship.isToMany else {
            programmerError("\(entity.name) has no to-one relationship \(name)")
        }
        return relationship
    }

    final func toMany<D: ManagedObject>(_ name: String, _ cache: KeyPlace, _ type: D.Type) -> RelationshipDescription {
        guard let relationship = relationship(name, cache, type), relationship.isToMany else {
            programmerError("\(entity.name) has no to-many relationship \(name)")
        }
        return relationship
    }

    private func relationship<D: ManagedObject>(_ name: String, _ cache: KeyPlace, _ type: D.Type) -> RelationshipDescription? {
        checkHome()
        let place = cache.place(in: entity) { entity in
            guard let relationship = entity.relationship(named: name) else { return nil }
            requireClass(type, of: relationship)
            return relationship.index
        }
        return place.flatMap { entity.properties[$0.property].relationship }
    }

    /// Stops a program whose key would not give the destinations that are there.
    private func requireClass<D: ManagedObject>(_ type: D.Type, of relationship: RelationshipDescription) {
        guard let context = managedObjectContext else { return }
        for index in context.model.destination(of: relationship).tree {
            let destination = context.model.entities[index]
            if destination.isAbstract || destination.managedObjectClass is D.Type { continue }
            programmerError(
                "a key of \(D.self) does not fit \(entity.name).\(relationship.name), whose destinations of \(destination.name) are "
                    + "\(destination.managedObjectClass)")
        }
    }

    /// Whether an object can be a destination; takes note where it cannot because no context saves it.
    final func takes(_ object: ManagedObject, _ relationship: RelationshipDescription) -> Bool {
        // Mostly it is just this.
        let isOfDestination = object.entity.index == relationship.destination
        if isOfDestination && !isGone && !object.isGone && withContext({ object.isIn($0) }) == true { return true }
        join(object)
        do { try checkRelated(object, relationship) } catch {
            guard let context = managedObjectContext, object.managedObjectContext == nil else { programmerError("\(error)") }
            context.failedAccesses.add(error, of: self, relationship.name, isAnswered: false)
            return false
        }
        return true
    }

    /// Inserts the one of two objects that are to be related that was made without a context, where the other one has one.
    final func join(_ object: ManagedObject) {
        if let context = managedObjectContext, object.isUnattached {
            context.insert(object)
        } else if isUnattached, let context = object.managedObjectContext, !object.isGone {
            context.insert(self)
        }
    }

    /// Takes note of what kept a relationship from being changed.
    final func attempt(_ relationship: RelationshipDescription, _ body: () throws -> Void) {
        do { try body() } catch {
            managedObjectContext?.failedAccesses.add(error, of: self, relationship.name, isAnswered: false)
        }
    }

    /// The object itself, or the one that it became part of when it was saved.
    final var standing: ManagedObject {
        var object = self
        while !object.hasContext, let survivor = object.extra?.survivor { object = survivor }
        return object
    }

    /// Sets the destinations of a relationship as its accessor does.
    final func relate(_ objects: [ManagedObject], _ relationship: RelationshipDescription) {
        if relationship.isToMany { setAll(objects, relationship) } else { relate(objects.first?.standing, relationship) }
    }

    /// Sets the destination of a to-one relationship as its accessor does.
    private func relate(_ object: ManagedObject?, _ relationship: RelationshipDescription) {
        if let object, !takes(object, relationship) { return }
        attempt(relationship) { try set(object, relationship) }
    }

    final func setAll(_ objects: [ManagedObject], _ relationship: RelationshipDescription) {
        let objects = objects.map(\.standing)
        if objects.allSatisfy({ takes($0, relationship) }) { attempt(relationship) { try set(objects, relationship) } }
    }

    /// The destinations of a to-many relationship; none where they cannot be read.
    final func members(_ relationship: RelationshipDescription) -> [ManagedObject] {
        do { return try readMembers(relationship) } catch {
            managedObjectContext?.failedAccesses.add(error, of: self, relationship.name, isAnswered: true)
            return []
        }
    }
}

// MARK: - Reading

extension ManagedObject {
    /// The ID of a to-one relationship's destination, whether pending or stored.
    final func currentDestination(_ relationship: RelationshipDescription) -> ObjectID? {
        if flags.rawValue & ObjectFlags.unreadOrObserved != 0 { prepareToRead(relationship.index) }
        return knownDestination(relationship)
    }

    /// The same of an object that was prepared to be read.
    private func knownDestination(_ relationship: RelationshipDescription) -> ObjectID? {
        if let pending = pendingValue(relationship.index) { return pending.objectID }
        return row.flatMap { destinationID(relationship, in: $0) }
    }

    /// The ID of a to-one relationship's destination as it was saved.
    final func storedDestination(_ relationship: RelationshipDescription) -> Value {
        row.flatMap { destinationID(relationship, in: $0) }.map { .objectID($0) } ?? .null
    }

    /// Whether a to-one relationship leads to what it led to when it was saved, be it that it was taken away and put back.
    final func keepsDestination(_ relationship: RelationshipDescription) -> Bool {
        guard let pending = pendingValue(relationship.index) else { return true }
        return row != nil && pending == storedDestination(relationship)
    }

    /// The ID that a row of the object holds for a to-one relationship.
    final func destinationID(_ relationship: RelationshipDescription, in row: Row) -> ObjectID? {
        guard let context = managedObjectContext, case .toOne(let slot, let entitySlot, _) = relationship.storage,
            let reference = row.integer(slot)
        else { return nil }
        let entity = row.destinationEntity(entitySlot, of: relationship)
        do { return try context.id(reference, entity, near: objectID) } catch {
            context.failedAccesses.add(error, of: self, relationship.name, isAnswered: true)
            return nil
        }
    }

    /// The IDs of a relationship's destinations.
    ///
    /// - Throws: What kept those of a to-many relationship from being read.
    final func destinationIDs(_ relationship: RelationshipDescription) throws -> [ObjectID] {
        if relationship.isToMany {
            let state = try loadedState(relationship)
            return relationship.isOrdered ? state.order : state.members
        }
        return currentDestination(relationship).map { [$0] } ?? []
    }

    /// Has what is known of the saved destinations of to-many relationships be loaded anew.
    final func unloadRelationships() {
        for (property, state) in toManyStates where entity.properties[property].relationship?.isTransient == false {
            state.unload()
        }
    }

    final func destination(_ relationship: RelationshipDescription) -> ManagedObject? {
        let destination = findDestination(relationship)
        if let destination {
            if keepsDestinations { makeKept().keep(destination, of: relationship.index) }
        } else {
            kept?.drop(relationship.index)
        }
        return destination
    }

    private final func findDestination(_ relationship: RelationshipDescription) -> ManagedObject? {
        if flags.rawValue & ObjectFlags.unreadOrObserved != 0 { prepareToRead(relationship.index) }
        if let destination = readDestination(relationship) { return destination }
        if isDetached, let held = extra?.held[relationship.index] { return held.first }
        guard let id = knownDestination(relationship), let context = managedObjectContext else { return nil }
        let object = context.fault(with: id)
        if object.row == nil && !object.isNew { context.loader.walked.reach(object.objectID, over: relationship, from: self) }
        return object.isDeleted && object.isGone ? nil : object
    }

    /// The destination that the saved row tells, where that one is here with its row; counts no reference to the context.
    private final func readDestination(_ relationship: RelationshipDescription) -> ManagedObject? {
        guard let row, !isPending(relationship.index),
            case .toOne(let slot, let entitySlot, _) = relationship.storage, let reference = row.integer(slot), reference > 0
        else { return nil }
        let found = withContext { context in
            context.loader.registeredObject(reference, row.destinationEntity(entitySlot, of: relationship), near: objectID.scope)
        }
        guard let destination = found ?? nil, destination.row != nil, !destination.isGone else { return nil }
        return destination
    }

    /// The destinations of a to-many relationship.
    final func readMembers(_ relationship: RelationshipDescription) throws -> [ManagedObject] {
        if flags.contains(.observed) { noteAccess(relationship.index) }
        if isDetached { return extra?.held[relationship.index] ?? [] }
        let state = try loadedState(relationship)
        if flags.contains(.unreadable) { managedObjectContext?.failedAccesses.didRead(self, relationship.name) }
        let objects = objects(relationship.isOrdered ? state.order : state.members)
        if keepsDestinations { makeKept().keep(objects, of: relationship.index) }
        return objects
    }

    /// Whether the context has objects keep the destinations that are read.
    private final var keepsDestinations: Bool { withContext { $0.keepsDestinations } == true }

    private final func makeKept() -> KeptDestinations {
        if let kept { return kept }
        let made = KeptDestinations()
        kept = made
        withContext { $0.hasKeptDestinations = true }
        return made
    }

    final func objects(_ ids: [ObjectID]) -> [ManagedObject] {
        guard let context = managedObjectContext else { return [] }
        let objects = ids.map { context.fault(with: $0) }
        context.loader.noteSiblings(objects)
        return objects
    }

    final func state(_ relationship: RelationshipDescription) -> ToManyState {
        if let state = extra?.toMany(relationship.index) { return state }
        let state = ToManyState(relationship, isLoaded: isNew || relationship.isTransient, isNew: isNew)
        makeExtra().add(state)
        return state
    }

    /// The state of a to-many relationship with its destinations loaded: one round trip to the store, the first time.
    final func loadedState(_ relationship: RelationshipDescription) throws -> ToManyState {
        let state = state(relationship)
        if !state.isLoaded, let context = managedObjectContext {
            context.assertQueue()
            context.loader.load(
                try context.loader.savedDestinationsAlongWalk(of: relationship, from: self), of: relationship, into: self)
        }
        return state
    }

    /// Checks that an object can be a destination of this one.
    ///
    /// - Throws: `StoreError` with `wrongValue`; what a store throws that is asked again for a row that was gone.
    final func checkRelated(_ object: ManagedObject, _ relationship: RelationshipDescription) throws {
        if isDetached { return }
        if object.isGone { try object.managedObjectContext?.loader.lookAgain(for: object) }
        guard object.managedObjectContext != nil else {
            throw wrongValue(relationship.name, "\(object.objectID) was deleted, or its context forgot it: nothing can be related to it")
        }
        guard let context = managedObjectContext, object.managedObjectContext === context else {
            throw wrongValue(relationship.name, "objects of different contexts cannot be related")
        }
        let destination = context.model.destination(of: relationship)
        guard object.entity.isKind(of: destination) else {
            throw wrongValue(relationship.name, "\(object.entity.name) is no \(destination.name)")
        }
    }
}
