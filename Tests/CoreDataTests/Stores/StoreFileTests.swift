import CoreData
import Testing

@Suite("Files of stores")
struct StoreFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-files-\(UUID().uuidString)")
    private let coordinator: NSPersistentStoreCoordinator
    private var url: URL { folder.appendingPathComponent("People.sqlite") }

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: OneEntityModel.make("Person", "name", .stringAttributeType))
    }

    private func add() throws -> NSManagedObjectContext {
        try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func people(_ context: NSManagedObjectContext) throws -> Int {
        try context.performAndWait { try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person")) }
    }

    @Test("A store that the coordinator has open is destroyed, and made anew") func destroying() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
        }
        #expect(try people(context) == 1)
        try coordinator.destroyPersistentStore(at: url, ofType: NSSQLiteStoreType, options: nil)
        #expect(coordinator.persistentStores.isEmpty)
        #expect(try people(try add()) == 0)
    }

    @Test("A coordinator carries requests out for a context") func executing() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
            let found = try coordinator.execute(NSFetchRequest<NSManagedObject>(entityName: "Person"), with: context)
            #expect((found as? [NSManagedObject])?.first?.value(forKey: "name") as? String == "Ada")
        }
    }

    @Test("An ID is found again by the text of its URI") func identifiers() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let context = try add()
        try context.performAndWait {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            try context.save()
            let uri = person.objectID.uriRepresentation()
            #expect(coordinator.managedObjectID(for: uri.absoluteString) == person.objectID)
            #expect(coordinator.managedObjectID(forURIRepresentation: uri) == person.objectID)
            #expect(coordinator.managedObjectID(for: "no URI of an object") == nil)
        }
    }
}
