import StrataModel

extension ManagedObjectContext {
    /// Inserts an object that was made without a context, and with it those without one that it leads to.
    ///
    /// The objects get the defaults of the context's model, `awakeFromInsert` is called, and then they get what they were given; the inverses
    /// of their relationships are maintained from here on.
    ///
    /// An object that is here already stays as it is, but for one that was deleted since the last save: it is kept after all, with its values.
    /// Where its delete rules were followed already (``processPendingChanges()``), its relationships are those of the last save again, and
    /// what went with it by cascade stays deleted.
    ///
    /// ```swift
    /// let ada = Person(name: "Ada")
    /// ada.pets = [Pet(name: "Rex")]
    /// context.insert(ada)
    /// ```
    /// - Precondition: Of each class exactly one entity of the context's model names it, unless the object was in a context of this model
    ///   before; no object is in another context.
    /// - Complexity: O(n) in the number of objects and of their properties.
    public func insert(_ object: ManagedObject) {
        assertQueue()
        let object = object.standing
        if object.managedObjectContext === self { return keep(object) }
        guard object.managedObjectContext == nil else { programmerError("\(object) is in another context") }
        let arrivals = unattached(from: object).map { Arrival($0) }
        for arrival in arrivals { admit(arrival) }
        for arrival in arrivals { arrival.relate() }
    }

    /// Takes the deletion of an object back, where it is one of this context that was not saved.
    private func keep(_ object: ManagedObject) {
        guard object.isDeleted, !object.isGone else { return }
        let rulesWereFollowed = object.flags.contains(.propagated)
        tracker.takeBackDeletion(of: object)
        if rulesWereFollowed { RelationshipForgetter(self).forgetUndoably(object) }
    }

    /// The objects without a context that an object leads to, itself included, in the order in which they are found.
    private func unattached(from first: ManagedObject) -> [ManagedObject] {
        var found = [first]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(first)]
        var place = 0
        while place < found.count {
            let held = found[place].extra?.held ?? [:]
            for (_, objects) in held.sorted(by: { $0.key < $1.key }) {
                for object in objects.map(\.standing) where object.managedObjectContext == nil {
                    if seen.insert(ObjectIdentifier(object)).inserted { found.append(object) }
                }
            }
            place += 1
        }
        return found
    }

    private func admit(_ arrival: Arrival) {
        let object = arrival.object
        // One that was in a context of this model before has its entity already.
        let own = model.entity(named: object.entity.name).flatMap { $0 === object.entity ? $0 : nil }
        guard let entity = own ?? entity(of: type(of: object)) else {
            programmerError("exactly one entity of the model must name the class \(type(of: object))")
        }
        guard !entity.isAbstract else { programmerError("\(entity.name) is abstract: only objects of its sub-entities are inserted") }
        takeIn(object, entity)
        tracker.insert(object, isBegun: true)
        arrival.fill()
    }

    /// Registers an object that has no context, empty, under a new ID or the one given; the tracker is still to hear of it.
    func takeIn(_ object: ManagedObject, _ entity: EntityDescription, as id: ObjectID? = nil) {
        ChangeTracker.empty(object)
        object.row = nil
        object.markLoading(clearing: .loading)
        object.objectID = id ?? identity.temporaryID(for: entity)
        object.managedObjectContext = self
        identity.register(object)
    }
}

/// An object on its way into a context, with what it held.
private struct Arrival {
    let object: ManagedObject
    private let values: [(name: String, value: Value)]
    private let destinations: [(name: String, objects: [ManagedObject])]

    init(_ object: ManagedObject) {
        self.object = object
        let entity = object.entity
        // One whose context is gone has its row still.
        values = entity.attributes.compactMap { attribute in
            let stored = object.row == nil ? nil : object.storedValue(entity.places[attribute.index])
            return (object.pendingValue(attribute.index) ?? stored).map { (attribute.name, $0) }
        }
        destinations = (object.extra?.held ?? [:]).sorted { $0.key < $1.key }.map { (entity.properties[$0.key].name, $0.value) }
    }

    func fill() {
        for (name, value) in values {
            guard let attribute = object.entity.attribute(named: name) else { continue }
            object.setAttribute(value, object.entity.places[attribute.index])
        }
    }

    func relate() {
        for (name, objects) in destinations {
            guard let relationship = object.entity.relationship(named: name), !objects.isEmpty else { continue }
            // Others may have been related to it from their side.
            let others = relationship.isToMany ? object.members(relationship).filter { !objects.contains($0) } : []
            object.relate(objects + others, relationship)
        }
    }
}
