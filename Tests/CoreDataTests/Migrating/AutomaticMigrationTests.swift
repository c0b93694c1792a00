import CoreData
import Testing

@Suite("Stores that are migrated as they are opened")
struct AutomaticMigrationTests {
    private let folder: MigratingModels.Folder

    init() throws { folder = try MigratingModels.Folder() }

    @Test("The options say whether a store is migrated, and whether the mapping is inferred", arguments: MigratingModels.types)
    func options(_ type: NSPersistentStore.StoreType) throws {
        let url = folder.file("store")
        try MigratingModels.write(type, at: url)
        func code(_ migrates: Bool, _ infers: Bool) -> Int? {
            let options: [AnyHashable: Any] = [
                NSMigratePersistentStoresAutomaticallyOption: migrates, NSInferMappingModelAutomaticallyOption: infers,
            ]
            do { _ = try MigratingModels.contents(type, at: url, MigratingModels.second(), options: options) } catch {
                return (error as NSError).code
            }
            return nil
        }
        #expect(code(false, false) == NSPersistentStoreIncompatibleVersionHashError)
        #expect(code(false, true) == NSPersistentStoreIncompatibleVersionHashError)
        #expect(code(true, false) == NSMigrationMissingMappingModelError)
        #expect(code(true, true) == nil)
        #expect(try MigratingModels.contents(type, at: url, MigratingModels.second()) == ["Ada Lovelace, 36, -, Puff"])
    }

    /// Core Data infers every change of one numeric type to another; here only those without a loss were inferred.
    @Test("An integer becomes a number with a fraction, and back", arguments: MigratingModels.types)
    func numbers(_ type: NSPersistentStore.StoreType) throws {
        let (url, key) = (folder.file("numbers"), "value")
        func model(_ type: NSAttributeType) -> NSManagedObjectModel { OneEntityModel.make("Thing", key, type) }
        func values(_ model: NSManagedObjectModel) throws -> [Double?] {
            let options = [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
            let context = try MigratingModels.context(type, at: url, model, options: options)
            defer { try? MigratingModels.close(context) }
            return try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing")).map { $0.value(forKey: key) as? Double }
        }
        let context = try MigratingModels.context(type, at: url, model(.integer64AttributeType))
        for number in [7, nil] {
            NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context).setValue(number, forKey: key)
        }
        try context.save()
        try MigratingModels.close(context)
        for (attributeType, number) in [
            (NSAttributeType.doubleAttributeType, 7.0), (.integer32AttributeType, 7), (.floatAttributeType, 7), (.decimalAttributeType, 7),
        ] {
            #expect(Set(try values(model(attributeType))) == [number, nil])
        }
        #expect(throws: (any Error).self) { try values(model(.dateAttributeType)) }
    }

    @Test("An inferred mapping has Core Data's names, and its numbers are converted") func inferredNames() throws {
        let (old, new) = (
            OneEntityModel.make("Thing", "value", .integer32AttributeType), OneEntityModel.make("Thing", "value", .floatAttributeType)
        )
        #expect(
            try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new).entityMappings.map(\.name) == [
                "IEM_Transform_Thing"
            ])
        let other = OneEntityModel.make("Other", "value", .integer32AttributeType)
        let names = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: other).entityMappings.map(\.name)
        #expect(names == ["IEM_Add_Other", "IEM_Remove_Thing"])
    }

    /// The lists were missing.
    @Test("An inferred mapping lists the properties that it maps, adds and removes") func inferredProperties() throws {
        let attributes = ["a", "b", "c", "d"].map { PeopleModel.attribute($0, .stringAttributeType) }
        attributes[2].renamingIdentifier = "b"
        let (old, new) = (
            OneEntityModel.make("Thing", properties: Array(attributes[..<2])),
            OneEntityModel.make("Thing", properties: Array(attributes[2...]))
        )
        let info = try NSMappingModel.inferredMappingModel(forSourceModel: old, destinationModel: new).entityMappings[0].userInfo
        #expect(info?["mappedProperties"] as? Set<String> == ["c"])
        #expect(info?["addedProperties"] as? Set<String> == ["d"])
        #expect(info?["removedProperties"] as? Set<String> == ["a"])
    }
}
