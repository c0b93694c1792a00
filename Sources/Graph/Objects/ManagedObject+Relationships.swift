import StrataModel
import StrataQuery

extension ManagedObject {
    /// The destination of a to-one relationship.
    ///
    /// Setting it maintains the inverse on both the old and the new destination.
    ///
    /// A destination without a context is inserted. One that no context saves any more, see ``ManagedObject``, and one
    /// that cannot be inserted, see ``ManagedObjectContext/insert(_:)->()``, is refused, and
    /// ``ManagedObjectContext/save()`` throws why.
    ///
    /// - Precondition: The entity has the relationship, to objects of the key's class; a new destination is of its
    ///   entity, and in no other context.
    public final subscript<D: ManagedObject>(key: ToOne<D>) -> D? {
        get {
            if let destination = registeredDestination(key.slot) { return destination as? D }
            guard let relationship = relationship(key.path, key.slot, D.self), !relationship.isToMany else { return sample(key) }
            return destination(relationship) as? D
        }
        set {
            if let newValue, relatesPlainly(to: newValue, key.slot) { return }
            relate(newValue?.standing, toOne(key.path, key.slot, D.self))
        }
    }

    /// The destinations of a to-many relationship; none where they cannot be loaded.
    ///
    /// Then ``ManagedObjectContext/lastFaultError`` has the error, and ``ManagedObjectContext/save()`` describes
    /// assignments. Setting them maintains the inverses; they are inserted or refused as the one of a to-one
    /// relationship.
    ///
    /// - Precondition: The entity has the relationship, to objects of the key's class; new destinations are of its
    ///   entity, and in no other context.
    /// - Complexity: O(n).
    public final subscript<D: ManagedObject>(key: ToMany<D>) -> Set<D> {
        @inlinable get {
            let members = members(key)
            var found = Set<D>(minimumCapacity: members.count)
            for case let member as D in members { found.insert(member) }
            return found
        }
        set { setAll(Array(newValue), toMany(key.path, key.slot, D.self)) }
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
            return members(toMany(key.path, key.slot, D.self)).compactMap { $0 as? D }
        }
        set { setAll(newValue, toMany(key.path, key.slot, D.self)) }
    }

    /// Adds a destination to a to-many relationship without loading the others.
    public final func add<D: ManagedObject>(_ object: D, to key: ToMany<D>) {
        let (relationship, object) = (toMany(key.path, key.slot, D.self), object.standing)
        if let relationship = takes(object, relationship) { attempt(relationship) { try addMember(object, relationship) } }
    }

    /// Removes a destination from a to-many relationship without loading the others.
    public final func remove<D: ManagedObject>(_ object: D, from key: ToMany<D>) {
        let relationship = toMany(key.path, key.slot, D.self)
        attempt(relationship) { try removeMember(object.standing, relationship) }
    }

    /// Adds a destination to an ordered relationship, at its end or at an index.
    public final func add<D: ManagedObject>(_ object: D, to key: ToManyOrdered<D>, at index: Int? = nil) {
        let object = object.standing
        guard let relationship = takes(object, toMany(key.path, key.slot, D.self)) else { return }
        attempt(relationship) {
            // One that was removed returns to its position.
            let isAppended = index == nil && extra?.toMany(relationship.index)?.isRemoved(object.objectID) != true
            if isAppended || isDetached { return try addMember(object, relationship) }
            let state = try loadedState(relationship)
            let others = state.count - (state.contains(object.objectID) ? 1 : 0)
            try addMember(object, relationship)
            managedObjectContext?.tracker.move(object.objectID, to: min(max(0, index ?? others), others), of: relationship, state, of: self)
        }
    }

    /// Removes a destination from an ordered relationship.
    public final func remove<D: ManagedObject>(_ object: D, from key: ToManyOrdered<D>) {
        let relationship = toMany(key.path, key.slot, D.self)
        attempt(relationship) { try removeMember(object.standing, relationship) }
    }

    @usableFromInline
    final func members<D: ManagedObject>(_ key: ToMany<D>) -> [ManagedObject] {
        if KeyPathProbe.isProbe(self) { return samples(key.path, isOrdered: false) as [D] }
        return members(toMany(key.path, key.slot, D.self))
    }

    private func toOne<D: ManagedObject>(_ name: String, _ cache: KeySlot, _ type: D.Type) -> RelationshipDescription {
        guard let relationship = relationship(name, cache, type), !relationship.isToMany
        else { programmerError("\(entity.name) has no to-one relationship \(name)") }
        return relationship
    }

    final func toMany<D: ManagedObject>(_ name: String, _ cache: KeySlot, _ type: D.Type) -> RelationshipDescription {
        guard let relationship = relationship(name, cache, type), relationship.isToMany
        else { programmerError("\(entity.name) has no to-many relationship \(name)") }
        return relationship
    }

    private func relationship<D: ManagedObject>(_ name: String, _ cache: KeySlot, _ type: D.Type) -> RelationshipDescription? {
        checkExecutor()
        let propertySlot = cache.slot(in: entity) { entity in
            guard let relationship = entity.relationship(named: name) else { return nil }
            requireClass(type, of: relationship)
            return relationship.index
        }
        return propertySlot.flatMap { entity.properties[$0.property].relationship }
    }

    /// Traps where a key's class does not match the destinations.
    private func requireClass<D: ManagedObject>(_ type: D.Type, of relationship: RelationshipDescription) {
        guard let context = managedObjectContext else { return }
        for index in context.model.destination(of: relationship).hierarchy {
            let destination = context.model.entities[index]
            if destination.isAbstract || destination.managedObjectClass is D.Type { continue }
            programmerError(
                "a key of \(D.self) does not fit \(entity.name).\(relationship.name), whose destinations of \(destination.name) are "
                    + "\(destination.managedObjectClass)")
        }
    }

    /// Returns the relationship where an object can be its destination; records an error for the next save otherwise.
    final func takes(_ object: ManagedObject, _ relationship: RelationshipDescription) -> RelationshipDescription? {
        // The common case.
        let isOfDestination = object.entityIndex == relationship.destination
        if isOfDestination && !isInaccessible && !object.isInaccessible && withContext({ object.isIn($0) }) == true { return relationship }
        do {
            try join(object)
            let relationship = current(relationship)
            try checkRelated(object, relationship)
            return relationship
        } catch {
            if let context = managedObjectContext {
                guard object.managedObjectContext == nil else { programmerError("\(error)") }
                context.failedAccesses.add(error, of: self, relationship.name, isAnswered: false)
            } else {
                object.managedObjectContext?.failedAccesses.addRefusedInsertion(error)
            }
            return nil
        }
    }

    /// Returns the relationship of the same name in the object's current entity.
    ///
    /// An object without a context has an entity of its class's model. Insertion gives it the entity of the context's
    /// model, with other indices of entities and properties.
    final func current(_ relationship: RelationshipDescription) -> RelationshipDescription {
        let properties = entity.properties
        if properties.indices.contains(relationship.index), properties[relationship.index].relationship === relationship {
            return relationship
        }
        return entity.relationship(named: relationship.name) ?? relationship
    }

    /// Inserts the one of two objects to relate that has no context, where the other one has one; throws `StoreError`
    /// with `unknownEntity` or `wrongValue` where it cannot be inserted; nothing is inserted then.
    final func join(_ object: ManagedObject) throws {
        if let context = managedObjectContext, object.isUnattached {
            try context.insertUnattached(object)
        } else if isUnattached, let context = object.managedObjectContext, !object.isInaccessible {
            try context.insertUnattached(self)
        }
    }

    /// Runs a change of a relationship, and records its error.
    final func attempt(_ relationship: RelationshipDescription, _ body: () throws -> Void) {
        do { try body() } catch { report(error, relationship.name, isAnswered: false) }
    }

    /// The object itself, or the one that a save united it with.
    final var standing: ManagedObject {
        var object = self
        while !object.hasContext, let survivor = object.extra?.survivor { object = survivor }
        return object
    }

    final func relate(_ objects: [ManagedObject], _ relationship: RelationshipDescription) {
        if relationship.isToMany { setAll(objects, relationship) } else { relate(objects.first?.standing, relationship) }
    }

    private func relate(_ object: ManagedObject?, _ relationship: RelationshipDescription) {
        guard let object else { return attempt(relationship) { try set(nil, relationship) } }
        if let relationship = takes(object, relationship) { attempt(relationship) { try set(object, relationship) } }
    }

    final func setAll(_ objects: [ManagedObject], _ relationship: RelationshipDescription) {
        let objects = objects.map(\.standing)
        if let relationship = takesAll(objects, relationship) { attempt(relationship) { try set(objects, relationship) } }
    }

    final func takesAll(_ objects: [ManagedObject], _ relationship: RelationshipDescription) -> RelationshipDescription? {
        var relationship = current(relationship)
        for object in objects {
            guard let taken = takes(object, relationship) else { return nil }
            relationship = taken
        }
        return relationship
    }

    final func members(_ relationship: RelationshipDescription) -> [ManagedObject] {
        do { return try readMembers(relationship) } catch {
            report(error, relationship.name)
            return []
        }
    }
}
