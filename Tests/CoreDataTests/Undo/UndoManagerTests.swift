import CoreData
import Testing

struct UndoManagerTests {
    @Test("A step is taken back, and done again") func undoing() {
        let document = Document()
        for title in ["b", "c"] { document.rename(title, "Rename") }
        document.undoManager.undo()
        #expect(document.title == "b")
        document.undoManager.undo()
        #expect(document.title == "a")
        #expect(!document.undoManager.canUndo)
        document.undoManager.redo()
        document.undoManager.redo()
        #expect(document.title == "c")
        #expect(!document.undoManager.canRedo)
    }

    @Test("What is registered outside of groups is one step up to the undo") func event() {
        let document = Document(groupsByEvent: true)
        document.rename("b")
        document.rename("c")
        #expect(document.undoManager.groupingLevel == 1)
        document.undoManager.undo()
        #expect(document.title == "a")
        #expect(document.undoManager.groupingLevel == 0)
    }

    @Test("A group that is begun in an event is within the event's") func levels() {
        let document = Document(groupsByEvent: true)
        document.undoManager.beginUndoGrouping()
        #expect(document.undoManager.groupingLevel == 2)
        document.rename("b")
        document.undoManager.endUndoGrouping()
        document.rename("c")
        document.undoManager.undo()
        #expect(document.title == "a")
    }

    @MainActor
    @Test("The event's group ends with the next pass of the main run loop") func runLoop() async {
        let document = Document(groupsByEvent: true)
        document.rename("b")
        for _ in 0..<60_000 where document.undoManager.groupingLevel > 0 { try? await Task.sleep(for: .milliseconds(10)) }
        document.rename("c")
        document.undoManager.undo()
        #expect(document.title == "b")
    }

    @Test("A group within another one is taken back alone") func nested() {
        let document = Document()
        document.undoManager.beginUndoGrouping()
        document.rename("b")
        document.rename("c", "Rename")
        document.undoManager.undoNestedGroup()
        #expect(document.title == "b")
        #expect(document.undoManager.groupingLevel == 1)
        document.undoManager.endUndoGrouping()
        document.undoManager.undo()
        #expect(document.title == "a")
    }

    @Test("What is new leaves nothing to be done again") func newStep() {
        let document = Document()
        document.rename("b", "Rename")
        document.undoManager.undo()
        document.rename("c", "Rename")
        #expect(!document.undoManager.canRedo)
    }

    @Test("Nothing is registered while that is disabled") func disabled() {
        let document = Document()
        document.undoManager.disableUndoRegistration()
        document.undoManager.disableUndoRegistration()
        document.rename("b")
        document.undoManager.enableUndoRegistration()
        #expect(!document.undoManager.isUndoRegistrationEnabled)
        document.undoManager.enableUndoRegistration()
        #expect(document.undoManager.isUndoRegistrationEnabled)
        #expect(!document.undoManager.canUndo)
    }

    @Test("The oldest steps go beyond the limit") func limit() {
        let document = Document()
        document.undoManager.levelsOfUndo = 2
        for title in ["b", "c", "d"] { document.rename(title, "Rename") }
        while document.undoManager.canUndo { document.undoManager.undo() }
        #expect(document.title == "b")
        document.undoManager.levelsOfUndo = 1
        document.undoManager.redo()
        #expect(!document.undoManager.canRedo)
    }

    @Test("Steps have names, and menus titles") func names() {
        let document = Document()
        let manager = document.undoManager
        #expect(manager.undoMenuItemTitle == "Undo")
        document.rename("b", "Rename")
        #expect(manager.undoActionName == "Rename")
        #expect(manager.undoMenuItemTitle == "Undo Rename")
        manager.setActionName("Entitle")
        manager.undo()
        #expect(manager.undoActionName.isEmpty)
        #expect(manager.redoActionName == "Entitle")
        #expect(manager.redoMenuItemTitle == "Redo Entitle")
        #expect(manager.redoMenuTitle(forUndoActionName: "It") == "Redo It")
    }

    @Test("A step is discardable where all that it consists of is") func discardable() {
        let document = Document()
        document.undoManager.beginUndoGrouping()
        document.undoManager.beginUndoGrouping()
        document.rename("b")
        document.undoManager.setActionIsDiscardable(true)
        document.undoManager.endUndoGrouping()
        document.undoManager.endUndoGrouping()
        #expect(document.undoManager.undoActionIsDiscardable)
        document.undoManager.undo()
        #expect(document.undoManager.redoActionIsDiscardable)
        document.rename("c", "Rename")
        #expect(!document.undoManager.undoActionIsDiscardable)
    }

    @Test("What is kept with a step stays with it") func userInfo() {
        let document = Document()
        let key = UndoManager.UserInfoKey(rawValue: "place")
        document.rename("b", "Rename")
        document.undoManager.setActionUserInfoValue(7, forKey: key)
        #expect(document.undoManager.undoActionUserInfoValue(forKey: key) as? Int == 7)
        document.undoManager.undo()
        #expect(document.undoManager.undoActionUserInfoValue(forKey: key) == nil)
        #expect(document.undoManager.redoActionUserInfoValue(forKey: key) as? Int == 7)
    }

    @Test("A target's actions are forgotten, and it is not kept alive") func targets() {
        let (first, second) = (Document(), Document())
        let manager = first.undoManager
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: second) { $0.rename("x") }
        manager.registerUndo(withTarget: first) { _ in }
        manager.endUndoGrouping()
        manager.removeAllActions(withTarget: first)
        #expect(manager.canUndo)
        manager.removeAllActions(withTarget: second)
        #expect(!manager.canUndo)
        weak var gone: Document?
        do {
            let third = Document()
            gone = third
            manager.beginUndoGrouping()
            manager.registerUndo(withTarget: third) { _ in Issue.record("the target is gone") }
            manager.endUndoGrouping()
        }
        #expect(gone == nil)
        manager.undo()
    }

    @Test("To forget all enables registration") func forgetting() {
        let document = Document()
        document.rename("b", "Rename")
        document.undoManager.undo()
        document.undoManager.disableUndoRegistration()
        document.undoManager.removeAllActions()
        #expect(!document.undoManager.canUndo)
        #expect(!document.undoManager.canRedo)
        #expect(document.undoManager.isUndoRegistrationEnabled)
    }
}
