import CoreData
import Testing

/// A child made a second object when it was asked by the permanent ID for an object that it had inserted itself, and what was changed of the first one
/// was lost.
@Suite("Objects that a child inserted")
struct ChildIDTests {
    @Test("A child finds an object that it inserted by the ID that it has since its parent was saved") func permanentID() throws {
        let model = OneEntityModel.make("Counter", "number", .integer64AttributeType)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        let root = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        root.persistentStoreCoordinator = coordinator
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = root
        let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
        try child.performAndWait {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Counter", into: child)
            object.setValue(1, forKey: "number")
            try child.save()
            let id = try root.performAndWait {
                try root.save()
                return try root.fetch(request)[0].objectID
            }
            #expect(child.registeredObject(for: id) === object)
            #expect(child.object(with: id) === object)
            object.setValue(2, forKey: "number")
            try child.save()
        }
        try root.performAndWait {
            try root.save()
            root.reset()
            #expect(try root.fetch(request).map { $0.value(forKey: "number") as? Int } == [2])
        }
    }
}
