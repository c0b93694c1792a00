import CoreData
import Testing

@Suite("Configurations")
struct ConfigurationTests {
    private let folder: MigratingModels.Folder

    init() throws { folder = try MigratingModels.Folder() }

    /// Books, of which graphic novels are a kind that the configuration `Part` leaves out; the number of pages is derived.
    private func model(_ novelAttribute: String = "isBlackAndWhite") -> NSManagedObjectModel {
        let (book, novel, page) = (PeopleModel.entity("Book"), PeopleModel.entity("GraphicNovel"), PeopleModel.entity("Page"))
        let (pages, its) = (NSRelationshipDescription(), NSRelationshipDescription())
        (pages.name, pages.destinationEntity, pages.maxCount) = ("pages", page, 0)
        (its.name, its.destinationEntity, its.maxCount) = ("book", book, 1)
        (pages.inverseRelationship, its.inverseRelationship) = (its, pages)
        let count = NSDerivedAttributeDescription()
        (count.name, count.attributeType, count.derivationExpression) = (
            "count", .integer64AttributeType, NSExpression(format: "pages.@count")
        )
        book.properties = [PeopleModel.attribute("title", .stringAttributeType), pages, count]
        novel.properties = [PeopleModel.attribute(novelAttribute, .booleanAttributeType)]
        page.properties = [its]
        book.subentities = [novel]
        let model = NSManagedObjectModel()
        model.entities = [book, novel, page]
        model.setEntities([book, page], forConfigurationName: "Part")
        return model
    }

    @Test("A store of the whole model opens with a configuration that leaves out a subentity") func subentities() throws {
        let url = folder.file("books")
        let model = model()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        try coordinator.remove(store)
        for model in [model, self.model()] {
            let other = NSPersistentStoreCoordinator(managedObjectModel: model)
            try other.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: "Part", at: url, options: nil)
        }
    }

    @Test("So does one that was migrated", arguments: [true, false]) func migrated(inPlace: Bool) throws {
        let (old, new) = (folder.file("old"), folder.file("new"))
        let (source, destination) = (model("isGrey"), model())
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: source)
        try coordinator.remove(coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: old, options: nil))
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
        let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
        manager.usesStoreSpecificMigrationManager = inPlace
        try manager.migrateStore(from: old, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
        let other = NSPersistentStoreCoordinator(managedObjectModel: destination)
        try other.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: "Part", at: new, options: nil)
    }

    /// Libraries name the configuration of a store after its container, whose model has none.
    @Test("A model without configurations opens a store of any", arguments: MigratingModels.types)
    func withoutConfigurations(_ type: NSPersistentStore.StoreType) throws {
        let url = folder.file("any")
        let model = OneEntityModel.make("Person", properties: [PeopleModel.attribute("name", .stringAttributeType)])
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(type: type, configuration: "Shop", at: url)
        #expect(store.configurationName == "Shop")
        #expect(model.isConfiguration(withName: "Shop", compatibleWithStoreMetadata: store.metadata))
        #expect(model.entities(forConfigurationName: "Shop") == nil)
        let other = NSPersistentStoreCoordinator(managedObjectModel: self.model())
        #expect(throws: (any Error).self) {
            try other.addPersistentStore(type: type, configuration: "Shop", at: folder.file("other"))
        }
    }
}
