import CoreData
import Testing

struct ModelFreezingTests {
    @Test("A model can be edited until a coordinator uses it, and its copy afterwards") func freezing() throws {
        let model = PeopleModel.make()
        #expect(model.isEditable)
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(!model.isEditable)
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy.isEditable)
        try copy.entity("Person").name = "Human"
        #expect(copy.entitiesByName["Human"] != nil)
    }

    @Test("Hashes stay what they are when a model is used") func hashes() throws {
        let model = PeopleModel.make()
        let before = model.entityVersionHashesByName
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        #expect(model.entityVersionHashesByName == before)
        #expect(try model.entity("Dog").versionHash == before["Dog"])
    }

    @Test("Conditions of fetched properties see the user info that was set after the model was used") func userInfo() throws {
        let model = PeopleModel.make()
        let rated = NSFetchedPropertyDescription()
        rated.name = "namesakes"
        rated.userInfo = ["prefix": "A"]
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Pet")
        request.predicate = NSPredicate(format: "name BEGINSWITH $FETCHED_PROPERTY.userInfo.prefix")
        rated.fetchRequest = request
        try model.entity("Person").properties.append(rated)
        let context = try MemoryStack.context(of: model)
        let person = context.make("Person", "Ada")
        for name in ["Arni", "Bolli", "Bo"] { _ = context.make("Pet", name) }
        try context.save()
        #expect((person.value(forKey: "namesakes") as? [NSManagedObject])?.count == 1)
        try model.entity("Person").propertiesByName["namesakes"]?.userInfo?["prefix"] = "B"
        #expect((person.value(forKey: "namesakes") as? [NSManagedObject])?.count == 2)
    }

    @Test("Changing a model that is in use ends the program") func changes() async throws {
        let entities = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = PeopleModel.make()
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
            model.entities = []
        }
        let name = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = PeopleModel.make()
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
            try model.entity("Person").name = "Human"
        }
        let property = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = PeopleModel.make()
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
            try model.entity("Person").attributesByName["age"]?.isOptional = false
        }
        let index = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let model = PeopleModel.make()
            _ = NSPersistentStoreCoordinator(managedObjectModel: model)
            try model.entity("Person").indexes.first?.elements.first?.isAscending = false
        }
        for result in [entities, name, property, index] {
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("Can't modify an immutable model."))
        }
    }

    @Test("Different entities of one name are not merged") func conflicts() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let other = NSManagedObjectModel()
            other.entities = [PeopleModel.entity("Person")]
            _ = NSManagedObjectModel(byMerging: [PeopleModel.make(), other])
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("Can't merge models with two different entities named 'Person'"))
    }

    @Test("A context without coordinator has no entities, and says so") func contexts() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
            _ = NSEntityDescription.entity(forEntityName: "Person", in: context)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("nil is not a legal NSPersistentStoreCoordinator for searching for entity name 'Person'"))
    }
}
