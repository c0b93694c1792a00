import CoreData
import Testing

// Once the value was read by key, which gives nil, every save of the context failed with 259, also of objects that have nothing to do with it,
// until a rollback threw all changes away.
@Suite("Values whose file is missing")
struct LostValueTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-lost-\(UUID().uuidString)")
    private let model = OneEntityModel.make("Photo", "pixels", .binaryDataAttributeType)

    private func context(_ type: String) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: folder.appendingPathComponent("Photos.store"), options: nil)
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func photos(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
    }

    @Test(
        "A value that is read in vain stands against no save, and is nil until another is set",
        arguments: [NSSQLiteStoreType, NSBinaryStoreType])
    func lost(type: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let pixels = try #require(model.entitiesByName["Photo"]?.attributesByName["pixels"])
        pixels.allowsExternalBinaryDataStorage = true
        let large = Data(repeating: 7, count: 2_000_000)
        let writer = try context(type)
        try writer.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Photo", into: writer).setValue(large, forKey: "pixels")
            try writer.save()
            for store in writer.persistentStoreCoordinator?.persistentStores ?? [] {
                try writer.persistentStoreCoordinator?.remove(store)
            }
        }
        let values = folder.appendingPathComponent(".Photos_SUPPORT/_EXTERNAL_DATA")
        for name in try FileManager.default.contentsOfDirectory(atPath: values.path) {
            try FileManager.default.removeItem(at: values.appendingPathComponent(name))
        }
        let context = try context(type)
        try context.performAndWait {
            let photo = try #require(try photos(context).first)
            #expect(photo.value(forKey: "pixels") == nil)
            let other = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
            other.setValue(Data([1]), forKey: "pixels")
            try context.save()
            #expect(photo.value(forKey: "pixels") == nil)
            photo.setValue(Data([2]), forKey: "pixels")
            try context.save()
            context.reset()
            #expect(try photos(context).compactMap { $0.value(forKey: "pixels") as? Data } == [Data([2]), Data([1])])
        }
    }
}
