import StrataModel

// Values that come from a store, and are nobody's changes: those who listen or observe hear of them all the same.

extension ChangeTracker {
    /// Tells whoever wants to know that the saved values of an object are about to be others.
    ///
    /// - Parameter properties: Which, where it is known.
    func willReplaceValues(of object: ManagedObject, _ properties: PropertySet? = nil) {
        object.announceReplacement(of: properties)
        recorder(of: object)?.didRefresh(object, properties)
    }

    /// Tells whoever wants to know that the derived values of an object are about to be those of another row.
    func willReplaceDerivedValues(of object: ManagedObject, _ old: Row, by row: Row) {
        guard recorder != nil || object.flags.contains(.observed), !object.entity.derivedAttributes.isEmpty else { return }
        var changed = PropertySet()
        for attribute in object.entity.derivedAttributes where !attribute.isEqual(old, row) { changed.insert(attribute.index) }
        if !changed.isEmpty { willReplaceValues(of: object, changed) }
    }

    /// Tells whoever wants to know that a new object is about to get derived values with its row, where it read as something else.
    func willGetDerivedValues(of object: ManagedObject, in row: Row) {
        guard recorder != nil || object.flags.contains(.observed), !object.entity.derivedAttributes.isEmpty else { return }
        var changed = PropertySet()
        for attribute in object.entity.derivedAttributes {
            let known = object.pendingValue(attribute.index) ?? .null
            if let slot = attribute.slot, row.value(slot, attribute.slotKind) != known { changed.insert(attribute.index) }
        }
        if !changed.isEmpty { willReplaceValues(of: object, changed) }
    }
}
