import CoreData

/// What is changed, and says how it was.
final class Document {
    let undoManager: UndoManager
    private(set) var title = "a"

    init(groupsByEvent: Bool = false) {
        undoManager = UndoManager()
        undoManager.groupsByEvent = groupsByEvent
    }

    func rename(_ title: String) {
        undoManager.registerUndo(withTarget: self) { [old = self.title] in $0.rename(old) }
        self.title = title
    }

    /// Renames the document in a step of its own.
    func rename(_ title: String, _ name: String) {
        undoManager.beginUndoGrouping()
        rename(title)
        undoManager.setActionName(name)
        undoManager.endUndoGrouping()
    }
}
