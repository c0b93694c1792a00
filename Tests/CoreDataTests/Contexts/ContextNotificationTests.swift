import CoreData
import Testing

/// What a context posts, case by case: who listens keeps a picture of the objects by these lists alone.
struct ContextNotificationTests {
    private let context: NSManagedObjectContext
    private let log: ContextLog

    init() throws {
        context = try OwnersModel.makeContext()
        log = ContextLog(context)
    }

    /// What was posted, once the event is over.
    private func posted() -> [ContextLog.Entry] {
        context.processPendingChanges()
        return log.take()
    }

    private func saved(_ entity: String, _ name: String) throws -> NSManagedObject {
        let object = context.make(entity, name)
        try context.save()
        _ = log.take()
        return object
    }

    // MARK: - Observers

    // What is posted is made as the first observer reads it: the others have to get the same, whatever the first one did meanwhile.
    @Test("All observers get the same lists, also of what one of them changes") func sameLists() throws {
        var seen: [[AnyHashable: Any]] = []
        nonisolated(unsafe) let note = { (info: [AnyHashable: Any]?) in
            seen.append(info ?? [:])
            for object in context.insertedObjects where seen.count == 1 { context.delete(object) }
        }
        let observers = [Notification.Name.NSManagedObjectContextObjectsDidChange, nil].map { name in
            NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
                if $0.name == .NSManagedObjectContextObjectsDidChange { note($0.userInfo) }
            }
        }
        defer { observers.forEach { NotificationCenter.default.removeObserver($0) } }
        let ada = context.make("Owner", "Ada")
        context.processPendingChanges()
        try #require(seen.count == 2)
        for info in seen { #expect(info[NSInsertedObjectsKey] as? Set<NSManagedObject> == [ada]) }
    }

    @Test("An observer of all contexts gets the posting one") func observingAll() throws {
        var posted: [Notification.Name] = []
        nonisolated(unsafe) let note = { (name: Notification.Name) in posted.append(name) }
        // Weak: what other tests post on other threads may come here when this one is over.
        let observer = NotificationCenter.default.addObserver(forName: nil, object: nil, queue: nil) { [weak context] in
            if let context, $0.object as? NSManagedObjectContext === context { note($0.name) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        _ = context.make("Owner", "Ada")
        try context.save()
        #expect(
            posted == [
                .NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidSave,
                NSManagedObjectContext.didSaveObjectIDsNotification,
            ])
    }

    // MARK: - Changes

    @Test("A new object is inserted, and whom it is related to is updated") func inserting() throws {
        let ada = try saved("Owner", "Ada")
        context.make("Pet", "Rex").setValue(ada, forKey: "owner")
        #expect(log.entries.isEmpty)
        #expect(posted() == [.didChange(inserted: ["Rex"], updated: ["Ada"])])
        #expect(posted().isEmpty)
    }

    @Test("A new object that is changed later is updated then") func updatingNew() {
        let ada = context.make("Owner", "Ada")
        #expect(posted() == [.didChange(inserted: ["Ada"])])
        ada.name = "Eva"
        #expect(posted() == [.didChange(updated: ["Eva"])])
    }

    /// Observers that count objects missed it.
    @Test("An object that is inserted and deleted in one event is reported as deleted") func insertingAndDeleting() {
        context.delete(context.make("Owner", "Ada"))
        #expect(posted() == [.didChange(deleted: ["Ada"])])
    }

    @Test("A new object that goes later is deleted") func deletingNew() {
        let ada = context.make("Owner", "Ada")
        _ = posted()
        context.delete(ada)
        #expect(posted() == [.didChange(deleted: ["Ada"])])
    }

    @Test("What delete rules take is deleted too, and what they change is updated") func deleting() throws {
        let ada = try saved("Owner", "Ada")
        context.make("Pet", "Rex").setValue(ada, forKey: "owner")
        context.make("Visit", "First").setValue(ada, forKey: "owner")
        try context.save()
        _ = log.take()
        context.delete(ada)
        #expect(posted() == [.didChange(updated: ["First"], deleted: ["Ada", "Rex"])])
    }

    @Test("What is changed and then deleted in one event is deleted only") func updatingAndDeleting() throws {
        let ada = try saved("Owner", "Ada")
        ada.name = "Eva"
        context.delete(ada)
        #expect(posted() == [.didChange(deleted: ["Eva"])])
    }

    @Test("What a listener changes is reported after its event") func listening() throws {
        let ada = context.make("Owner", "Ada")
        var isFirst = true
        nonisolated(unsafe) let change = {
            if isFirst { ada.name = "Eva" }
            isFirst = false
        }
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        ) { _ in unsafe change() }
        #expect(posted().count == 1)
        NotificationCenter.default.removeObserver(observer)
        #expect(posted() == [.didChange(updated: ["Eva"])])
    }

    // MARK: - Going back

    @Test("To take an insertion back deletes, and to do it again inserts") func undoing() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        context.undoManager = manager
        let ada = context.make("Owner", "Ada")
        _ = posted()
        context.undo()
        // Its values went with it.
        #expect(posted() == [.didChange(deleted: ["–"])])
        context.redo()
        #expect(posted() == [.didChange(inserted: ["Ada"])])
        ada.name = "Eva"
        _ = posted()
        context.undo()
        #expect(posted() == [.didChange(updated: ["Ada"])])
        context.delete(ada)
        _ = posted()
        context.undo()
        #expect(posted() == [.didChange(inserted: ["Ada"])])
    }

    /// What had been told to be deleted was told to be refreshed then.
    @Test("To roll back deletes what was new, inserts what was deleted, and refreshes what was changed") func rollingBack() throws {
        let ada = try saved("Owner", "Ada")
        let eva = try saved("Owner", "Eva")
        ada.name = "Ida"
        context.delete(eva)
        let new = context.make("Owner", "New")
        _ = posted()
        context.rollback()
        #expect(log.take() == [.didChange(inserted: ["Eva"], deleted: ["–"], refreshed: ["Ada"])])
        #expect(new.managedObjectContext == nil)
    }

    @Test("A deletion that was rolled back before it was reported is a refresh") func rollingBackInOneEvent() throws {
        context.delete(try saved("Owner", "Ada"))
        context.rollback()
        #expect(log.take() == [.didChange(refreshed: ["Ada"])])
    }

    @Test("A refresh reports refreshed objects") func refreshing() throws {
        let ada = try saved("Owner", "Ada")
        context.refresh(ada, mergeChanges: false)
        #expect(posted() == [.didChange(refreshed: ["Ada"])])
        ada.name = "Eva"
        _ = posted()
        context.refresh(ada, mergeChanges: true)
        #expect(posted() == [.didChange(refreshed: ["Eva"])])
        context.refreshAllObjects()
        #expect(posted() == [.didChange(refreshed: ["Eva"])])
    }

    /// The list was an empty set, where Core Data has an array of the IDs.
    @Test("A reset reports the IDs of all objects in one notification") func resetting() throws {
        let ada = try saved("Owner", "Ada")
        let id = ada.objectID
        context.reset()
        #expect(log.entries == [ContextLog.Entry(kind: "didChange")])
        #expect(log.infos.first?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID] == [id])
    }

    // MARK: - Saving

    /// A list was missing where nothing was in it, and `userInfo![NSDeletedObjectsKey] as! Set<NSManagedObject>` stopped the program.
    @Test("A save posts what it will do, what was changed, and what was saved, in this order") func saving() throws {
        let ada = try saved("Owner", "Ada")
        let eva = try saved("Owner", "Eva")
        ada.name = "Ida"
        context.delete(eva)
        _ = context.make("Owner", "New")
        try context.save()
        let lists = log.infos.dropFirst(2).prefix(1).map { info in
            [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey].map { (info[$0] as? Set<NSManagedObject>)?.count }
        }
        #expect(lists == [[1, 1, 1]])
        #expect(log.entries.map(\.kind) == ["willSave", "didChange", "didSave", "didSaveIDs"])
        #expect(log.entries[1] == .didChange(inserted: ["New"], updated: ["Ida"], deleted: ["Eva"]))
        #expect(log.entries[2] == .didSave(inserted: ["New"], updated: ["Ida"], deleted: ["Eva"]))
        // What was deleted has left the context.
        #expect(eva.managedObjectContext == nil)
        #expect(eva.name == nil)
        #expect(log.entries[3].lists.keys.sorted() == [NSDeletedObjectIDsKey, NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey])
        _ = log.take()
        ada.name = "Ada"
        try context.save()
        let info = try #require(log.infos.dropFirst(2).first)
        #expect((info[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.isEmpty == true)
        #expect((info[NSDeletedObjectsKey] as? Set<NSManagedObject>)?.isEmpty == true)
    }

    @Test("Neither fetches nor permanent IDs are changes") func reading() throws {
        let ada = try saved("Owner", "Ada")
        context.refresh(ada, mergeChanges: false)
        _ = posted()
        _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Owner"))
        #expect(ada.name == "Ada")
        let new = context.make("Owner", "New")
        _ = posted()
        try context.obtainPermanentIDs(for: [new])
        #expect(posted().isEmpty)
    }

    // MARK: - Others

    @Test("What a child saves is a change of its parent") func nesting() throws {
        let ada = try saved("Owner", "Ada")
        let child = context.makeChild()
        let childLog = ContextLog(child)
        child.object(with: ada.objectID).name = "Eva"
        _ = child.make("Owner", "New")
        try child.save()
        #expect(childLog.take().map(\.kind) == ["willSave", "didChange", "didSave", "didSaveIDs"])
        #expect(log.take() == [.didChange(inserted: ["New"], updated: ["Eva"])])
    }

    @Test("What others saved is refreshed or deleted, and the merge reported by ID") func merging() throws {
        let ada = try saved("Owner", "Ada")
        let eva = try saved("Owner", "Eva")
        let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        other.persistentStoreCoordinator = context.persistentStoreCoordinator
        let otherLog = ContextLog(other)
        other.object(with: ada.objectID).name = "Ida"
        other.delete(other.object(with: eva.objectID))
        try other.save()
        #expect(log.take().isEmpty)
        let index = try #require(otherLog.entries.firstIndex { $0.kind == "didSave" })
        context.mergeChanges(
            fromContextDidSave: Notification(
                name: .NSManagedObjectContextDidSave, object: other, userInfo: otherLog.infos[index]))
        let entries = log.take().sorted { $0.kind < $1.kind }
        #expect(entries.map(\.kind) == ["didChange", "didMergeIDs"])
        #expect(entries.first == .didChange(deleted: ["–"], refreshed: ["Ida"]))
        #expect(
            entries.last?.lists == [
                NSUpdatedObjectIDsKey: ["Owner"], NSDeletedObjectIDsKey: ["Owner"], NSRefreshedObjectIDsKey: ["Owner"],
            ])
        // A merged deletion counts as one until the next save.
        #expect(context.deletedObjects == [eva])
        #expect(!context.hasChanges)
        try context.save()
        #expect(context.deletedObjects.isEmpty)
    }

    /// Code that waits for the notifications of a save waited forever where there was nothing to save.
    @Test("A save without changes is notified of, with empty lists") func savingNothing() throws {
        let ada = try saved("Owner", "Ada")
        try context.save()
        #expect(log.entries.map(\.kind) == ["willSave", "didSave", "didSaveIDs"])
        #expect(log.infos[1][NSInsertedObjectsKey] as? Set<NSManagedObject> == [])
        _ = log.take()
        nonisolated(unsafe) let rename = { ada.name = "Eva" }
        let observer = NotificationCenter.default.addObserver(forName: .NSManagedObjectContextWillSave, object: context, queue: nil) { _ in
            rename()
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.save()
        let entries = log.take()
        #expect(entries.contains { $0.kind == "didSave" && $0.lists == [NSUpdatedObjectsKey: ["Eva"]] })
        #expect(entries.count { $0.kind == "willSave" } == 1)
        #expect(!context.hasChanges)
    }

    @Test("Batch requests post nothing") func batches() throws {
        _ = try saved("Owner", "Ada")
        try context.execute(NSBatchInsertRequest(entityName: "Owner", objects: [["name": "Eva"]]))
        let update = NSBatchUpdateRequest(entityName: "Owner")
        update.propertiesToUpdate = ["name": "Ida"]
        try context.execute(update)
        try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Owner")))
        #expect(posted().isEmpty)
    }
}
