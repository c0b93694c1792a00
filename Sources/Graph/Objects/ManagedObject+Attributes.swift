public import StrataModel
public import StrataQuery
import StrataStore

extension ManagedObject {
    /// The value of an attribute; `nil` without one, and where it cannot be read, see
    /// ``ManagedObjectContext/lastFaultError``.
    ///
    /// It cannot be read where the file of an external value is lost or damaged, or where the type has no such value,
    /// as an enumeration without the stored case; saving leaves the stored value as it is until another one, or nil, is
    /// assigned.
    ///
    /// Reading fires the object's fault. Any value can be set: one that is out of the attribute's range is read back as
    /// it is, and fails the validation of a save. ``ManagedObjectContext/save()`` describes assignments where the value
    /// could not be read.
    ///
    /// - Precondition: The entity has the attribute, and its type fits the key's, see `ValueConvertible.fits(_:)`.
    /// - Complexity: O(1), and the time to decode the value.
    @inlinable
    public final subscript<V: ValueConvertible>(key: Key<V>) -> V? {
        get {
            #if DEBUG
                checkExecutor()
            #endif
            return _value(at: attributeSlot(key)) ?? sample(key)
        }
        set { _setValue(newValue?.value ?? .null, at: attributeSlot(key)) }
    }

    /// Returns the value of an attribute by its property slot; for generated accessors, which cache the slot.
    ///
    /// - Precondition: The attribute's type fits the value's.
    @inlinable
    public final func _value<V: ValueConvertible>(at propertySlot: PropertySlot) -> V? {
        if let stored = currentSlot(propertySlot) {
            if let value = V.read(stored) { return value }
            noteUnread(propertySlot, as: V.self)
            return nil
        }
        return pendingOrTransientValue(propertySlot).flatMap { V(value: $0) }
    }

    /// Sets an attribute by its property slot, as ``_value(at:)`` reads it.
    @inlinable
    public final func _setValue(_ value: Value, at propertySlot: PropertySlot) {
        #if DEBUG
            checkExecutor()
        #endif
        if let word = value.plainWord(propertySlot.kind), setsWord(word, propertySlot) { return }
        setAttribute(value, propertySlot)
    }

    /// Sets the slot of a number, as ``ChangeTracker/setWord(_:_:of:)``; returns whether it is set.
    @usableFromInline
    final func setsWord(_ word: UInt64, _ propertySlot: PropertySlot) -> Bool {
        if flags.rawValue & ObjectFlags.unreadOrAccessed != 0 { return false }
        return withContext { $0.tracker.setWord(word, propertySlot, of: self) } == true
    }

    /// Returns the cached property slot of a key, where it belongs to the object's entity; `nil` otherwise.
    @inlinable
    public final func _slot(_ remembered: KeySlot) -> PropertySlot? {
        #if DEBUG
            checkExecutor()
        #endif
        return remembered.slot(serial: objectID.scope.entitySerial)
    }

    /// Traps where the object is used off its context's executor; accessors call it in debug builds.
    @usableFromInline
    final func checkExecutor() { withContext { $0.assertQueue() } }

    @inlinable
    final func attributeSlot<V: ValueConvertible>(_ key: Key<V>) -> PropertySlot {
        key.keySlot.slot(serial: objectID.scope.entitySerial) ?? findAttribute(key)
    }

    @usableFromInline
    final func findAttribute<V: ValueConvertible>(_ key: Key<V>) -> PropertySlot {
        let found = key.keySlot.slot(in: entity) { entity in
            guard let attribute = entity.attribute(named: key.path) else { return nil }
            guard V.fits(attribute.type)
            else { programmerError("Key<\(V.self)>(\"\(key.path)\") does not fit \(entity.name).\(key.path), which is \(attribute.type)") }
            return attribute.index
        }
        guard let propertySlot = found ?? KeyPathProbe.propertySlot(in: self)
        else { programmerError("\(entity.name) has no attribute \(key.path)") }
        return propertySlot
    }

    /// Returns the slot with the current value of a property, after firing the fault: of the saved or the pending row.
    ///
    /// It is valid until the object changes. Of pending destinations it holds only whether there are any.
    @inlinable
    final func currentSlot(_ propertySlot: PropertySlot) -> RowSlot? {
        if flags.rawValue & ObjectFlags.unreadOrObserved != 0 { prepareToRead(propertySlot.property) }
        guard let slot = propertySlot.slot else { return nil }
        if unsafe extraReference != nil { return pendingOrSavedSlot(propertySlot) }
        return row?.slot(slot, propertySlot.kind)
    }

    @usableFromInline
    final func pendingOrSavedSlot(_ propertySlot: PropertySlot) -> RowSlot? {
        guard let slot = propertySlot.slot else { return nil }
        guard isPending(propertySlot.property) else { return row?.slot(slot, propertySlot.kind) }
        return withExtra { $0.pending.row(propertySlot.property)?.slot(slot, propertySlot.kind) } ?? nil
    }

    /// Returns the row with the current value of a property, as ``currentSlot(_:)``.
    final func currentRow(_ propertySlot: PropertySlot) -> Row? {
        if flags.rawValue & ObjectFlags.unreadOrObserved != 0 { prepareToRead(propertySlot.property) }
        if propertySlot.slot == nil { return nil }
        if isPending(propertySlot.property) { return withExtra { $0.pending.row(propertySlot.property) } ?? nil }
        return row
    }

    /// Returns the pending value of a property, of a to-one relationship an ID; `nil` where none is pending.
    final func pendingValue(_ property: Int) -> Value? { withExtra { $0.pending.value(property, of: self) } ?? nil }

    final func isPending(_ property: Int) -> Bool { withExtra { $0.isPending(property) } ?? false }

    @usableFromInline
    final func pendingOrTransientValue(_ propertySlot: PropertySlot) -> Value? {
        if let pending = pendingValue(propertySlot.property) { return pending }
        guard propertySlot.slot == nil, row != nil, case .attribute(let attribute) = entity.properties[propertySlot.property]
        else { return nil }
        return attribute.defaultValue
    }

    /// Returns the pending or stored value of an attribute or, as an ID, of a to-one relationship.
    final func currentValue(_ property: PropertyDescription) -> Value {
        if case .relationship(let relationship) = property { return currentDestination(relationship).map { .objectID($0) } ?? .null }
        let propertySlot = entity.propertySlots[property.index]
        if let row = currentRow(propertySlot), let slot = propertySlot.slot {
            if propertySlot.kind.isVariable, row.isUnavailable(slot) { noteUnavailable(propertySlot, row) }
            return row.value(slot, propertySlot.kind)
        }
        return pendingOrTransientValue(propertySlot) ?? .null
    }

    /// Records a failed read, where a value that reads as nil is unavailable, or one that the type does not have.
    @usableFromInline
    final func noteUnread(_ propertySlot: PropertySlot, as type: Any.Type) {
        guard let row = currentRow(propertySlot), let slot = propertySlot.slot else { return }
        if !row.isNull(slot) {
            noteUnknown(propertySlot, row.value(slot, propertySlot.kind), of: type)
        } else if propertySlot.kind.isVariable, row.isUnavailable(slot) {
            noteUnavailable(propertySlot, row)
        }
    }

    /// Records a failed read of a value that is unavailable, and reads as nil.
    final func noteUnavailable(_ propertySlot: PropertySlot, _ row: Row) {
        if let error = unavailability(propertySlot, row) { managedObjectContext?.lastFaultError = error }
    }

    /// Records a failed read of a value that the type does not have, as an enumeration without the case.
    final func noteUnknown(_ propertySlot: PropertySlot, _ value: Value, of type: Any.Type) {
        let name = entity.properties[propertySlot.property].name
        managedObjectContext?.lastFaultError = StoreError(
            .wrongValue, .fault, "\(name) of \(objectID) is \(value.excerpt), which is no \(type)", entity: entity.name, key: name)
    }

    /// Returns the reason why a value cannot be read; `nil` where it can be, or there is none.
    final func unavailability(_ propertySlot: PropertySlot, _ row: Row) -> StoreError? {
        guard let slot = propertySlot.slot, propertySlot.kind.isVariable, let value = row.unavailableValue(slot) else { return nil }
        return StoreError(value, .fault, entity: entity.name, key: entity.properties[propertySlot.property].name)
    }

    /// Returns whether the value of an attribute, or of an element of a composite one, is lost in a loaded row.
    final func isLost(_ key: String) -> Bool {
        guard let row else { return false }
        let attributes = entity.attribute(named: key).map { [$0] } ?? entity.compositeAttribute(named: key)?.attributes ?? []
        return attributes.contains { !isPending($0.index) && unavailability(entity.propertySlots[$0.index], row) != nil }
    }

    final func storedValue(_ propertySlot: PropertySlot) -> Value {
        guard let row, let slot = propertySlot.slot else { return .null }
        return row.value(slot, propertySlot.kind)
    }

    /// Returns whether a saved object's pending value equals the stored one.
    final func keepsValue(_ propertySlot: PropertySlot) -> Bool {
        !isNew && row != nil && propertySlot.slot != nil && pendingValue(propertySlot.property) == storedValue(propertySlot)
    }

    @usableFromInline
    final func setAttribute(_ value: Value, _ propertySlot: PropertySlot) {
        if flags.rawValue & ObjectFlags.unreadOrAccessed == 0,
            withContext({ $0.tracker.setSlot(value, propertySlot, of: self) }) == true
        {
            return
        }
        setOther(value, propertySlot)
    }

    /// Sets an attribute as an assignment does that is observed, is the object's first, or needs a look at the attribute.
    private final func setOther(_ value: Value, _ propertySlot: PropertySlot) {
        if value.fitsAll(propertySlot.kind) { return change(propertySlot, to: value) }
        guard let attribute = entity.properties[propertySlot.property].attribute else { return }
        if attribute.type == .undefined { return change(propertySlot, to: value) }
        if let fitting = attribute.type.coerce(value) { return change(propertySlot, to: fitting) }
        // The object cannot be saved with it.
        change(propertySlot, to: value, isUnfit: true)
    }

    /// Makes a value pending and the object updated; without a context only the value.
    final func change(_ propertySlot: PropertySlot, to value: Value, isUnfit: Bool = false) {
        if flags.rawValue & ObjectFlags.unread != 0, !isChangeable(propertySlot.property) { return }
        if !isUnfit, flags.rawValue & ObjectFlags.unreadOrAccessed == 0 {
            let isReference = propertySlot.kind == .reference
            let isSet = withContext {
                isReference ? $0.tracker.setReference(value, propertySlot, of: self) : $0.tracker.setSlot(value, propertySlot, of: self)
            }
            if isSet == true { return }
        }
        // The tracker instead of the context, whose reference counting costs more due to weak references.
        if let tracker = withContext({ $0.tracker }) { return tracker.set(value, propertySlot, of: self, isUnfit: isUnfit) }
        if !KeyPathProbe.isProbe(self) { ChangeTracker.keep(value, propertySlot, in: self, isUnfit: isUnfit) }
    }

    /// Makes the value of a property pending, and releases the destination that was retained for it.
    final func change(_ property: Int, to value: Value) {
        change(entity.propertySlots[property], to: value)
        kept?.drop(property)
    }
}
