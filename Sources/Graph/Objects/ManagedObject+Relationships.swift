import StrataModel
import StrataQuery
import StrataStore

// MARK: - Typed access

extension ManagedObject {
    /// The destination of a to-one relationship.
    ///
    /// Setting it maintains the inverse on both the old and the new destination.
    ///
    /// A destination that was made without a context is inserted. One that no context saves any more, see ``ManagedObject``, and one that
    /// cannot be inserted, see ``ManagedObjectContext/insert(_:)``, is refused, and ``ManagedObjectContext/save()`` throws why.
    ///
    /// - Precondition: The entity has the relationship, to objects of the key's class; a new destination is of its entity, and in no other
    ///   context.
    public final subscript<D: ManagedObject>(key: ToOne<D>) -> D? {
        get {
            guard let relationship = relationship(key.path, key.slot, D.self), !relationship.isToMany else { return sample(key) }
            return destination(relationship) as? D
        }
        set { relate(newValue?.standing, toOne(key.path, key.slot, D.self)) }
    }

    /// The destinations of a to-many relationship; an empty set where they cannot be loaded, see ``ManagedObjectContext/lastFaultError``.
    ///
    /// Setting them maintains the inverses; see ``ManagedObjectContext/save()`` for those that are set where none could be
    /// loaded.
    ///
    /// Destinations are inserted or refused as the one of a to-one relationship.
    ///
    /// - Precondition: The entity has the relationship, to objects of the key's class; new destinations are of its entity, and in no other
    ///   context.
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
            // One that was removed comes back to where it stood.
            let isAppended = index == nil && extra?.toMany(relationship.index)?.isRemoved(object.objectID) != true
            if isAppended || isDetached { return try addMember(object, relationship) }
            var members = try loadedState(relationship).order.filter { $0 != object.objectID }
            members.insert(object.objectID, at: min(max(0, index ?? members.count), members.count))
            try addMember(object, relationship)
            managedObjectContext?.tracker.reorder(members, of: relationship, state(relationship), of: self)
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
        guard let relationship = relationship(name, cache, type), !relationship.isToMany else {
            programmerError("\(entity.name) has no to-one relationship \(name)")
        }
        return relationship
    }

    final func toMany<D: ManagedObject>(_ name: String, _ cache: KeySlot, _ type: D.Type) -> RelationshipDescription {
        guard let relationship = relationship(name, cache, type), relationship.isToMany else {
            programmerError("\(entity.name) has no to-many relationship \(name)")
        }
        return relationship
    }

    private func relationship<D: ManagedObject>(_ name: String, _ cache: KeySlot, _ type: D.Type) -> RelationshipDescription? {
        checkHome()
        let propertySlot = cache.slot(in: entity) { entity in
            guard let relationship = entity.relationship(named: name) else { return nil }
            requireClass(type, of: relationship)
            return relationship.index
        }
        return propertySlot.flatMap { entity.properties[$0.property].relationship }
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

    /// Returns the relationship where an object can be its destination, as ``current(_:)`` does; records why it cannot, which the next save throws.
    final func takes(_ object: ManagedObject, _ relationship: RelationshipDescription) -> RelationshipDescription? {
        // Mostly it is just this.
        let isOfDestination = object.entity.index == relationship.destination
        if isOfDestination && !isGone && !object.isGone && withContext({ object.isIn($0) }) == true { return relationship }
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

    /// Returns the relationship of the same name that the object's entity has now.
    ///
    /// An object without a context is of an entity in the model of what its class reaches. Inserting it gives it the entity of the context's
    /// model, in which indexes of entities and properties are others.
    final func current(_ relationship: RelationshipDescription) -> RelationshipDescription {
        let properties = entity.properties
        if properties.indices.contains(relationship.index), properties[relationship.index].relationship === relationship {
            return relationship
        }
        return entity.relationship(named: relationship.name) ?? relationship
    }

    /// Inserts the one of two objects that are to be related that was made without a context, where the other one has one.
    ///
    /// - Throws: `StoreError` with `unknownEntity` or `wrongValue` where it cannot be inserted; nothing is inserted then.
    final func join(_ object: ManagedObject) throws {
        if let context = managedObjectContext, object.isUnattached {
            try context.insertUnattached(object)
        } else if isUnattached, let context = object.managedObjectContext, !object.isGone {
            try context.insertUnattached(self)
        }
    }

    /// Takes note of what kept a relationship from being changed.
    final func attempt(_ relationship: RelationshipDescription, _ body: () throws -> Void) {
        do { try body() } catch { report(error, relationship.name, isAnswered: false) }
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
        guard let object else { return attempt(relationship) { try set(nil, relationship) } }
        if let relationship = takes(object, relationship) { attempt(relationship) { try set(object, relationship) } }
    }

    final func setAll(_ objects: [ManagedObject], _ relationship: RelationshipDescription) {
        let objects = objects.map(\.standing)
        if let relationship = takesAll(objects, relationship) { attempt(relationship) { try set(objects, relationship) } }
    }

    /// Returns the relationship where all objects can be its destinations; see ``takes(_:_:)``.
    final func takesAll(_ objects: [ManagedObject], _ relationship: RelationshipDescription) -> RelationshipDescription? {
        var relationship = current(relationship)
        for object in objects {
            guard let taken = takes(object, relationship) else { return nil }
            relationship = taken
        }
        return relationship
    }

    /// Returns the destinations of a to-many relationship; none where they cannot be read.
    final func members(_ relationship: RelationshipDescription) -> [ManagedObject] {
        do { return try readMembers(relationship) } catch {
            report(error, relationship.name)
            return []
        }
    }
}
