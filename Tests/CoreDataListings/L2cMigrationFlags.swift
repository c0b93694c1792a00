import CoreData
import Foundation
import Testing

@Suite("L2-c: a container whose store is migrated") @MainActor
struct L2cMigrationFlags {
    private func container(
        _ model: NSManagedObjectModel, at url: URL, _ kind: StoreKind, migrates: Bool
    ) -> (NSPersistentContainer, NSError?) {
        let container = NSPersistentContainer(name: "Events", managedObjectModel: model)
        if let description = container.persistentStoreDescriptions.first {
            description.url = url
            description.type = kind.type
            description.shouldMigrateStoreAutomatically = migrates
            description.shouldInferMappingModelAutomatically = migrates
        }
        var failure: NSError?
        container.loadPersistentStores { _, error in failure = error as NSError? }
        return (container, failure)
    }

    private func newerModel() -> NSManagedObjectModel {
        let model = Events.model.copy() as! NSManagedObjectModel
        model.entities[0].properties.append(attribute("place", .stringAttributeType))
        return model
    }

    @Test("With the flags it is opened, and without them it is refused", arguments: StoreKind.kept)
    func flags(_ kind: StoreKind) throws {
        let folder = try Stack.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("Events.store")
        let (old, oldFailure) = container(Events.model, at: url, kind, migrates: true)
        #expect(oldFailure == nil)
        let event = NSEntityDescription.insertNewObject(forEntityName: "MXWEvent", into: old.viewContext)
        event.setValue("one", forKey: "title")
        try old.viewContext.save()
        try old.persistentStoreCoordinator.remove(try #require(old.persistentStoreCoordinator.persistentStores.first))

        let (refused, failure) = container(newerModel(), at: url, kind, migrates: false)
        #expect(failure?.domain == NSCocoaErrorDomain)
        #expect(failure?.code == NSPersistentStoreIncompatibleVersionHashError)
        #expect(refused.persistentStoreCoordinator.persistentStores.isEmpty)

        let (migrated, noFailure) = container(newerModel(), at: url, kind, migrates: true)
        #expect(noFailure == nil)
        let events = try migrated.viewContext.fetch(NSFetchRequest<NSManagedObject>(entityName: "MXWEvent"))
        #expect(events.map { $0.value(forKey: "title") as? String } == ["one"])
        events.first?.setValue("here", forKey: "place")
        try migrated.viewContext.save()
    }
}
