/// What keeps the steps of contexts: an ``UndoManager``, or what stands for one in a module with other names.
package protocol StepKeeper: AnyObject {
    /// Whether what contexts change is kept.
    var isUndoRegistrationEnabled: Bool { get }
    /// Keeps what takes changes back; what the handler registers while it runs does them again.
    func registerUndo(withTarget context: ManagedObjectContext, handler: @escaping (ManagedObjectContext) throws -> Void)
    /// Asks a context for its changes from now on; see ``ManagedObjectContext/registerChanges()``.
    func add(_ context: ManagedObjectContext)
    /// Asks a context no more, and forgets its steps.
    func remove(_ context: ManagedObjectContext)
    /// Takes note that an event of a context is over.
    func endEvent(of context: ManagedObjectContext)
    /// Takes note that a turn of a context's queue or actor is over in which it was changed.
    func endTurn(of context: ManagedObjectContext)
    /// Forgets a context's steps.
    func forgetSteps(of context: ManagedObjectContext)
    /// Takes the last step back.
    func undo() throws
    /// Does the step again that was taken back last.
    func redo() throws
}

extension UndoManager: StepKeeper {
    package func endEvent(of context: ManagedObjectContext) { if groupingLevel == 0 { endEvent() } }
    // Which turns make an event only the program knows, which says so.
    package func endTurn(of context: ManagedObjectContext) {}
    package func forgetSteps(of context: ManagedObjectContext) { removeAllActions(withTarget: context) }
}
