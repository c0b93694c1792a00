import StrataStore

extension ManagedObjectContext {
    /// Inserts an object that was made without a context, and with it all objects without a context that it references.
    ///
    /// The objects get the defaults of the context's model, `awakeFromInsert` is called, and then they get what they
    /// were given; the inverses of their relationships are maintained from here on.
    ///
    /// An object that is here already stays as it is, but for one that was deleted since the last save: it is kept
    /// after all, with its values. Where its delete rules were followed already ( ``processPendingChanges()``), its
    /// relationships are those of the last save again, and what went with it by cascade stays deleted.
    ///
    /// ```swift
    /// let ada = Person(name: "Ada")
    /// ada.pets = [Pet(name: "Rex")]
    /// context.insert(ada)
    /// ```
    /// An object is refused with all that it references where the model has no entity of its class, or none that can
    /// have objects, and where one of them is in another context, or was new in one that was released:
    /// ``lastFaultError`` is the reason, and the next ``save()`` throws it. So does it where the object was given a value
    /// that could not be encoded: the object is inserted without it.
    ///
    /// - Complexity: O(n) in the number of objects and of their properties.
    public func insert(_ object: ManagedObject) {
        do { try insertUnattached(object) } catch { failedAccesses.addRefusedInsertion(error) }
    }

    /// Inserts an object, as ``insert(_:)``, or nothing; throws `StoreError` with `unknownEntity` or `wrongValue`.
    func insertUnattached(_ object: ManagedObject) throws {
        assertQueue()
        let object = object.standing
        if object.managedObjectContext === self { return keep(object) }
        guard object.managedObjectContext == nil
        else { throw StoreError(.wrongValue, .insert, "\(object.objectID) is in another context", entity: object.entity.name) }
        let objects = unattached(from: object)
        // A saved object of a released context comes as a new one with its values, where it is inserted itself.
        for other in objects where other.hasLostContext && (other.isNew || other !== object) {
            throw StoreError(.wrongValue, .insert, "the context of \(other.objectID) was released before it", entity: other.entity.name)
        }
        for object in objects { try requireDestinationsHere(of: object) }
        let entities = try objects.map { try insertableEntity(of: $0) }
        let arrivals = zip(objects.map { Arrival($0) }, entities)
        for (arrival, entity) in arrivals {
            takeIn(arrival.object, entity)
            tracker.insert(arrival.object, isBegun: true)
            arrival.fill(self)
            tracker.generateValues(of: arrival.object, onlyMissing: true)
        }
        for (arrival, _) in arrivals { arrival.relate() }
    }

    /// Reverts the unsaved deletion of an object of this context.
    private func keep(_ object: ManagedObject) {
        guard object.isDeleted, !object.isInaccessible else { return }
        let rulesWereApplied = object.flags.contains(.propagated)
        tracker.takeBackDeletion(of: object)
        if rulesWereApplied { RelationshipForgetter(context: self).forgetUndoably(object) }
    }

    /// Returns the objects without a context that an object references, itself included, in the order of discovery.
    private func unattached(from first: ManagedObject) -> [ManagedObject] {
        var found = [first]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(first)]
        var index = 0
        while index < found.count {
            let held = found[index].extra?.held ?? [:]
            for (_, objects) in held.sortedByKey() {
                for object in objects.map(\.standing) where object.managedObjectContext == nil {
                    if seen.insert(ObjectIdentifier(object)).inserted { found.append(object) }
                }
            }
            index += 1
        }
        return found
    }

    /// Checks that no destination of an object without a context is in another context.
    private func requireDestinationsHere(of object: ManagedObject) throws {
        for (property, destinations) in object.extra?.held ?? [:] {
            for destination in destinations.lazy.map(\.standing) {
                guard let context = destination.managedObjectContext, context !== self else { continue }
                throw object.wrongValue(object.entity.properties[property].name, "\(destination.objectID) is in another context")
            }
        }
    }

    /// Returns the entity of an object without a context here: by name where the object was here before, else by class.
    private func insertableEntity(of object: ManagedObject) throws -> EntityDescription {
        // An object from an earlier context of this model has its entity already.
        let own = model.entity(named: object.entity.name).flatMap { $0 === object.entity ? $0 : nil }
        guard let entity = own ?? entity(of: type(of: object)) else {
            throw StoreError(
                .unknownEntity, .insert, "not exactly one entity of the model has the class \(type(of: object))", entity: object.entity.name
            )
        }
        guard !entity.isAbstract else { throw StoreError(.unknownEntity, .insert, "the entity is abstract", entity: entity.name) }
        return entity
    }

    /// Registers an object without a context, empty, under a new or given ID; the tracker is not notified.
    func takeIn(_ object: ManagedObject, _ entity: EntityDescription, as id: ObjectID? = nil) {
        ChangeTracker.empty(object)
        object.row = nil
        object.markLoading(clearing: .loading)
        object.objectID = id ?? identity.newTemporaryID(entity.index)
        object.managedObjectContext = self
        object.markObserved(options.isObservable)
        identity.register(object)
    }
}

/// The saved state of an object that is being inserted into a context.
private struct Arrival {
    let object: ManagedObject
    private let values: [(name: String, value: Value)]
    private let destinations: [(name: String, objects: [ManagedObject])]
    private let refused: [RefusedAssignment]

    init(_ object: ManagedObject) {
        self.object = object
        let entity = object.entity
        // An object whose context was released still has its row.
        values = entity.attributes.compactMap { attribute in
            let stored = object.row == nil ? nil : object.storedValue(entity.propertySlots[attribute.index])
            return (object.pendingValue(attribute.index) ?? stored).map { (attribute.name, $0) }
        }
        refused = object.extra?.refused ?? []
        destinations = (object.extra?.held ?? [:]).sortedByKey().map { (entity.properties[$0.key].name, $0.value) }
    }

    func fill(_ context: ManagedObjectContext) {
        for (name, value) in values {
            guard let attribute = object.entity.attribute(named: name) else { continue }
            object.setAttribute(value, object.entity.propertySlots[attribute.index])
        }
        for refused in refused { context.failedAccesses.add(refused.error, of: object, refused.key, isAnswered: false) }
    }

    func relate() {
        for (name, objects) in destinations {
            guard let relationship = object.entity.relationship(named: name), !objects.isEmpty else { continue }
            // Other objects may reference it from their side.
            let others = relationship.isToMany ? object.members(relationship).filter { !objects.contains($0) } : []
            object.relate(objects + others, relationship)
        }
    }
}
