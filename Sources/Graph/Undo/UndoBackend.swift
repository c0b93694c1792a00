/// What keeps the undo steps of contexts: an ``UndoManager``, or its counterpart in a module with other names.
package protocol UndoBackend: AnyObject {
    /// Whether changes of contexts are registered.
    var isUndoRegistrationEnabled: Bool { get }
    /// Registers what undoes changes; what the handler registers while it runs redoes them.
    func registerUndo(withTarget context: ManagedObjectContext, handler: @escaping (ManagedObjectContext) throws -> Void)
    /// Registers a context's changes from now on; see ``ManagedObjectContext/registerChanges()``.
    func add(_ context: ManagedObjectContext)
    /// Registers a context's changes no more, and forgets its steps.
    func remove(_ context: ManagedObjectContext)
    /// Called when an event of a context is over.
    func endEvent(of context: ManagedObjectContext)
    /// Called when a turn of a context's queue or actor is over in which it was changed.
    func endTurn(of context: ManagedObjectContext)
    /// Forgets a context's steps.
    func forgetSteps(of context: ManagedObjectContext)
    /// Undoes the last step.
    func undo() throws
    /// Redoes the step that was undone last.
    func redo() throws
}

extension UndoManager: UndoBackend {
    package func endEvent(of context: ManagedObjectContext) { if groupingLevel == 0 { endEvent() } }
    // Which turns make an event only the program knows, which ends it.
    package func endTurn(of context: ManagedObjectContext) {}
    package func forgetSteps(of context: ManagedObjectContext) { removeAllActions(withTarget: context) }
}
