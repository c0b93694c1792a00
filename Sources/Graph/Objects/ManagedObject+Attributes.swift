import StrataModel
import StrataQuery
import StrataStore

extension ManagedObject {
    /// The value of an attribute; `nil` where there is none, where it is of another type, and in an object that is gone.
    ///
    /// It is `nil` as well where the file of an external value is lost or damaged; ``ManagedObjectContext/lastFaultError`` says so then, and
    /// saving leaves the value in the store as it is until another one, or nil, is assigned.
    ///
    /// Reading fires the object's fault.
    ///
    /// - Precondition: The entity has the attribute.
    /// - Complexity: O(1), and the time to decode the value.
    @inlinable
    public final subscript<V: ValueConvertible>(key: Key<V>) -> V? {
        get {
            let place = attributePlace(key.path, key.place)
            if let row = rowIfUnchanged(place) {
                if let value = V.read(row.slot(place.slot, place.kind)) { return value }
                if place.kind.isVariable, row.isUnavailable(place.slot) { noteUnavailable(place, row) }
                return nil
            }
            if let value = pendingOrTransientValue(place) { return V(value: value) }
            return sample(key)
        }
        set { setAttribute(newValue?.value ?? .null, attributePlace(key.path, key.place), key.path) }
    }

    @inlinable
    final func attributePlace(_ name: String, _ cache: KeyPlace) -> PropertyPlace {
        cache.place(serial: objectID.scope.entitySerial) ?? findAttribute(name, cache)
    }

    @usableFromInline
    final func findAttribute(_ name: String, _ cache: KeyPlace) -> PropertyPlace {
        guard let place = cache.place(in: objectID.scope.entity, find: { $0.attribute(named: name)?.index }) ?? KeyPathProbe.place(in: self)
        else {
            preconditionFailure("\(entity.name) has no attribute \(name)")
        }
        return place
    }

    /// The row, with its fault fired, where it holds the current value.
    @inlinable
    final func rowIfUnchanged(_ place: PropertyPlace) -> Row? {
        if flags.rawValue & ObjectFlags.unread != 0 { fireFault() }
        if place.slot < 0 { return nil }
        if let extra, extra.value(place.property) != nil { return nil }
        return row
    }

    @usableFromInline
    final func pendingOrTransientValue(_ place: PropertyPlace) -> Value? {
        if let pending = extra?.value(place.property) { return pending }
        guard place.slot < 0, row != nil, case .attribute(let attribute) = entity.properties[place.property] else { return nil }
        return attribute.defaultValue
    }

    /// The value of an attribute or, as an ID, of a to-one relationship, whether pending or stored.
    final func currentValue(_ property: PropertyDescription) -> Value {
        let place = entity.places[property.index]
        if let row = rowIfUnchanged(place) {
            if case .relationship(let relationship) = property { return storedDestination(relationship) }
            if place.kind.isVariable, row.isUnavailable(place.slot) { noteUnavailable(place, row) }
            return row.value(place.slot, place.kind)
        }
        return pendingOrTransientValue(place) ?? .null
    }

    /// Takes note of a value that was asked for and cannot be read: it reads as nil, and is no nil.
    @usableFromInline
    final func noteUnavailable(_ place: PropertyPlace, _ row: Row) {
        if let error = unavailability(place, row) { managedObjectContext?.lastFaultError = error }
    }

    /// What keeps a value from being read; `nil` where it can be, or there is none.
    final func unavailability(_ place: PropertyPlace, _ row: Row) -> StoreError? {
        guard place.slot >= 0, place.kind.isVariable, let value = row.unavailableValue(place.slot) else { return nil }
        return StoreError(value, "fault", entity: entity.name, key: entity.properties[place.property].name)
    }

    final func storedValue(_ place: PropertyPlace) -> Value {
        guard let row, place.slot >= 0 else { return .null }
        return row.value(place.slot, place.kind)
    }

    @usableFromInline
    final func setAttribute(_ value: Value, _ place: PropertyPlace, _ name: String) {
        guard let attribute = entity.properties[place.property].attribute else { return }
        guard let value = attribute.type == .undefined ? value : attribute.type.coerce(value) else {
            preconditionFailure("\(value) is no value of \(entity.name).\(name), which is \(attribute.type)")
        }
        change(attribute.index, to: value)
    }

    /// Makes a value pending and the object updated.
    final func change(_ property: Int, to value: Value) {
        guard let context = managedObjectContext else { return }
        if !flags.isDisjoint(with: [.fault, .inaccessible]) { fireFault() }
        if flags.contains(.inaccessible) { return }
        if extra == nil { extra = ObjectExtra() }
        extra?.set(value, property, of: entity.properties.count)
        context.markUpdated(self)
    }

    /// Brings the object's values, from the context's fetch or from the store.
    @usableFromInline
    final func fireFault() {
        guard flags.contains(.fault), let context = managedObjectContext else { return }
        // First, for an object whose row cannot be read just now stays a fault.
        flags.remove(.fault)
        if row == nil { context.loadRow(of: self) }
        if row != nil { awakeFromFetch() }
    }
}
