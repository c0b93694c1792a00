import CoreData
import Testing

/// A merge of what another context had inserted posted nothing of it, and made no objects: a list that listens for insertions stayed empty.
@Suite("Merged insertions")
struct MergedInsertionTests {
    private let context: NSManagedObjectContext
    private let other: NSManagedObjectContext

    init() throws {
        context = try MemoryStack.context("Person", [("name", .stringAttributeType)])
        other = MemoryStack.context(of: context.persistentStoreCoordinator)
    }

    /// The names of inserted objects that a context posts while something is done.
    private func posted(_ body: () throws -> Void) rethrows -> [[String]] {
        // The notification is posted on this thread, before the body returns.
        nonisolated(unsafe) var posted: [[String]] = []
        let observer = NotificationCenter.default.addObserver(forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil)
        {
            let inserted = $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []
            posted.append(inserted.compactMap { $0.value(forKey: "name") as? String }.sorted())
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try body()
        return posted
    }

    private func insert(_ names: String...) throws -> Notification {
        try other.performAndWait {
            for name in names {
                NSEntityDescription.insertNewObject(forEntityName: "Person", into: other).setValue(name, forKey: "name")
            }
            // As above.
            nonisolated(unsafe) var saved: Notification?
            let observer = NotificationCenter.default.addObserver(forName: .NSManagedObjectContextDidSave, object: other, queue: nil) {
                saved = $0
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            try other.save()
            return try #require(saved)
        }
    }

    @Test("A merged save posts its insertions, once, and registers the objects without changing the context") func saves() throws {
        let saved = try insert("Ada", "Bo")
        context.performAndWait {
            context.undoManager = UndoManager()
            let posted = posted { context.mergeChanges(fromContextDidSave: saved) }
            #expect(posted == [["Ada", "Bo"]])
            #expect(!context.hasChanges)
            #expect(context.insertedObjects.isEmpty)
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test("So does a merge of IDs") func ids() throws {
        let saved = try insert("Ada")
        let objects = try #require(saved.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)
        let ids = objects.map(\.objectID)
        context.performAndWait {
            let posted = posted {
                NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectsKey: ids], into: [context])
            }
            #expect(posted == [["Ada"]])
        }
    }

    @Test("A child that inserted an object itself gets no second one") func children() throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try child.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Person", into: child)
            try child.save()
            let id = try context.performAndWait {
                try context.save()
                return try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person"))[0].objectID
            }
            NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectsKey: [id]], into: [child])
            #expect(child.registeredObjects == [object])
        }
    }
}
