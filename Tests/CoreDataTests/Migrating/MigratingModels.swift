import CoreData

/// Two versions of a model of people and their pets, and stores of the first.
enum MigratingModels {
    static func first() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = people(PeopleModel.attribute("age", .integer16AttributeType), [])
        return model
    }

    /// The age is wider, and a person has a family name.
    static func second() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = people(
            PeopleModel.attribute("age", .integer64AttributeType), [PeopleModel.attribute("familyName", .stringAttributeType)])
        return model
    }

    /// A person has a nickname, too.
    static func third() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let names = ["familyName", "nickname"].map { PeopleModel.attribute($0, .stringAttributeType) }
        model.entities = people(PeopleModel.attribute("age", .integer64AttributeType), names)
        return model
    }

    private static func people(_ age: NSAttributeDescription, _ others: [NSPropertyDescription]) -> [NSEntityDescription] {
        let (person, pet) = (PeopleModel.entity("Person"), PeopleModel.entity("Pet"))
        let pets = PeopleModel.relationship("pets", to: pet, maxCount: 0)
        let owner = PeopleModel.relationship("owner", to: person, maxCount: 1)
        pets.inverseRelationship = owner
        owner.inverseRelationship = pets
        person.properties = [PeopleModel.attribute("name", .stringAttributeType), age, pets] + others
        pet.properties = [PeopleModel.attribute("name", .stringAttributeType), owner]
        return [person, pet]
    }

    /// Writes a store of the first version, with a person who has a pet.
    static func write(_ type: NSPersistentStore.StoreType, at url: URL) throws {
        let context = try context(type, at: url, first())
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue("Ada Lovelace", forKey: "name")
        person.setValue(36, forKey: "age")
        let pet = NSEntityDescription.insertNewObject(forEntityName: "Pet", into: context)
        pet.setValue("Puff", forKey: "name")
        pet.setValue(person, forKey: "owner")
        try context.save()
        try close(context)
    }

    static func context(
        _ type: NSPersistentStore.StoreType, at url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
    ) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: type, at: url, options: options)
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func close(_ context: NSManagedObjectContext) throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// What is in a store: names, ages, family names, and the names of the pets.
    static func contents(
        _ type: NSPersistentStore.StoreType, at url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
    ) throws -> [String] {
        let context = try context(type, at: url, model, options: options)
        defer { try? close(context) }
        return try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Person")).map { person in
            let family = person.entity.attributesByName["familyName"] == nil ? nil : person.value(forKey: "familyName") as? String
            let pets = (person.value(forKey: "pets") as? Set<NSManagedObject> ?? []).compactMap { $0.value(forKey: "name") as? String }
            let (name, age) = (person.value(forKey: "name") as? String ?? "", person.value(forKey: "age") as? Int ?? 0)
            return "\(name), \(age), \(family ?? "-"), \(pets.sorted().joined(separator: " "))"
        }.sorted()
    }

    /// A folder that is removed when the test is over.
    final class Folder {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }
        func file(_ name: String) -> URL { url.appendingPathComponent(name) }
    }

    static let types: [NSPersistentStore.StoreType] = [.sqlite, .xml, .binary]
}
