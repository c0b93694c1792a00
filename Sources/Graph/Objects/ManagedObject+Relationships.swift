import StrataModel
import StrataQuery
import StrataStore

// MARK: - Typed access

extension ManagedObject {
    /// The destination of a to-one relationship. Setting it maintains the inverse on both the old and the new destination.
    ///
    /// - Precondition: The entity has the relationship; a new destination is of its entity and in the same context.
    public final subscript<D: ManagedObject>(key: ToOne<D>) -> D? {
        get {
            guard let relationship = relationship(key.path, key.place), !relationship.isToMany else { return sample(key) }
            return destination(relationship) as? D
        }
        set {
            let relationship = toOne(key.path, key.place)
            if let newValue { require(newValue, relationship) }
            set(newValue, relationship)
        }
    }

    /// The destinations of a to-many relationship; an empty set where they cannot be loaded, see
    /// ``ManagedObjectContext/lastFaultError``. Setting them maintains the inverses.
    ///
    /// - Precondition: The entity has the relationship; new destinations are of its entity and in the same context.
    /// - Complexity: O(n).
    public final subscript<D: ManagedObject>(key: ToMany<D>) -> Set<D> {
        get {
            if KeyPathProbe.isProbe(self) { return Set(samples(key.path, isOrdered: false) as [D]) }
            return Set(objects(toManyIDs(toMany(key.path, key.place))).compactMap { $0 as? D })
        }
        set { setAll(Array(newValue), toMany(key.path, key.place)) }
    }

    /// The destinations of an ordered relationship, in order. Setting them maintains the inverses; repeated ones count once.
    ///
    /// - Precondition: The entity has the relationship; new destinations are of its entity and in the same context.
    /// - Complexity: O(n).
    public final subscript<D: ManagedObject>(key: ToManyOrdered<D>) -> [D] {
        get {
            if KeyPathProbe.isProbe(self) { return samples(key.path, isOrdered: true) }
            return objects(toManyIDs(toMany(key.path, key.place))).compactMap { $0 as? D }
        }
        set { setAll(newValue, toMany(key.path, key.place)) }
    }

    /// Adds a destination to a to-many relationship without loading the others.
    public final func add<D: ManagedObject>(_ object: D, to key: ToMany<D>) {
        let relationship = toMany(key.path, key.place)
        require(object, relationship)
        addMember(object, relationship)
    }

    /// Removes a destination from a to-many relationship without loading the others.
    public final func remove<D: ManagedObject>(_ object: D, from key: ToMany<D>) { removeMember(object, toMany(key.path, key.place)) }

    /// Adds a destination to an ordered relationship, at its end or at an index.
    public final func add<D: ManagedObject>(_ object: D, to key: ToManyOrdered<D>, at index: Int? = nil) {
        let relationship = toMany(key.path, key.place)
        require(object, relationship)
        if let index {
            var members = toManyIDs(relationship).filter { $0 != object.objectID }
            members.insert(object.objectID, at: min(max(0, index), members.count))
            addMember(object, relationship)
            extra?.toMany(relationship.index)?.reorder(members)
            managedObjectContext?.markUpdated(self)
        } else {
            addMember(object, relationship)
        }
    }

    /// Removes a destination from an ordered relationship.
    public final func remove<D: ManagedObject>(_ object: D, from key: ToManyOrdered<D>) {
        removeMember(object, toMany(key.path, key.place))
    }

    private func toOne(_ name: String, _ cache: KeyPlace) -> RelationshipDescription {
        guard let relationship = relationship(name, cache), !relationship.isToMany else {
            preconditionFailure("\(entity.name) has no to-one relationship \(name)")
        }
        return relationship
    }

    private func toMany(_ name: String, _ cache: KeyPlace) -> RelationshipDescription {
        guard let relationship = relationship(name, cache), relationship.isToMany else {
            preconditionFailure("\(entity.name) has no to-many relationship \(name)")
        }
        return relationship
    }

    private func relationship(_ name: String, _ cache: KeyPlace) -> RelationshipDescription? {
        cache.place(in: entity) { $0.relationship(named: name)?.index }.flatMap { entity.properties[$0.property].relationship }
    }

    private func require(_ object: ManagedObject, _ relationship: RelationshipDescription) {
        do { try checkRelated(object, relationship) } catch { preconditionFailure("\(error)") }
    }

    private func setAll(_ objects: [ManagedObject], _ relationship: RelationshipDescription) {
        for object in objects { require(object, relationship) }
        do { try set(objects, relationship) } catch { managedObjectContext?.lastFaultError = error }
    }

    private func toManyIDs(_ relationship: RelationshipDescription) -> [ObjectID] {
        do {
            let state = try loadedState(relationship)
            return relationship.isOrdered ? state.order : Array(state.members)
        } catch {
            managedObjectContext?.lastFaultError = error
            return []
        }
    }
}

// MARK: - Reading

extension ManagedObject {
    /// The ID of a to-one relationship's destination as it was saved.
    final func storedDestination(_ relationship: RelationshipDescription) -> Value {
        guard let row, let context = managedObjectContext, case .toOne(let slot, let entitySlot, _) = relationship.storage,
            let reference = row.integer(slot)
        else { return .null }
        let entity = entitySlot.flatMap { row.integer($0) }.map(Int.init) ?? relationship.destination
        return context.id(reference, entity, near: objectID).map { .objectID($0) } ?? .null
    }

    final func destination(_ relationship: RelationshipDescription) -> ManagedObject? {
        guard case .objectID(let id) = currentValue(.relationship(relationship)), let context = managedObjectContext else { return nil }
        let object = context.object(with: id)
        return object.isDeleted && object.flags.contains(.inaccessible) ? nil : object
    }

    final func objects(_ ids: [ObjectID]) -> [ManagedObject] {
        guard let context = managedObjectContext else { return [] }
        let objects = ids.map { context.object(with: $0) }
        context.noteSiblings(objects)
        return objects
    }

    final func state(_ relationship: RelationshipDescription) -> ToManyState {
        if let state = extra?.toMany(relationship.index) { return state }
        if extra == nil { extra = ObjectExtra() }
        let isNew = flags.contains(.inserted)
        let state = ToManyState(isOrdered: relationship.isOrdered, isLoaded: isNew || relationship.isTransient, isNew: isNew)
        extra?.set(state, relationship.index)
        return state
    }

    /// The state of a to-many relationship with its destinations loaded: one round trip to the store, the first time.
    final func loadedState(_ relationship: RelationshipDescription) throws -> ToManyState {
        let state = state(relationship)
        if !state.isLoaded, let context = managedObjectContext {
            state.load(try context.savedDestinations(of: relationship, from: self))
        }
        return state
    }

    final func checkRelated(_ object: ManagedObject, _ relationship: RelationshipDescription) throws {
        guard let context = managedObjectContext, object.managedObjectContext === context else {
            throw wrongValue(relationship.name, "objects of different contexts, or without one, cannot be related")
        }
        let destination = context.model.destination(of: relationship)
        guard object.entity.isKind(of: destination) else {
            throw wrongValue(relationship.name, "\(object.entity.name) is no \(destination.name)")
        }
    }
}

// MARK: - Changing, with inverses

extension ManagedObject {
    /// Sets the destination of a to-one relationship, and the inverses.
    final func set(_ object: ManagedObject?, _ relationship: RelationshipDescription) {
        guard let context = managedObjectContext else { return }
        let old = currentValue(.relationship(relationship))
        if case .objectID(let id) = old, id == object?.objectID { return }
        if old.isNull && object == nil { return }
        if case .objectID(let id) = old, let inverse = context.model.inverse(of: relationship) {
            context.detach(objectID, from: id, inverse)
        }
        change(relationship.index, to: object.map { .objectID($0.objectID) } ?? .null)
        guard let object, let inverse = context.model.inverse(of: relationship) else { return }
        if inverse.isToMany {
            object.note(objectID, addedTo: inverse)
        } else {
            if case .objectID(let partner) = object.currentValue(.relationship(inverse)), partner != objectID {
                context.detach(object.objectID, from: partner, relationship)
            }
            object.change(inverse.index, to: .objectID(objectID))
        }
        context.followAgain(self)
        context.followAgain(object)
    }

    /// Sets the destinations of a to-many relationship, and the inverses.
    final func set(_ objects: [ManagedObject], _ relationship: RelationshipDescription) throws {
        var seen: Set<ObjectID> = []
        let unique = objects.filter { seen.insert($0.objectID).inserted }
        let state = try loadedState(relationship)
        for id in state.members where !seen.contains(id) {
            if let context = managedObjectContext { removeMember(context.object(with: id), relationship) }
        }
        for object in unique { addMember(object, relationship) }
        if relationship.isOrdered, state.order != unique.map(\.objectID) {
            state.reorder(unique.map(\.objectID))
            managedObjectContext?.markUpdated(self)
        }
    }

    final func addMember(_ object: ManagedObject, _ relationship: RelationshipDescription) {
        guard let context = managedObjectContext else { return }
        guard let inverse = context.model.inverse(of: relationship) else {
            note(object.objectID, addedTo: relationship)
            return
        }
        if inverse.isToMany {
            note(object.objectID, addedTo: relationship)
            object.note(objectID, addedTo: inverse)
            context.followAgain(self)
            context.followAgain(object)
        } else {
            object.set(self, inverse)
        }
    }

    final func removeMember(_ object: ManagedObject, _ relationship: RelationshipDescription) {
        guard let context = managedObjectContext else { return }
        guard let inverse = context.model.inverse(of: relationship) else {
            note(object.objectID, removedFrom: relationship)
            return
        }
        if inverse.isToMany {
            note(object.objectID, removedFrom: relationship)
            object.note(objectID, removedFrom: inverse)
        } else if case .objectID(let owner) = object.currentValue(.relationship(inverse)), owner == objectID {
            object.set(nil, inverse)
        }
    }

    /// Takes note of a destination without touching its side.
    final func note(_ id: ObjectID, addedTo relationship: RelationshipDescription) {
        // An order can only be kept up where it is known.
        let state = relationship.isOrdered ? (try? loadedState(relationship)) ?? state(relationship) : state(relationship)
        if state.add(id) { managedObjectContext?.markUpdated(self) }
    }

    /// Takes note of the loss of a destination without touching its side.
    final func note(_ id: ObjectID, removedFrom relationship: RelationshipDescription) {
        if state(relationship).remove(id) { managedObjectContext?.markUpdated(self) }
    }
}
