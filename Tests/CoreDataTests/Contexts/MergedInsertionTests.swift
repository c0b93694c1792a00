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

    /// What came by itself made no objects, and was posted without what had been inserted.
    @Test("So does what a context merges by itself") func automatic() throws {
        try context.performAndWait {
            context.automaticallyMergesChangesFromParent = true
            let posted = try posted {
                _ = try insert("Ada")
                // It comes in at the latest with the next fetch.
                _ = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person"))
            }
            #expect(posted == [["Ada"]])
        }
    }

    /// A list fetched its objects when it heard of the merge, and heard of the ones that were changed after that.
    @Test("A list gets the insertions and changes of a merge in one notification") func list() throws {
        final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
            var counts: [Int] = []
            var count = 0
            func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) { count = 0 }
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any, at indexPath: IndexPath?,
                for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
            ) { count += 1 }
            func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) { counts.append(count) }
        }
        _ = try insert("Ada")
        try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
            request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let controller = NSFetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
            let delegate = Delegate()
            controller.delegate = delegate
            try controller.performFetch()
            let saved = try other.performAndWait {
                for object in try other.fetch(request) { object.setValue("Ann", forKey: "name") }
                return try insert("Bo")
            }
            context.mergeChanges(fromContextDidSave: saved)
            #expect(delegate.counts == [2])
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
