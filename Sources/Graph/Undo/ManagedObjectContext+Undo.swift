import StrataModel
import StrataStore

extension ManagedObjectContext {
    /// Records the context's changes as undo steps; `nil`, the default, records none.
    ///
    /// Steps record insertions, deletions with the changes by their delete rules, and changes of values and
    /// relationships, made through objects, by methods of objects, and by the saves of child contexts. They do not
    /// record what other contexts saved, or what the merge policy changed. Steps survive saves: undoing one is then a
    /// change, which the next save stores. ``rollback()`` and ``reset()`` discard them, and so does another undo
    /// manager.
    ///
    /// Changed objects are kept alive for as long as there is a step of theirs. Leave it `nil` for imports.
    public var undoManager: UndoManager? {
        get { undoBackend as? UndoManager }
        set { undoBackend = newValue }
    }

    /// The ``undoManager``, or what stands for one in a module with other names.
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

    /// Takes the last step of the ``undoManager`` back; does nothing without one.
    ///
    /// New objects go, and come back by ``redo()`` as the same Swift objects. A deleted object comes back; one whose deletion was saved comes
    /// back as a new one, with another ID. What is as it was saved counts as unchanged.
    ///
    /// - Throws: What a store throws where an object has to be read: nothing is taken back then.
    public func undo() throws {
        assertQueue()
        try undoBackend?.undo()
    }

    /// Does the step again that was taken back last; does nothing without an ``undoManager``.
    ///
    /// - Throws: As ``undo()``.
    public func redo() throws {
        assertQueue()
        try undoBackend?.redo()
    }

    /// Registers what was changed since the last time.
    package func registerChanges() {
        guard let undoBackend, let group = tracker.journal?.takeGroup() else { return }
        undoBackend.registerUndo(withTarget: self) { try $0.reverse(group) }
    }

    /// Has what was changed be a step, unless a group is open.
    func endUndoEvent() { undoBackend?.endEvent(of: self) }

    /// Ends an event: has what was changed be a step, and told, with what delete rules make of it where they can be followed now; a save tells
    /// where they cannot.
    func endEvent() {
        if undoBackend == nil && observation.listeners == nil { return }
        try? followDueDeleteRules()
        endUndoEvent()
        tellChanges()
    }

    func forgetSteps() { undoBackend?.forgetSteps(of: self) }

    /// Forgets what was changed since changes were registered last.
    package func forgetChanges() { tracker.journal?.forgetGroup() }

    private func reverse(_ group: ChangeGroup) throws {
        registerChanges()
        // What was done until a failure is taken back by the manager, with the rest of the step.
        defer { registerChanges() }
        var reversal = ChangeReversal(group, in: self)
        try reversal.run()
    }

    /// Takes an object that left as a new one, without values.
    func bringBack(_ object: ManagedObject) {
        // A child may know one that was never saved by its ID.
        let id = object.objectID
        let isFree = id.isTemporary && identity.temporaryScopes[object.entity.index] === id.scope && identity.permanent(id) == id
        takeIn(object, object.entity, as: isFree && registered(id) == nil ? id : nil)
        tracker.bringBack(object)
    }
}
