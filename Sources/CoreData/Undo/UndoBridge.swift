import Foundation
import StrataGraph

/// Registers a context's changes with an undo manager of Foundation's type, among the application's own actions.
final class UndoBridge: UndoBackend {
    let undoManager: UndoManager
    private weak var context: NSManagedObjectContext?
    /// The target of the context's actions, also while the manager is deallocated.
    private let target: ObjectIdentifier

    init(_ undoManager: UndoManager, of context: NSManagedObjectContext) {
        self.undoManager = undoManager
        self.context = context
        target = ObjectIdentifier(context)
    }

    var isUndoRegistrationEnabled: Bool { undoManager.isUndoRegistrationEnabled }

    func registerUndo(withTarget graph: ManagedObjectContext, handler: @escaping (ManagedObjectContext) throws -> Void) {
        guard let context else { return }
        undoManager.registerChanges(UndoAction(context) { [weak graph] _ in if let graph { try handler(graph) } })
    }

    func add(_ graph: ManagedObjectContext) { undoManager.engine.add(graph) }

    func remove(_ graph: ManagedObjectContext) {
        undoManager.engine.remove(graph)
        forgetSteps(of: graph)
    }

    // An event of the manager may continue: it ends with its thread's, or with an undo.
    func endEvent(of graph: ManagedObjectContext) { graph.registerChanges() }

    func endTurn(of graph: ManagedObjectContext) { undoManager.endTurn { graph.registerChanges() } }

    func forgetSteps(of graph: ManagedObjectContext) {
        graph.forgetChanges()
        undoManager.engine.removeActions(of: target)
    }

    func undo() { undoManager.undo() }
    func redo() { undoManager.redo() }
}
