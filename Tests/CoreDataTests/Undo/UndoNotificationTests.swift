import CoreData
import Testing

struct UndoNotificationTests {
    /// The names of what is posted, in order.
    // Unchecked: it is posted on the thread of the test.
    private final class Log: @unchecked Sendable {
        var names: [NSNotification.Name] = []
        var isDiscardable: Bool?
    }

    /// What a manager posts while something is done with it.
    private func posted(by manager: UndoManager, _ body: () -> Void) -> Log {
        let log = Log()
        let observer = NotificationCenter.default.addObserver(forName: nil, object: manager, queue: nil) { notification in
            log.names.append(notification.name)
            if notification.name == .NSUndoManagerDidCloseUndoGroup {
                log.isDiscardable = notification.userInfo?[NSUndoManagerGroupIsDiscardableKey] as? Bool
            }
        }
        body()
        NotificationCenter.default.removeObserver(observer)
        return log
    }

    @Test("Groups are announced as they begin and end") func groups() {
        let document = Document()
        let log = posted(by: document.undoManager) {
            document.undoManager.beginUndoGrouping()
            document.rename("b")
            document.undoManager.setActionIsDiscardable(true)
            document.undoManager.endUndoGrouping()
        }
        #expect(
            log.names == [
                .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerCheckpoint, .NSUndoManagerWillCloseUndoGroup,
                .NSUndoManagerDidCloseUndoGroup,
            ])
        #expect(log.isDiscardable == true)
    }

    @Test("Undo and redo are announced before and after") func undoing() throws {
        let document = Document()
        document.rename("b", "Rename")
        let undo = posted(by: document.undoManager) { document.undoManager.undo() }.names
        #expect(undo.first == .NSUndoManagerCheckpoint)
        #expect(undo.last == .NSUndoManagerDidUndoChange)
        let will = try #require(undo.firstIndex(of: .NSUndoManagerWillUndoChange))
        #expect(will < undo.count - 1)
        let redo = posted(by: document.undoManager) { document.undoManager.redo() }.names
        #expect(redo.contains(.NSUndoManagerWillRedoChange))
        #expect(redo.last == .NSUndoManagerDidRedoChange)
    }

    @Test("Who asks whether there is a redo has changes gathered") func checkpoint() {
        let manager = UndoManager()
        #expect(posted(by: manager) { _ = manager.canRedo }.names == [.NSUndoManagerCheckpoint])
    }

    @Test("A handler sees what is going on") func handler() {
        let document = Document()
        let manager = document.undoManager
        var seen: [Bool] = []
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: document) { document in
            seen = [manager.isUndoing, manager.isRedoing]
            manager.registerUndo(withTarget: document) { _ in seen += [manager.isUndoing, manager.isRedoing] }
        }
        manager.endUndoGrouping()
        manager.undo()
        manager.redo()
        #expect(seen == [true, false, false, true])
        #expect(!manager.isUndoing)
    }
}
