import CoreData
import Testing

/// What a context registers with its manager, and when.
struct ContextUndoTests {
    private let context: NSManagedObjectContext
    private let manager = UndoManager()

    init() throws {
        context = try OwnersModel.makeContext()
        manager.groupsByEvent = false
        context.undoManager = manager
    }

    private func fetch(_ entity: String) throws -> [NSManagedObject] { try context.fetch(NSFetchRequest(entityName: entity)) }

    // MARK: - Events

    /// Waits for the end of the event, which makes a step.
    @MainActor
    private func endEvent(_ manager: UndoManager) async {
        let count = manager.undoCount
        for _ in 0..<100_000 where manager.undoCount == count { try? await Task.sleep(for: .milliseconds(5)) }
    }

    /// All that was changed since the last save was one step, whatever number of events it took.
    @MainActor
    @Test("Each event is a step, without a word of the program") func events() async throws {
        let (context, manager) = (try OwnersModel.makeContext(), UndoManager())
        context.undoManager = manager
        let ada = context.make("Owner", "Ada")
        await endEvent(manager)
        ada.name = "Eva"
        await endEvent(manager)
        #expect(manager.undoCount == 2)
        #expect(manager.groupingLevel == 0)
        context.undo()
        #expect(ada.name == "Ada")
        context.undo()
        #expect(ada.managedObjectContext == nil)
        context.redo()
        #expect(ada.name == "Ada")
    }

    /// The name was lost: the changes that it is about are registered after it.
    @MainActor
    @Test("A name given before or behind a change is its event's") func names() async throws {
        let (context, manager) = (try OwnersModel.makeContext(), UndoManager())
        context.undoManager = manager
        let ada = context.make("Owner", "Ada")
        manager.setActionName("Add")
        #expect(manager.undoMenuItemTitle == "Undo Add")
        await endEvent(manager)
        #expect(manager.undoMenuItemTitle == "Undo Add")
        manager.setActionName("Rename")
        ada.name = "Eva"
        await endEvent(manager)
        #expect(manager.undoMenuItemTitle == "Undo Rename")
        context.undo()
        #expect(manager.undoMenuItemTitle == "Undo Add")
        #expect(manager.redoMenuItemTitle == "Redo Rename")
    }

    @MainActor
    @Test("An event in which nothing is changed takes no name away") func idleEvent() async throws {
        let (context, manager) = (try OwnersModel.makeContext(), UndoManager())
        context.undoManager = manager
        _ = context.make("Owner", "Ada")
        manager.setActionName("Add")
        await endEvent(manager)
        manager.setActionName("Nothing")
        for _ in 0..<100_000 where manager.groupingLevel > 0 { try? await Task.sleep(for: .milliseconds(5)) }
        #expect(manager.undoActionName == "Add")
    }

    // MARK: - Contexts that go

    /// The context was looked into as it went, and the program stopped.
    @Test("A context takes its unregistered changes along when it is freed, and its steps") func goingContext() throws {
        do {
            let context = try OwnersModel.makeContext()
            context.undoManager = manager
            let ada = context.make("Owner", "Ada")
            context.processPendingChanges()
            #expect(manager.undoCount == 1)
            ada.name = "Eva"
        }
        #expect(manager.undoCount == 0)
        #expect(!manager.canUndo)
    }

    // MARK: - Registration

    /// The rules were followed when changes were registered again: half of a deletion could be taken back.
    @Test("A deletion outside of steps is not undone") func disabledDeletion() throws {
        let (ada, rex) = (context.make("Owner", "Ada"), context.make("Pet", "Rex"))
        rex.setValue(ada, forKey: "owner")
        try context.save()
        manager.removeAllActions()
        manager.disableUndoRegistration()
        context.delete(ada)
        manager.enableUndoRegistration()
        context.processPendingChanges()
        #expect(rex.isDeleted)
        #expect(!manager.canUndo)
    }

    /// As with one that was made while nothing was registered.
    @Test("To forget all steps forgets what delete rules are still to do") func forgottenDeletion() throws {
        let (ada, rex) = (context.make("Owner", "Ada"), context.make("Pet", "Rex"))
        rex.setValue(ada, forKey: "owner")
        try context.save()
        context.delete(ada)
        manager.removeAllActions()
        context.processPendingChanges()
        #expect(rex.isDeleted)
        #expect(!manager.canUndo)
    }

    // MARK: - What is not loaded

    /// Nothing was taken back, and nobody was told: neither end says of itself what it was.
    @Test("Friends that were saved and are not loaded are taken back", arguments: [false, true])
    func unloadedMembers(merging: Bool) throws {
        let (ada, eva) = (context.make("Owner", "Ada"), context.make("Owner", "Eva"))
        try context.save()
        manager.removeAllActions()
        ada.setValue(Set([eva]), forKey: "friends")
        try context.save()
        for object in [ada, eva] { context.refresh(object, mergeChanges: merging) }
        context.undo()
        #expect(ada.names("friends").isEmpty)
        #expect(eva.names("friendOf").isEmpty)
        try context.save()
        context.reset()
        for owner in try fetch("Owner") { #expect(owner.names("friends").isEmpty) }
    }

    /// The order was put upon nothing, as the visits were not loaded.
    @Test("An order that was saved and is not loaded is taken back") func unloadedOrder() throws {
        let ada = context.make("Owner", "Ada")
        let visits = ["a", "b", "c"].map { context.make("Visit", $0) }
        ada.setValue(NSOrderedSet(array: visits), forKey: "visits")
        try context.save()
        manager.removeAllActions()
        ada.setValue(NSOrderedSet(array: visits.reversed()), forKey: "visits")
        try context.save()
        context.refreshAllObjects()
        context.undo()
        #expect(ada.names("visits") == ["a", "b", "c"])
    }

    /// Friends whose deletion was pending were taken for lost already when they were read anew.
    @Test("Friends that are deleted, read anew and saved come back as friends") func refreshedDeletions() throws {
        let (ada, eva) = (context.make("Owner", "Ada"), context.make("Owner", "Eva"))
        ada.setValue(Set([eva, ada]), forKey: "friends")
        try context.save()
        manager.removeAllActions()
        for object in [ada, eva] { context.delete(object) }
        context.processPendingChanges()
        context.refreshAllObjects()
        try context.save()
        context.undo()
        #expect(ada.names("friends") == ["Ada", "Eva"])
        #expect(ada.names("friendOf") == ["Ada"])
        #expect(eva.names("friendOf") == ["Ada"])
    }

    // MARK: - What is as it was

    /// The order counted as changed once it had been, though it was the saved one again.
    @Test("Visits that came in an order of their own leave no change behind") func settledOrder() throws {
        let ada = context.make("Owner", "Ada")
        try context.save()
        manager.removeAllActions()
        let visits = ["a", "b"].map { context.make("Visit", $0) }
        ada.setValue(NSOrderedSet(array: visits), forKey: "visits")
        ada.setValue(NSOrderedSet(array: visits.reversed()), forKey: "visits")
        context.processPendingChanges()
        context.undo()
        #expect(ada.changedValues().isEmpty)
        #expect(!context.hasChanges)
    }

    // MARK: - Coming back twice

    /// What a child's object became after its deletion was taken back stayed, when that was taken back in the parent.
    @Test("An object that a child deleted and restored has its old values again") func revived() throws {
        let ada = context.make("Owner", "Ada")
        context.processPendingChanges()
        let child = context.makeChild()
        let childManager = UndoManager()
        childManager.groupsByEvent = false
        child.undoManager = childManager
        let copy = child.object(with: ada.objectID)
        child.delete(copy)
        try child.save()
        child.undo()
        copy.name = "Eva"
        try child.save()
        #expect(ada.name == "Eva")
        context.undo()
        #expect(ada.isDeleted)
        context.undo()
        #expect(!ada.isDeleted)
        #expect(ada.name == "Ada")
        context.redo()
        context.redo()
        #expect(ada.name == "Eva")
    }
}
