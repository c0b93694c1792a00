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
            return _value(at: attributeSlot(key)) ?? sample(key)
        }
        set {
            _setValue(newValue?.value ?? .null, at: attributeSlot(key))
        }
    }

    /// Returns the value of an attribute by its property slot; for generated accessors, which cache the slot.
    ///
    /// - Precondition: The type is one that the attribute's fits.
    @inlinable
    public final func _value<V: ValueConvertible>(at propertySlot: PropertySlot) -> V? {
        if let row = currentRow(propertySlot), let slot = propertySlot.slot {
            let stored = row.slot(slot, propertySlot.kind)
            if let value = V.read(stored) { return value }
            if !stored.isNull {
                noteUnknown(propertySlot, stored.value, of: V.self)
            } else if propertySlot.kind.isVariable, row.isUnavailable(slot) {
                noteUnavailable(propertySlot, row)
            }
            return nil
        }
        return pendingOrTransientValue(propertySlot).flatMap { V(value: $0) }
    }

    /// Sets an attribute by its property slot, as ``_value(at:)`` reads it.
    @inlinable
    public final func _setValue(_ value: Value, at propertySlot: PropertySlot) {
        #if DEBUG
            checkHome()
        #endif
        setAttribute(value, propertySlot)
    }

    /// Returns the cached property slot of a key, where it belongs to the object's entity; `nil` otherwise.
    @inlinable
    public final func _slot(_ remembered: KeySlot) -> PropertySlot? {
        #if DEBUG
            checkHome()
        #endif
        return remembered.slot(serial: objectID.scope.entitySerial)
    }

    /// Traps where the object is used elsewhere than its context is: its accessors ask in debug builds.
    @usableFromInline
    final func checkHome() { managedObjectContext?.assertQueue() }

    @inlinable
    final func attributeSlot<V: ValueConvertible>(_ key: Key<V>) -> PropertySlot {
        key.keySlot.slot(serial: objectID.scope.entitySerial) ?? findAttribute(key)
    }

    @usableFromInline
    final func findAttribute<V: ValueConvertible>(_ key: Key<V>) -> PropertySlot {
        let found = key.keySlot.slot(in: entity) { entity in
            guard let attribute = entity.attribute(named: key.path) else { return nil }
            guard V.fits(attribute.type) else {
                programmerError("Key<\(V.self)>(\"\(key.path)\") does not fit \(entity.name).\(key.path), which is \(attribute.type)")
            }
            return attribute.index
        }
        guard let propertySlot = found ?? KeyPathProbe.propertySlot(in: self) else {
            programmerError("\(entity.name) has no attribute \(key.path)")
        }
        return propertySlot
    }

    /// Returns the row that holds the current value of a property, with the fault fired: the saved one, or that of the
    /// pending values.
    ///
    /// The latter says of destinations only whether there are any.
    @inlinable
    final func currentRow(_ propertySlot: PropertySlot) -> Row? {
        if flags.rawValue & ObjectFlags.unreadOrObserved != 0 { prepareToRead(propertySlot.property) }
        if propertySlot.slot == nil { return nil }
        if let extra { return extra.row(propertySlot.property, else: row) }
        return row
    }

    /// Returns the pending value of a property, of a to-one relationship an ID; `nil` where none is pending.
    final func pendingValue(_ property: Int) -> Value? { extra?.value(property, of: self) }

    /// Returns whether a property has a pending value, be it nil.
    final func isPending(_ property: Int) -> Bool { extra?.isPending(property) ?? false }

    @usableFromInline
    final func pendingOrTransientValue(_ propertySlot: PropertySlot) -> Value? {
        if let pending = pendingValue(propertySlot.property) { return pending }
        guard propertySlot.slot == nil, row != nil, case .attribute(let attribute) = entity.properties[propertySlot.property] else {
            return nil
        }
        return attribute.defaultValue
    }

    /// Returns the value of an attribute or, as an ID, of a to-one relationship, whether pending or stored.
    final func currentValue(_ property: PropertyDescription) -> Value {
        if case .relationship(let relationship) = property { return currentDestination(relationship).map { .objectID($0) } ?? .null }
        let propertySlot = entity.propertySlots[property.index]
        if let row = currentRow(propertySlot), let slot = propertySlot.slot {
            if propertySlot.kind.isVariable, row.isUnavailable(slot) { noteUnavailable(propertySlot, row) }
            return row.value(slot, propertySlot.kind)
        }
        return pendingOrTransientValue(propertySlot) ?? .null
    }

    /// Takes note of a value that was asked for and cannot be read: it reads as nil, and is no nil.
    @usableFromInline
    final func noteUnavailable(_ propertySlot: PropertySlot, _ row: Row) {
        if let error = unavailability(propertySlot, row) { managedObjectContext?.lastFaultError = error }
    }

    /// Takes note of a value that was asked for as of a type that has none for it, as an enumeration without the case.
    @usableFromInline
    final func noteUnknown(_ propertySlot: PropertySlot, _ value: Value, of type: Any.Type) {
        let name = entity.properties[propertySlot.property].name
        managedObjectContext?.lastFaultError = StoreError(
            .wrongValue, .fault, "\(name) of \(objectID) is \(value.excerpt), which is no \(type)", entity: entity.name, key: name)
    }

    /// What keeps a value from being read; `nil` where it can be, or there is none.
    final func unavailability(_ propertySlot: PropertySlot, _ row: Row) -> StoreError? {
        guard let slot = propertySlot.slot, propertySlot.kind.isVariable, let value = row.unavailableValue(slot) else { return nil }
        return StoreError(value, .fault, entity: entity.name, key: entity.properties[propertySlot.property].name)
    }

    /// Returns whether the value of an attribute, or of an element of a composite one, is lost: the row is here, and
    /// says that it cannot be read.
    final func isLost(_ key: String) -> Bool {
        guard let row else { return false }
        let attributes = entity.attribute(named: key).map { [$0] } ?? entity.compositeAttribute(named: key)?.attributes ?? []
        return attributes.contains { !isPending($0.index) && unavailability(entity.propertySlots[$0.index], row) != nil }
    }

    final func storedValue(_ propertySlot: PropertySlot) -> Value {
        guard let row, let slot = propertySlot.slot else { return .null }
        return row.value(slot, propertySlot.kind)
    }

    /// Returns whether a saved object's pending value is the stored one, be it that it was changed and changed back.
    final func keepsValue(_ propertySlot: PropertySlot) -> Bool {
        !isNew && row != nil && propertySlot.slot != nil && pendingValue(propertySlot.property) == storedValue(propertySlot)
    }

    @usableFromInline
    final func setAttribute(_ value: Value, _ propertySlot: PropertySlot) {
        // Most values are such: nothing needs to be known of the attribute.
        if value.fitsAll(propertySlot.kind) { return change(propertySlot, to: value) }
        guard let attribute = entity.properties[propertySlot.property].attribute else { return }
        if attribute.type == .undefined { return change(propertySlot, to: value) }
        if let fitting = attribute.type.coerce(value) { return change(propertySlot, to: fitting) }
        // The object cannot be saved with it.
        change(propertySlot, to: value, isUnfit: true)
    }

    /// Makes a value pending and the object updated; an object that no context saves keeps the value to itself.
    final func change(_ propertySlot: PropertySlot, to value: Value, isUnfit: Bool = false) {
        if flags.rawValue & ObjectFlags.unread != 0, !isChangeable(propertySlot.property) { return }
        // The tracker, and not the context, which who observes the object may drop: counting references to the context costs more, as there
        // are weak ones.
        if let tracker = withContext({ $0.tracker }) { return tracker.set(value, propertySlot, of: self, isUnfit: isUnfit) }
        if !KeyPathProbe.isProbe(self) { ChangeTracker.keep(value, propertySlot, in: self, isUnfit: isUnfit) }
    }

    /// Makes the value of a property pending, and lets go of the destination that was kept of it.
    final func change(_ property: Int, to value: Value) {
        change(entity.propertySlots[property], to: value)
        kept?.drop(property)
    }
}
