import StrataModel

extension ManagedObject {
    fileprivate func primitiveValue(_ attribute: AttributeDescription) throws -> Any? {
        let propertySlot = entity.propertySlots[attribute.index]
        if let pending = pendingValue(attribute.index) { return try any(pending, attribute) }
        return try any(propertySlot.slot == nil ? attribute.defaultValue : storedValue(propertySlot), attribute)
    }

    fileprivate func collection(_ objects: [ManagedObject], _ relationship: RelationshipDescription) -> Any {
        relationship.isOrdered ? objects : Set(objects)
    }

    fileprivate func requireProperties(_ key: String) -> [PropertyDescription] {
        if let property = entity.property(named: key) { return [property] }
        guard let composite = entity.compositeAttribute(named: key) else { programmerError("\(entity.name) has no property \(key)") }
        return composite.attributes.map { .attribute($0) }
    }
}

extension ManagedObjectMembers where Self: ManagedObject {
    /// Returns the value that the object holds of a property, without firing its fault: `nil` where it is not loaded.
    ///
    /// For custom accessors, between ``willAccessValue(forKey:)`` and ``didAccessValue(forKey:)``. Of a composite
    /// attribute it is the dictionary of the loaded elements with a value.
    ///
    /// - Throws: `StoreError` with `unknownKey`, and with `closed` where the context was released before the object and
    ///   the relationship has destinations; what a transformer throws.
    @_disfavoredOverload
    public func primitiveValue(forKey key: String) throws -> Any? {
        if let composite = entity.compositeAttribute(named: key) { return try dictionary(composite) { try primitiveValue($0) } }
        switch try property(key) {
        case .attribute(let attribute): return try primitiveValue(attribute)
        case .relationship(let relationship) where relationship.isToMany:
            try requireContext(for: relationship)
            if isDetached { return collection(extra?.held[relationship.index] ?? [], relationship) }
            guard let state = extra?.toMany(relationship.index), state.isLoaded else { return isNew ? collection([], relationship) : nil }
            return collection(objects(relationship.isOrdered ? state.order : state.members, of: relationship), relationship)
        case .relationship(let relationship):
            try requireContext(for: relationship)
            if isDetached, let held = extra?.held[relationship.index] { return held.first }
            let value = pendingValue(relationship.index) ?? storedDestination(relationship)
            return value.objectID.flatMap { id in managedObjectContext?.fault(with: id) }
        }
    }

    /// Sets the value that the object holds of a property, and nothing else: no change is recorded, so that nothing is
    /// saved, undone or notified because of it, and the inverse of a relationship is left as it is.
    ///
    /// The next save of the object stores the value. In ``ManagedObject/willSave()`` it sets a value without that being
    /// called again:
    ///
    /// ```swift
    /// override func willSave() { if !isDeleted { try? setPrimitiveValue(Date.now, forKey: "modified") } }
    /// ```
    /// In accessors of one's own it stands between ``willChangeValue(forKey:)`` and ``didChangeValue(forKey:)``. The
    /// other end of a relationship has to be set too.
    ///
    /// - Throws: `StoreError` as ``setValue(_:forKey:)``.
    @_disfavoredOverload
    public func setPrimitiveValue(_ value: Any?, forKey key: String) throws {
        guard let context = managedObjectContext, !isDetached else { return try setValue(value, forKey: key) }
        context.assertQueue()
        if let composite = entity.compositeAttribute(named: key) {
            for (attribute, value) in try stored(value, composite) {
                context.tracker.setPrimitive(value, entity.propertySlots[attribute.index], of: self)
            }
            return
        }
        switch try property(key) {
        case .attribute(let attribute):
            let value = try assignable(value, attribute)
            context.tracker.setPrimitive(value, entity.propertySlots[attribute.index], of: self)
        case .relationship(let relationship) where relationship.isToMany:
            let objects = try destinations(value, relationship)
            context.tracker.setPrimitiveMembers(objects.map(\.objectID), try loadedState(relationship))
        case .relationship(let relationship):
            let object = try destination(value, relationship)
            context.tracker.setPrimitive(object.map { .objectID($0.objectID) } ?? .null, entity.propertySlots[relationship.index], of: self)
        }
    }

    /// Prepares the object for a reading of a property's value: fires its fault.
    ///
    /// ```swift
    /// var nickname: String? {
    ///     get {
    ///         willAccessValue(forKey: "nickname")
    ///         defer { didAccessValue(forKey: "nickname") }
    ///         return try? primitiveValue(forKey: "nickname") as? String
    ///     }
    ///     set {
    ///         willChangeValue(forKey: "nickname")
    ///         try? setPrimitiveValue(newValue, forKey: "nickname")
    ///         didChangeValue(forKey: "nickname")
    ///     }
    /// }
    /// ```
    /// - Precondition: The entity has the property.
    @_disfavoredOverload
    public func willAccessValue(forKey key: String) {
        let properties = requireProperties(key)
        managedObjectContext?.assertQueue()
        for property in properties where flags.rawValue & ObjectFlags.unreadOrObserved != 0 { prepareToRead(property.index) }
    }

    /// Ends what ``willAccessValue(forKey:)`` began.
    ///
    /// - Precondition: The entity has the property.
    @_disfavoredOverload
    public func didAccessValue(forKey key: String) { _ = requireProperties(key) }

    /// Prepares the object for a change of a property: fires its fault, and records the old value for undo.
    ///
    /// - Precondition: The entity has the property.
    @_disfavoredOverload
    public func willChangeValue(forKey key: String) {
        let properties = requireProperties(key)
        managedObjectContext?.assertQueue()
        for property in properties {
            if flags.rawValue & ObjectFlags.unread != 0, !isChangeable(property.index) { return }
            if !isDetached { managedObjectContext?.tracker.willChange(property, of: self) }
        }
    }

    /// Records that a property's value was changed: the object is an updated one.
    ///
    /// - Precondition: The entity has the property.
    @_disfavoredOverload
    public func didChangeValue(forKey key: String) {
        for property in requireProperties(key) where !isDetached { managedObjectContext?.tracker.didChange(property, of: self) }
    }
}
