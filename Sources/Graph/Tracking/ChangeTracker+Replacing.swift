import StrataModel

// Values from a store, which are no changes, but notified to listeners and observers.

extension ChangeTracker {
    /// Notifies that the saved values of an object are about to change.
    ///
    /// - Parameter properties: The properties, where known.
    func willReplaceValues(of object: ManagedObject, _ properties: PropertySet? = nil) {
        object.announceReplacement(of: properties)
        list.indexes.pending?.touch(object)
        recorder(of: object)?.didRefresh(object, properties)
    }

    func willReplaceDerivedValues(of object: ManagedObject, _ old: Row, by row: Row) {
        guard recorder != nil || object.flags.contains(.observed), !object.entity.derivedAttributes.isEmpty else { return }
        var changed = PropertySet()
        for attribute in object.entity.derivedAttributes where !attribute.isEqual(old, row) { changed.insert(attribute.index) }
        if !changed.isEmpty { willReplaceValues(of: object, changed) }
    }

    /// Notifies that a new object is about to get derived values with its row, where they read differently before.
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
