public import StrataModel
public import StrataQuery
import StrataStore

extension ManagedObject {
    /// The value of an attribute; `nil` where there is none, and where it cannot be read, see ``ManagedObjectContext/lastFaultError``.
    ///
    /// It is `nil` as well where the file of an external value is lost or damaged; ``ManagedObjectContext/lastFaultError`` says so then, and
    /// saving leaves the value in the store as it is until another one, or nil, is assigned. The same holds for a value that the type has
    /// none for, as that of a case which an enumeration does not have: a newer version of the program may have stored it.
    ///
    /// Reading fires the object's fault. Any value can be set: one that is out of the attribute's range is read back as it is, and fails the
    /// validation of a save. See ``ManagedObjectContext/save()`` for what happens to a value that is set where none could be read.
    ///
    /// - Precondition: The entity has the attribute, and its type is one that the key's fits, see `ValueConvertible.fits(_:)`.
    /// - Complexity: O(1), and the time to decode the value.
    @inlinable
    public final subscript<V: ValueConvertible>(key: Key<V>) -> V? {
        get {
            #if DEBUG
                checkHome()
            #endif
            return _value(at: attributePlace(key)) ?? sample(key)
        }
        set {
            _setValue(newValue?.value ?? .null, at: attributePlace(key))
        }
    }

    /// Returns the value of an attribute by its property slot; for generated accessors, which cache the slot.
    ///
    /// - Precondition: The type is one that the attribute's fits.
    @inlinable
    public final func _value<V: ValueConvertible>(at place: PropertyPlace) -> V? {
        if let row = currentRow(place), let slot = place.slot {
            let stored = row.slot(slot, place.kind)
            if let value = V.read(stored) { return value }
            if !stored.isNull {
                noteUnknown(place, stored.value, of: V.self)
            } else if place.kind.isVariable, row.isUnavailable(slot) {
                noteUnavailable(place, row)
            }
            return nil
        }
        return pendingOrTransientValue(place).flatMap { V(value: $0) }
    }

    /// Sets an attribute by its property slot, as ``_value(at:)`` reads it.
    @inlinable
    public final func _setValue(_ value: Value, at place: PropertyPlace) {
        #if DEBUG
            checkHome()
        #endif
        setAttribute(value, place)
    }

    /// Returns the cached property slot of a key, where it belongs to the object's entity; `nil` otherwise.
    @inlinable
    public final func _place(_ remembered: KeyPlace) -> PropertyPlace? {
        #if DEBUG
            checkHome()
        #endif
        return remembered.place(serial: objectID.scope.entitySerial)
    }

    /// Traps where the object is used elsewhere than its context is: its accessors ask in debug builds.
    @usableFromInline
    final func checkHome() { managedObjectContext?.assertQueue() }

    @inlinable
    final func attributePlace<V: ValueConvertible>(_ key: Key<V>) -> PropertyPlace {
        key.keyPlace.place(serial: objectID.scope.entitySerial) ?? findAttribute(key)
    }

    @usableFromInline
    final func findAttribute<V: ValueConvertible>(_ key: Key<V>) -> PropertyPlace {
        let found = key.keyPlace.place(in: entity) { entity in
            guard let attribute = entity.attribute(named: key.path) else { return nil }
            guard V.fits(attribute.type) else {
                programmerError("Key<\(V.self)>(\"\(key.path)\") does not fit \(entity.name).\(key.path), which is \(attribute.type)")
            }
            return attribute.index
        }
        guard let place = found ?? KeyPathProbe.place(in: self) else {
            programmerError("\(entity.name) has no attribute \(key.path)")
        }
        return place
    }

    /// The row that holds the current value of a property, with the fault fired: the saved one, or that of the pending values.
    ///
    /// The latter says of destinations only whether there are any.
    @inlinable
    final func currentRow(_ place: PropertyPlace) -> Row? {
        if flags.rawValue & ObjectFlags.unreadOrObserved != 0 { prepareToRead(place.property) }
        if place.slot == nil { return nil }
        if let extra { return extra.row(place.property, else: row) }
        return row
    }

    /// The pending value of a property, of a to-one relationship an ID; `nil` where none is pending.
    final func pendingValue(_ property: Int) -> Value? { extra?.value(property, of: self) }

    /// Whether a property has a pending value, be it nil.
    final func isPending(_ property: Int) -> Bool { extra?.isPending(property) ?? false }

    @usableFromInline
    final func pendingOrTransientValue(_ place: PropertyPlace) -> Value? {
        if let pending = pendingValue(place.property) { return pending }
        guard place.slot == nil, row != nil, case .attribute(let attribute) = entity.properties[place.property] else { return nil }
        return attribute.defaultValue
    }

    /// The value of an attribute or, as an ID, of a to-one relationship, whether pending or stored.
    final func currentValue(_ property: PropertyDescription) -> Value {
        if case .relationship(let relationship) = property { return currentDestination(relationship).map { .objectID($0) } ?? .null }
        let place = entity.places[property.index]
        if let row = currentRow(place), let slot = place.slot {
            if place.kind.isVariable, row.isUnavailable(slot) { noteUnavailable(place, row) }
            return row.value(slot, place.kind)
        }
        return pendingOrTransientValue(place) ?? .null
    }

    /// Takes note of a value that was asked for and cannot be read: it reads as nil, and is no nil.
    @usableFromInline
    final func noteUnavailable(_ place: PropertyPlace, _ row: Row) {
        if let error = unavailability(place, row) { managedObjectContext?.lastFaultError = error }
    }

    /// Takes note of a value that was asked for as of a type that has none for it, as an enumeration without the case.
    @usableFromInline
    final func noteUnknown(_ place: PropertyPlace, _ value: Value, of type: Any.Type) {
        let name = entity.properties[place.property].name
        managedObjectContext?.lastFaultError = StoreError(
            .wrongValue, .fault, "\(name) of \(objectID) is \(value.excerpt), which is no \(type)", entity: entity.name, key: name)
    }

    /// What keeps a value from being read; `nil` where it can be, or there is none.
    final func unavailability(_ place: PropertyPlace, _ row: Row) -> StoreError? {
        guard let slot = place.slot, place.kind.isVariable, let value = row.unavailableValue(slot) else { return nil }
        return StoreError(value, .fault, entity: entity.name, key: entity.properties[place.property].name)
    }

    /// Whether the value of an attribute, or of an element of a composite one, is lost: the row is here, and says that it cannot be read.
    final func isLost(_ key: String) -> Bool {
        guard let row else { return false }
        let attributes = entity.attribute(named: key).map { [$0] } ?? entity.compositeAttribute(named: key)?.attributes ?? []
        return attributes.contains { !isPending($0.index) && unavailability(entity.places[$0.index], row) != nil }
    }

    final func storedValue(_ place: PropertyPlace) -> Value {
        guard let row, let slot = place.slot else { return .null }
        return row.value(slot, place.kind)
    }

    /// Whether a saved object's pending value is the stored one, be it that it was changed and changed back.
    final func keepsValue(_ place: PropertyPlace) -> Bool {
        !isNew && row != nil && place.slot != nil && pendingValue(place.property) == storedValue(place)
    }

    @usableFromInline
    final func setAttribute(_ value: Value, _ place: PropertyPlace) {
        // Most values are such: nothing needs to be known of the attribute.
        if value.fitsAll(place.kind) { return change(place, to: value) }
        guard let attribute = entity.properties[place.property].attribute else { return }
        if attribute.type == .undefined { return change(place, to: value) }
        if let fitting = attribute.type.coerce(value) { return change(place, to: fitting) }
        // The object cannot be saved with it.
        change(place, to: value, isUnfit: true)
    }

    /// Makes a value pending and the object updated; an object that no context saves keeps the value to itself.
    final func change(_ place: PropertyPlace, to value: Value, isUnfit: Bool = false) {
        if flags.rawValue & ObjectFlags.unread != 0, !isChangeable(place.property) { return }
        // The tracker, and not the context, which who observes the object may drop: counting references to the context costs more, as there
        // are weak ones.
        if let tracker = withContext({ $0.tracker }) { return tracker.set(value, place, of: self, isUnfit: isUnfit) }
        if !KeyPathProbe.isProbe(self) { ChangeTracker.keep(value, place, in: self, isUnfit: isUnfit) }
    }

    /// Makes the value of a property pending, and lets go of the destination that was kept of it.
    final func change(_ property: Int, to value: Value) {
        change(entity.places[property], to: value)
        kept?.drop(property)
    }
}
