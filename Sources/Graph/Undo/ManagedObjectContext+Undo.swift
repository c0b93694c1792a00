import StrataModel

extension ManagedObjectContext {
    /// Records the context's changes as undo groups; `nil`, the default, records none.
    ///
    /// Groups record insertions, deletions with the changes by their delete rules, and changes of values and
    /// relationships, made through objects, by methods of objects, and by the saves of child contexts. They do not
    /// record saves of other contexts, or changes by the merge policy. Groups survive saves: undoing one is then a
    /// change, which the next save stores. ``rollback()`` and ``reset()`` discard them, and so does another undo
    /// manager.
    ///
    /// Changed objects are retained for as long as a group contains them. Leave it `nil` for imports.
    public var undoManager: UndoManager? {
        get { undoBackend as? UndoManager }
        set { undoBackend = newValue }
    }

    /// The ``undoManager``, or its counterpart in a module with other names.
    package var undoBackend: (any UndoBackend)? {
        get { tracker.journal?.backend }
        set {
            assertQueue()
            if newValue === undoBackend { return }
            undoBackend?.remove(self)
            tracker.journal = newValue.map { ChangeJournal(self, $0) }
            newValue?.add(self)
        }
    }

    /// Undoes the last group of the ``undoManager``; does nothing without one.
    ///
    /// New objects are removed, and restored by ``redo()`` as the same Swift objects. A deleted object is restored; one
    /// whose deletion was saved is inserted as a new one, with another ID. Restored saved values count as unchanged.
    ///
    /// - Throws: What a store throws where an object has to be read: nothing is undone then.
    public func undo() throws {
        assertQueue()
        try undoBackend?.undo()
    }

    /// Redoes the group that was undone last; does nothing without an ``undoManager``.
    ///
    /// - Throws: As ``undo()``.
    public func redo() throws {
        assertQueue()
        try undoBackend?.redo()
    }

    /// Registers the changes since the last time.
    package func registerChanges() {
        guard let undoBackend, let group = tracker.journal?.takeGroup() else { return }
        undoBackend.registerUndo(withTarget: self) { try $0.reverse(group) }
    }

    /// Ends the group of the event, unless the application opened one.
    func endUndoEvent() { undoBackend?.endEvent(of: self) }

    /// Ends an event: propagates deletes where possible, delivers the changes, and ends their undo group.
    func endEvent() {
        if undoBackend == nil && observation.listeners == nil { return }
        try? applyDueDeleteRules()
        endUndoEvent()
        deliverChanges()
    }

    func forgetSteps() { undoBackend?.forgetSteps(of: self) }

    /// Discards the changes since the last registration.
    package func forgetChanges() { tracker.journal?.forgetGroup() }

    private func reverse(_ group: ChangeGroup) throws {
        registerChanges()
        // The manager undoes what was done before a failure, with the rest of the group.
        defer { registerChanges() }
        var reversal = ChangeReversal(group, in: self)
        try reversal.run()
    }

    /// Inserts a removed object as a new one, without values.
    func reinsert(_ object: ManagedObject) {
        // A child may have an unsaved one by its ID.
        let id = object.objectID
        let isFree = identity.isOfNewObject(id) && identity.permanent(id) == id
        takeIn(object, object.entity, as: isFree && registered(id) == nil ? id : nil)
        tracker.reinsert(object)
    }
}
