/// The manager of contexts' undo groups: an ``UndoManager``, or its counterpart in a module with other names.
package protocol UndoBackend: AnyObject {
    var isUndoRegistrationEnabled: Bool { get }
    /// Registers an undo action; actions that it registers while it runs redo it.
    func registerUndo(withTarget context: ManagedObjectContext, handler: @escaping (ManagedObjectContext) throws -> Void)
    /// Registers a context's changes from now on; see ``ManagedObjectContext/registerChanges()``.
    func add(_ context: ManagedObjectContext)
    /// Stops registering a context's changes, and discards its groups.
    func remove(_ context: ManagedObjectContext)
    func endEvent(of context: ManagedObjectContext)
    /// Called at the end of a turn of a context's queue or actor in which it was changed.
    func endTurn(of context: ManagedObjectContext)
    func forgetSteps(of context: ManagedObjectContext)
    func undo() throws
    func redo() throws
}

extension UndoManager: UndoBackend {
    package func endEvent(of context: ManagedObjectContext) { if groupingLevel == 0 { endEvent() } }
    // Only the program knows which turns make an event, and ends it.
    package func endTurn(of context: ManagedObjectContext) {}
    package func forgetSteps(of context: ManagedObjectContext) { removeAllActions(withTarget: context) }
}
