import StrataModel

extension ManagedObjectMembers where Self: ManagedObject {
    /// Returns the pending values, by name, of the persistent properties changed since the last fetch or save; a
    /// composite attribute with a changed element is returned as a whole.
    ///
    /// Does not fire the object's fault.
    ///
    /// A to-many relationship that cannot be read is empty, and a transformable attribute that its transformer cannot
    /// read is its bytes; see ``ManagedObjectContext/lastFaultError``. One whose destinations cannot be read because
    /// the context was released is left out; see ``ManagedObjectMembers/lastFaultError``.
    @_disfavoredOverload
    public func changedValues() -> [String: Any] {
        var changed: [String: Any] = [:]
        guard hasChanges else { return changed }
        for property in entity.properties {
            switch property {
            case .attribute(let attribute):
                guard !attribute.isTransient, let value = pendingValue(attribute.index),
                    isNew || value != storedValue(entity.propertySlots[attribute.index])
                else { continue }
                if let name = attribute.compositeName {
                    if changed[name] == nil { changed[name] = currentDictionary(name) ?? .some(Optional<Any>.none as Any) }
                    continue
                }
                changed[attribute.name] = readable(value, attribute) ?? .some(Optional<Any>.none as Any)
            case .relationship(let relationship) where relationship.isTransient || relationship.isHidden: continue
            case .relationship(let relationship) where relationship.isToMany:
                if let state = extra?.toMany(relationship.index), state.hasChanges,
                    isReadable({ try requireContext(for: relationship) })
                {
                    let members = members(relationship)
                    changed[relationship.name] = relationship.isOrdered ? members : Set(members)
                }
            case .relationship(let relationship):
                if changesDestination(relationship), isReadable({ try requireContext(for: relationship) }) {
                    changed[relationship.name] = destination(relationship) ?? Optional<Any>.none as Any
                }
            }
        }
        return changed
    }

    /// Returns the values, by name, as of the last fetch or save; of the properties with the given names, or of all.
    ///
    /// Relationships are IDs, a set of them for a to-many one, and an array where it is ordered; a new object has no
    /// values. A property without a value is left out. A composite attribute is a dictionary of its elements, each of
    /// which has a path of its own.
    ///
    /// A to-many relationship is loaded, see ``hasFault(forRelationshipNamed:)``; one that cannot be read is empty, see
    /// ``ManagedObjectContext/lastFaultError``. What cannot be read because the context was released is left out; see
    /// ``ManagedObjectMembers/lastFaultError``.
    @_disfavoredOverload
    public func committedValues(forKeys keys: [String]?) -> [String: Any] {
        if flags.contains(.fault) {
            if !isReadable({ try requireContext(for: Int?.none) }) { return [:] }
            fireFault()
        }
        var committed: [String: Any] = [:]
        let composites = keys.map { $0.compactMap { entity.compositeAttribute(named: $0) } } ?? entity.compositeAttributes
        for composite in composites {
            committed[composite.name] = dictionary(composite) { readable(storedValue(entity.propertySlots[$0.index]), $0) }
        }
        for property in entity.properties where keys?.contains(property.name) ?? true {
            switch property {
            case .attribute(let attribute):
                if keys == nil && attribute.compositeName != nil { continue }
                if let value = readable(storedValue(entity.propertySlots[attribute.index]), attribute) { committed[attribute.name] = value }
            case .relationship(let relationship) where relationship.isTransient || relationship.isHidden: continue
            case .relationship(let relationship) where relationship.isToMany:
                guard !isNew else { continue }
                guard let members = committedMembers(relationship) else { continue }
                committed[relationship.name] = relationship.isOrdered ? members : Set(members)
            case .relationship(let relationship):
                if !isReadable({ try requireContext(forSaved: relationship) }) { continue }
                if case .objectID(let id) = storedDestination(relationship) { committed[relationship.name] = id }
            }
        }
        return committed
    }

    /// Returns the saved members of a relationship; none where unreadable, and `nil` where the context was released.
    private func committedMembers(_ relationship: RelationshipDescription) -> [ObjectID]? {
        if !isReadable({ try requireContext(forSaved: relationship) }) { return nil }
        if isDetached { return hasLostContext ? extra?.toMany(relationship.index)?.saved ?? [] : [] }
        return recording(relationship.name) { try loadedState(relationship).saved } ?? []
    }
}
