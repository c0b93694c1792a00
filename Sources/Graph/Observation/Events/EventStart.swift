import StrataModel

/// The state of an object when an event began, and its changes since.
struct EventStart {
    /// The state: the row, which never changes, and unsaved values.
    final class Held {
        /// Whether the object was inserted in the event.
        fileprivate let isNew: Bool
        fileprivate private(set) var row: Row?
        fileprivate let values: UnsavedValues
        /// The destinations of to-many relationships, where they differed from the saved ones.
        fileprivate var members: [Int: ToManyState.Changes] = [:]

        /// Creates the state of an object that is about to be changed.
        init(_ object: ManagedObject, isNew: Bool) {
            self.isNew = isNew
            row = isNew ? nil : object.row
            if !isNew, let extra = object.extra { values = extra.shareValues() } else { values = UnsavedValues() }
        }

        /// Creates the state before an insertion, or the saved state of an object.
        fileprivate init(saved object: ManagedObject? = nil) {
            (isNew, row) = (object?.isNew ?? true, object?.row)
            values = UnsavedValues()
        }

        /// Records the first change of a property.
        func willChange(_ property: Int, of object: ManagedObject) {
            // A fault may have fired since: its values are the saved ones.
            if !isNew && row == nil { row = object.row }
            // Unchanged destinations follow from the saved ones.
            if !isNew, let state = object.extra?.toMany(property), state.hasChanges { members[property] = ToManyState.Changes(state) }
        }
    }

    let changed: PropertySet
    private let held: Held

    init(_ held: Held, changed: PropertySet) { (self.held, self.changed) = (held, changed) }

    /// Creates the saved state of an object with its changes; `nil` where there are none.
    init?(saved object: ManagedObject) {
        guard object.hasChanges else { return nil }
        self.init(Held(saved: object), changed: object.changedProperties)
    }

    /// Creates the state before an insertion in this event, with all values set since, or all where it was saved since.
    init(new object: ManagedObject) {
        var changed = object.extra?.given ?? PropertySet()
        for property in object.entity.properties where !object.isNew || object.extra?.toMany(property.index)?.hasChanges == true {
            changed.insert(property.index)
        }
        self.init(Held(), changed: changed)
    }

    func value(_ property: PropertyDescription, of object: ManagedObject) -> Value {
        if let pending = held.values.value(property.index, of: object) { return pending }
        guard let row = held.row else { return .null }
        switch property {
        case .attribute(let attribute): return attribute.slot.map { row.value($0, attribute.slotKind) } ?? .null
        case .relationship(let relationship): return object.destinationID(relationship, in: row).map { .objectID($0) } ?? .null
        }
    }

    /// Returns the former destinations of a to-many relationship, in order where it has one.
    ///
    /// - Parameter state: Its current state, loaded.
    func members(_ relationship: RelationshipDescription, _ state: ToManyState) -> [ObjectID] {
        if held.isNew { return [] }
        let before = held.members[relationship.index]
        if let order = before?.order { return order }
        if let before, before.isNew { return before.added }
        let (added, removed) = (Set(state.added), Set(before?.removed ?? []))
        let saved = relationship.isOrdered ? state.savedOrder : state.members.filter { !added.contains($0) } + state.removed
        return saved.filter { !removed.contains($0) } + (before?.added ?? [])
    }
}

extension ManagedObject {
    /// Returns the former value of an attribute, or of the composite one that it is an element of.
    fileprivate func oldValue(_ attribute: AttributeDescription, _ start: EventStart) -> Any? {
        guard let name = attribute.compositeName, let composite = entity.compositeAttribute(named: name)
        else { return readable(start.value(.attribute(attribute), of: self), attribute) }
        return dictionary(composite) { readable(start.value(.attribute($0), of: self), $0) }
    }
}

extension ManagedObjectMembers where Self: ManagedObject {
    /// Returns the values, by name, that persistent properties had before they were changed in the present event.
    ///
    /// That began with the last notification of changes, see ``ContextEvent/Kind/objectsDidChange``. A listener that
    /// gets an event is still in it.
    ///
    /// ```swift
    /// let subscription = context.observeEvents { event in
    ///     for account in event.updated where account.changedValuesForCurrentEvent()["balance"] != nil { audit(account) }
    /// }
    /// ```
    /// A property is left out whose value is what it was before the event. What had no value is an empty `Any?`, as
    /// everything that was set of an object which came with the event. A composite attribute is one value, a
    /// relationship its objects.
    ///
    /// Contexts keep none of this for nothing: it is recorded from when there is a listener, or from the first call of
    /// this method. What was changed before counts as of one event, which reaches back to when the object was fetched
    /// or saved; the next one begins with ``ManagedObjectContext/processPendingChanges()``, or whatever else ends an
    /// event.
    ///
    /// Does not fire the object's fault; the destinations of a to-many relationship that was changed are loaded.
    @_disfavoredOverload
    public func changedValuesForCurrentEvent() -> [String: Any] {
        checkExecutor()
        guard let context = managedObjectContext, let start = context.eventStart(of: self) else { return [:] }
        var old: [String: Any] = [:]
        for property in entity.properties where start.changed.contains(property.index) && old[property.eventName] == nil {
            switch property {
            case .attribute(let attribute):
                let value = pendingValue(attribute.index) ?? storedValue(entity.propertySlots[attribute.index])
                if attribute.isTransient || start.value(property, of: self) == value { continue }
                old[property.eventName] = oldValue(attribute, start) ?? .some(Optional<Any>.none as Any)
            case .relationship(let relationship) where relationship.isTransient || relationship.isHidden: continue
            case .relationship(let relationship) where relationship.isToMany:
                guard let state = try? loadedState(relationship) else { continue }
                let before = start.members(relationship, state)
                let isSame = relationship.isOrdered ? before == state.order : Set(before) == Set(state.members)
                if isSame { continue }
                let members = objects(before, of: relationship)
                old[relationship.name] = relationship.isOrdered ? members : Set(members) as Any
            case .relationship(let relationship):
                let before = start.value(property, of: self)
                if before == pendingValue(relationship.index) ?? storedDestination(relationship) { continue }
                old[relationship.name] = before.objectID.map { context.fault(with: $0) } ?? Optional<Any>.none as Any
            }
        }
        return old
    }
}
