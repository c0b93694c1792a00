import CoreData
import Testing

/// Contexts that import at the same time, and make objects of their own that a constraint allows one of.
struct UnitedImportTests {
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        let (owner, pet, club) = (PeopleModel.entity("Owner"), PeopleModel.entity("Pet"), PeopleModel.entity("Club"))
        let pets = PeopleModel.relationship("pets", to: pet, maxCount: 0)
        let petOwner = PeopleModel.relationship("owner", to: owner, maxCount: 1)
        (pets.inverseRelationship, petOwner.inverseRelationship) = (petOwner, pets)
        let clubs = PeopleModel.relationship("clubs", to: club, maxCount: 0)
        let members = PeopleModel.relationship("members", to: owner, maxCount: 0)
        (clubs.inverseRelationship, members.inverseRelationship) = (members, clubs)
        owner.properties = ["name", "town"].map { PeopleModel.attribute($0, .stringAttributeType) } + [pets, clubs]
        owner.uniquenessConstraints = [["name"]]
        pet.properties = [PeopleModel.attribute("name", .stringAttributeType), petOwner]
        club.properties = [PeopleModel.attribute("name", .stringAttributeType), members]
        club.uniquenessConstraints = [["name"]]
        let model = NSManagedObjectModel()
        model.entities = [owner, pet, club]
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    }

    private func makeContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        return context
    }

    private func make(_ entity: String, _ name: String, in context: NSManagedObjectContext) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    private func names(_ object: NSManagedObject, _ key: String) -> [String] {
        (object.value(forKey: key) as? Set<NSManagedObject> ?? []).compactMap { $0.value(forKey: "name") as? String }.sorted()
    }

    /// Whether a policy that goes by property replaces members as it replaces values was nowhere said: applications delete those that they want gone.
    @Test("The members of an object that becomes a stored one come to those that are there") func members() throws {
        let contexts = ["Rex", "Puff", "Tom"].map { ($0, makeContext()) }
        for (name, context) in contexts {
            let owner = make("Owner", "Ada", in: context)
            owner.setValue("town of \(name)", forKey: "town")
            make("Pet", name, in: context).setValue(owner, forKey: "owner")
            owner.setValue([make("Club", "Chess", in: context), make("Club", "Club of \(name)", in: context)] as Set, forKey: "clubs")
        }
        for (_, context) in contexts { try context.save() }
        let reading = makeContext()
        let owners = try reading.fetch(NSFetchRequest<NSManagedObject>(entityName: "Owner"))
        #expect(owners.count == 1)
        let ada = try #require(owners.first)
        #expect(ada.value(forKey: "town") as? String == "town of Tom")
        #expect(names(ada, "pets") == ["Puff", "Rex", "Tom"])
        #expect(names(ada, "clubs") == ["Chess", "Club of Puff", "Club of Rex", "Club of Tom"])
    }
}
