import Foundation
import StrataGraph

/// Registers a context's changes with an undo manager of Foundation's kind, among what an application registers itself.
final class UndoBridge: StepKeeper, UndoClient {
    let undoManager: UndoManager
    private weak var context: NSManagedObjectContext?
    /// What the manager knows the context's steps by, also as that goes.
    private let target: ObjectIdentifier
    private weak var graph: ManagedObjectContext?

    init(_ undoManager: UndoManager, of context: NSManagedObjectContext) {
        self.undoManager = undoManager
        self.context = context
        target = ObjectIdentifier(context)
    }

    // MARK: - What the graph asks for

    var isUndoRegistrationEnabled: Bool { undoManager.isUndoRegistrationEnabled }

    func registerUndo(withTarget graph: ManagedObjectContext, handler: @escaping (ManagedObjectContext) throws -> Void) {
        guard let context else { return }
        undoManager.registerChanges(UndoAction(context) { [weak graph] _ in if let graph { try handler(graph) } })
    }

    func add(_ graph: ManagedObjectContext) {
        self.graph = graph
        undoManager.add(self)
    }

    func remove(_ graph: ManagedObjectContext) {
        self.graph = nil
        undoManager.remove(self)
        forgetSteps(of: graph)
    }

    // An event of the manager's may go on: it ends with its thread's, or with an undo.
    func endEvent(of graph: ManagedObjectContext) { graph.registerChanges() }

    func endTurn(of graph: ManagedObjectContext) { undoManager.endTurn { graph.registerChanges() } }

    func forgetSteps(of graph: ManagedObjectContext) {
        graph.forgetChanges()
        undoManager.removeActions(of: target)
    }

    func undo() { undoManager.undo() }
    func redo() { undoManager.redo() }

    // MARK: - What the manager asks for

    func registerPendingChanges() {
        guard let graph else { return }
        // What delete rules make of a deletion is of its step; where they cannot be followed now, both are of the next one.
        if !undoManager.isUndoing && !undoManager.isRedoing { do { try graph.followDeleteRules() } catch { return } }
        graph.registerChanges()
    }

    func forgetPendingChanges() {
        // What delete rules make of a deletion is forgotten with it.
        try? graph?.followDeleteRules()
        graph?.forgetChanges()
    }
}
