import CoreData
import Testing

struct ParentContextTests {
    /// The process ended: a stack is often put together from its top.
    @Test("A child may be made before its parent has a coordinator") func parentWithoutCoordinator() throws {
        let contexts = (0..<3).map { _ in NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) }
        let (root, middle, child) = (contexts[0], contexts[1], contexts[2])
        child.parent = middle
        middle.parent = root
        #expect(child.persistentStoreCoordinator == nil)
        child.performAndWait {
            #expect(!child.hasChanges)
            #expect(throws: Never.self) { try child.save() }
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: OneEntityModel.make("Person", "name", .stringAttributeType))
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        root.persistentStoreCoordinator = coordinator
        #expect(child.persistentStoreCoordinator === coordinator)
        try child.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: child).setValue("Ada", forKey: "name")
            try child.save()
        }
        for context in [middle, root] { try context.performAndWait { try context.save() } }
        let saved = try root.performAndWait { try root.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) }
        #expect(saved == 1)
    }

    @Test("A child that gets another parent does not follow the one before") func replacedParent() throws {
        let contexts = (0..<3).map { _ in NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) }
        contexts[2].parent = contexts[0]
        contexts[2].parent = contexts[1]
        let model = OneEntityModel.make("Person", "name", .stringAttributeType)
        let coordinators = (0..<2).map { _ in NSPersistentStoreCoordinator(managedObjectModel: model) }
        for (context, coordinator) in zip(contexts, coordinators) { context.persistentStoreCoordinator = coordinator }
        #expect(contexts[2].persistentStoreCoordinator === coordinators[1])
    }
}
