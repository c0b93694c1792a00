import Strata
import StrataTestModels
import Testing

@Suite("An undo manager")
struct UndoManagerTests {
    private final class Counter {
        var value = 0
        func add(_ number: Int, _ undoManager: UndoManager) {
            value += number
            undoManager.registerUndo(withTarget: self) { $0.add(-number, undoManager) }
        }
    }

    private struct Failure: Error {}

    private static let model = Result.declared {
        Entity("Item", attributes: ["name": .string], relationships: ["twin": .toOne("Item.twin")])
    }

    private func context(_ undoManager: UndoManager) throws -> ManagedObjectContext {
        let coordinator = try PersistentStoreCoordinator(inMemory: Self.model.get())
        let context = ManagedObjectContext(coordinator)
        context.undoManager = undoManager
        return context
    }

    @Test("What handlers register while a step is taken back does it again")
    func handlers() throws {
        let (undoManager, counter) = (UndoManager(), Counter())
        counter.add(1, undoManager)
        counter.add(2, undoManager)
        undoManager.endEvent()
        counter.add(4, undoManager)
        #expect(undoManager.undoCount == 2)
        try undoManager.undo()
        #expect(counter.value == 3)
        try undoManager.undo()
        #expect(counter.value == 0)
        #expect(!undoManager.canUndo)
        try undoManager.redo()
        #expect(counter.value == 3)
        counter.add(8, undoManager)
        #expect(!undoManager.canRedo)
        try undoManager.redo()
        #expect(counter.value == 11)
    }

    // A name given by a handler went to the step before the one that was being undone.
    @Test("A name that a handler gives while a step is undone names the step to redo, and no other")
    func namesFromHandlers() throws {
        final class Document {
            var value = 0
            func set(_ value: Int, _ name: String, _ undoManager: UndoManager) {
                undoManager.registerUndo(withTarget: self) { [before = self.value] in $0.set(before, name, undoManager) }
                undoManager.setActionName(name)
                self.value = value
            }
        }
        let (undoManager, document) = (UndoManager(), Document())
        document.set(1, "First", undoManager)
        undoManager.endEvent()
        document.set(2, "Second", undoManager)
        undoManager.endEvent()
        try undoManager.undo()
        #expect(undoManager.undoActionName == "First")
        #expect(undoManager.redoActionName == "Second")
    }

    @Test("Without events each registration outside of groups is a step")
    func withoutEvents() throws {
        let (undoManager, counter) = (UndoManager(), Counter())
        undoManager.groupsByEvent = false
        counter.add(1, undoManager)
        counter.add(2, undoManager)
        #expect(undoManager.undoCount == 2)
        undoManager.group {
            counter.add(4, undoManager)
            undoManager.group { counter.add(8, undoManager) }
            #expect(undoManager.groupingLevel == 1)
        }
        undoManager.group {}
        #expect(undoManager.undoCount == 3)
        try undoManager.undo()
        #expect(counter.value == 3)
    }

    @Test("The oldest steps go where there are more than the limit")
    func levels() throws {
        let (undoManager, counter) = (UndoManager(), Counter())
        undoManager.levelsOfUndo = 2
        for _ in 0..<5 {
            counter.add(1, undoManager)
            undoManager.endEvent()
        }
        for _ in 0..<5 { try undoManager.undo() }
        #expect(counter.value == 3)
        undoManager.levelsOfUndo = 1
        #expect(undoManager.redoCount == 1)
    }

    @Test("A step that fails is left as it was, and so is what it changed")
    func failure() throws {
        let (undoManager, counter) = (UndoManager(), Counter())
        var fails = true
        undoManager.group("Both") {
            undoManager.registerUndo(withTarget: counter) { _ in if fails { throw Failure() } }
            counter.add(1, undoManager)
        }
        #expect(throws: Failure.self) { try undoManager.undo() }
        #expect(counter.value == 1)
        #expect(undoManager.undoActionName == "Both")
        #expect(!undoManager.canRedo)
        #expect(!undoManager.isUndoing)
        fails = false
        try undoManager.undo()
        #expect(counter.value == 0)
        #expect(undoManager.redoActionName == "Both")
    }

    @Test("What is registered while it is disabled is no step, and targets are not kept alive")
    func targets() throws {
        let undoManager = UndoManager()
        var counter: Counter? = Counter()
        weak let kept = counter
        undoManager.disableUndoRegistration()
        counter?.add(1, undoManager)
        undoManager.enableUndoRegistration()
        #expect(!undoManager.canUndo)
        counter?.add(1, undoManager)
        counter = nil
        #expect(kept == nil)
        try undoManager.undo()
        #expect(!undoManager.canUndo)
        #expect(!undoManager.canRedo)
    }

    /// A step was lost that was not registered yet when nothing was to be registered, and rules that were followed after it were a step of their own.
    @Test("What was changed before registration is disabled is a step, and a deletion while it is, with what its rules do, is none")
    func disabled() throws {
        let undoManager = UndoManager()
        let context = try context(undoManager)
        let (item, twin) = (try context.insert("Item"), try context.insert("Item"))
        try item.setValue(twin, forKey: "twin")
        undoManager.disableUndoRegistration()
        try context.processPendingChanges()
        undoManager.enableUndoRegistration()
        #expect(undoManager.undoCount == 1)
        try context.save()
        undoManager.removeAllActions()
        undoManager.disableUndoRegistration()
        context.delete(item)
        undoManager.enableUndoRegistration()
        #expect(!undoManager.canUndo)
        context.delete(twin)
        undoManager.removeAllActions()
        #expect(!undoManager.canUndo)
    }

    @Test("Contexts that share a manager share its steps, and one that leaves takes its own along")
    func sharing() throws {
        let undoManager = UndoManager()
        let (first, second) = (try context(undoManager), try context(undoManager))
        let (a, b) = (try first.insert("Item"), try second.insert("Item"))
        undoManager.endEvent()
        #expect(undoManager.undoCount == 1)
        try first.undo()
        #expect(a.managedObjectContext == nil)
        #expect(b.managedObjectContext == nil)
        try second.redo()
        #expect(a.isInserted)
        #expect(b.isInserted)
        first.undoManager = nil
        try second.undo()
        #expect(a.isInserted)
        #expect(b.managedObjectContext == nil)
        first.reset()
    }

    @Test("Steps retain their objects, and release them, even if they reference each other")
    func lifetime() throws {
        let undoManager = UndoManager()
        weak var gone: ManagedObject?
        do {
            let context = try context(undoManager)
            let item = try context.insert("Item")
            gone = item
            try item.setValue(try context.insert("Item"), forKey: "twin")
            try context.processPendingChanges()
            try context.undo()
            #expect(gone != nil)
            #expect(undoManager.canRedo)
        }
        #expect(!undoManager.canRedo)
        #expect(gone == nil)
    }

    // The delete rules of an object whose insertion was undone were applied after it had left the context, which looked for its row, and
    // recorded that this was deleted.
    @Test("Undo, redo and rollback of insertions and deletions record no failed read, and leave objects without a state of deletion")
    func noFailedReads() throws {
        let context = try context(UndoManager())
        let saved = try context.insert("Item")
        try context.save()
        let item = try context.insert("Item")
        try item.setValue(saved, forKey: "twin")
        try context.processPendingChanges()
        for _ in 0..<2 {
            try context.undo()
            #expect(!item.isDeleted)
            try context.redo()
            #expect(try item.value(forKey: "twin") as? ManagedObject == saved)
        }
        context.delete(item)
        try context.processPendingChanges()
        for _ in 0..<2 {
            try context.undo()
            try context.redo()
        }
        try context.undo()
        try context.undo()
        #expect(context.lastFaultError == nil)
        #expect(try saved.value(forKey: "twin") == nil)
        try context.redo()
        context.delete(saved)
        context.rollback()
        #expect(context.lastFaultError == nil)
        #expect(!context.hasChanges)
    }
}
