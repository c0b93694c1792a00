import StrataModel

// The recorder of changes for listeners, the journal of an undo manager, and the notification of values from a store, which
// are no changes.

extension ChangeTracker {
    /// Returns the recorder, where listeners are notified of an object's changes.
    @inline(__always)
    func recorder(of object: ManagedObject) -> ChangeRecorder? {
        recorder == nil || object.objectID.scope == plainScopes.unobserved ? nil : recorderObserving(object)
    }

    private func recorderObserving(_ object: ManagedObject) -> ChangeRecorder? {
        if let recorder, recorder.observes(object) { return recorder }
        plainScopes.unobserved = object.objectID.scope
        return nil
    }

    /// Sets the entities, by index, whose changes are recorded.
    func observe(_ observed: [Bool]) {
        plainScopes.unobserved = nil
        recorder?.observe(observed)
    }

    /// Runs `body`, whose changes are not undoable.
    func unjournaled<R>(_ body: () throws -> R) rethrows -> R {
        guard let journal else { return try body() }
        return try journal.pausing(body)
    }

    /// Runs `body`, whose changes follow from the deletion of an object: an undo reverts them with it.
    func asConsequence<R>(of deleted: ManagedObject, _ body: () throws -> R) rethrows -> R {
        guard let journal else { return try body() }
        return try journal.keepingConsequences(of: deleted, body)
    }

    /// Notifies that the saved values of an object are about to change.
    ///
    /// - Parameter properties: The properties, where known.
    func willReplaceValues(of object: ManagedObject, _ properties: PropertySet? = nil) {
        object.announceReplacement(of: properties)
        list.indexes.pending?.touch(object)
        recorder(of: object)?.didRefresh(object, properties)
    }

    /// Notifies that a relationship is about to be unloaded, where it may have other members when it is loaded again.
    func willUnload(_ relationship: RelationshipDescription, of object: ManagedObject, isAltered: () -> Bool) {
        if (object.isObserved || recorder(of: object) != nil) && isAltered() {
            willReplaceValues(of: object, PropertySet(relationship.index))
        } else {
            list.indexes.pending?.touch(object)
        }
    }

    func willReplaceDerivedValues(of object: ManagedObject, _ old: Row, by row: Row) {
        willReplaceDerivedValues(of: object) { !$0.isEqual(old, row) }
    }

    /// Notifies that a new object is about to get derived values with its row, where they read differently before.
    func willGetDerivedValues(of object: ManagedObject, in row: Row) {
        willReplaceDerivedValues(of: object) { attribute in
            attribute.slot.map { row.value($0, attribute.slotKind) != object.pendingValue(attribute.index) ?? .null } ?? false
        }
    }

    private func willReplaceDerivedValues(of object: ManagedObject, where isChanged: (AttributeDescription) -> Bool) {
        guard recorder != nil || object.isObserved else { return }
        var changed = PropertySet()
        for attribute in object.entity.derivedAttributes where isChanged(attribute) { changed.insert(attribute.index) }
        if !changed.isEmpty { willReplaceValues(of: object, changed) }
    }
}
