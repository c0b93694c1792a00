import CoreData
import StrataTestRandom
import Testing

/// A test that used the view context off the main thread, as tests do, crashed: what it changed was told by the main queue at the same time.
@Suite("Contexts that are used elsewhere than on their queue")
struct OtherQueueTests {
    @Test("The view context serves a test that is not on the main thread") func viewContext() throws {
        let model = OneEntityModel.make("Counter", "number", .integer64AttributeType)
        let container = NSPersistentContainer(name: "Counters", managedObjectModel: model)
        container.persistentStoreDescriptions.first?.type = NSInMemoryStoreType
        container.loadPersistentStores { _, error in #expect(error == nil) }
        let context = container.viewContext
        for round in 0..<50 {
            for number in 0..<20 {
                NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context).setValue(number, forKey: "number")
            }
            if round % 5 == 0 { try context.save() }
        }
        try context.save()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Counter")) == 1000)
    }

    // A context's, and a controller's, ear for the graph was removed where the last reference was given up, while the queue told what was changed.
    @Test("A context and its controllers may be given up elsewhere, right behind a change") func givingUp() throws {
        let model = OneEntityModel.make("Counter", "number", .integer64AttributeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        for round in 0..<RunSeed.trials(300, soak: 5_000) {
            let context = MemoryStack.context(of: coordinator)
            let controller = try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
                request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
                let controller = NSFetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
                if round % 2 == 0 { try controller.performFetch() }
                for number in 0..<200 {
                    NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context).setValue(number, forKey: "number")
                }
                return controller
            }
            #expect(controller.managedObjectContext === context)
        }
        #expect(try MemoryStack.context(of: coordinator).count(for: NSFetchRequest<NSManagedObject>(entityName: "Counter")) == 0)
    }
}
