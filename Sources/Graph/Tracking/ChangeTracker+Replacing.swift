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

    /// Tells whoever wants to know that new objects are about to get their derived values.
    func willGetDerivedValues(_ objects: [ManagedObject]) {
        for object in objects where object.isInserted && (recorder != nil || object.flags.contains(.observed)) {
            if object.entity.derivedAttributes.isEmpty { continue }
            var derived = PropertySet()
            for attribute in object.entity.derivedAttributes { derived.insert(attribute.index) }
            willReplaceValues(of: object, derived)
        }
    }
}
