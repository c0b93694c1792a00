import StrataModel

// The recorder of changes for listeners, and the journal of an undo manager.

extension ChangeTracker {
    /// Returns the recorder, where listeners are notified of an object's changes.
    @inline(__always)
    func recorder(of object: ManagedObject) -> ChangeRecorder? {
        recorder == nil || object.objectID.scope === unobserved ? nil : recorderObserving(object)
    }

    private func recorderObserving(_ object: ManagedObject) -> ChangeRecorder? {
        if let recorder, recorder.observes(object) { return recorder }
        unobserved = object.objectID.scope
        return nil
    }

    /// Sets the entities, by index, whose changes are recorded.
    func observe(_ observed: [Bool]) {
        unobserved = nil
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
}
