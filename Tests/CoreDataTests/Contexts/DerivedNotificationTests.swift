import CoreData
import Testing

/// What is told of derived values, which a save makes.
struct DerivedNotificationTests {
    private let context: NSManagedObjectContext
    private let log: ContextLog

    init() throws {
        let (person, pet) = (PeopleModel.entity("Person"), PeopleModel.entity("Pet"))
        let (folded, count) = (NSDerivedAttributeDescription(), NSDerivedAttributeDescription())
        (folded.name, folded.attributeType, folded.isOptional) = ("folded", .stringAttributeType, true)
        folded.derivationExpression = NSExpression(format: "lowercase:(name)")
        (count.name, count.attributeType, count.isOptional) = ("petCount", .integer64AttributeType, true)
        count.derivationExpression = NSExpression(format: "pets.@count")
        let pets = PeopleModel.relationship("pets", to: pet, maxCount: 0)
        let owner = PeopleModel.relationship("owner", to: person, maxCount: 1)
        (pets.inverseRelationship, owner.inverseRelationship) = (owner, pets)
        person.properties = [PeopleModel.attribute("name", .stringAttributeType), folded, count, pets]
        let petFolded = NSDerivedAttributeDescription()
        (petFolded.name, petFolded.attributeType, petFolded.isOptional) = ("folded", .stringAttributeType, true)
        petFolded.derivationExpression = NSExpression(format: "lowercase:(name)")
        pet.properties = [PeopleModel.attribute("name", .stringAttributeType), petFolded, owner]
        let model = NSManagedObjectModel()
        model.entities = [person, pet]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
        context = NSManagedObjectContext(.mainQueue)
        context.persistentStoreCoordinator = coordinator
        log = ContextLog(context)
    }

    private func make(_ entity: String, _ name: String?) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(name, forKey: "name")
        return object
    }

    /// Saves, and takes what was posted but for the IDs.
    private func save() throws -> [ContextLog.Entry] {
        try context.save()
        return log.take().filter { $0.kind == "didChange" || $0.kind == "didSave" }
    }

    /// Each save of an object with derived attributes told of a refresh after it, whatever became of their values.
    @Test("A save reports the objects whose derived values changed, before it reports itself, and no others") func saving() throws {
        let ada = make("Person", "Ada")
        #expect(try save() == [.didChange(inserted: ["Ada"]), .didChange(refreshed: ["Ada"]), .didSave(inserted: ["Ada"])])
        #expect(ada.value(forKey: "folded") as? String == "ada")
        ada.setValue("ADA", forKey: "name")
        #expect(try save() == [.didChange(updated: ["ADA"]), .didSave(updated: ["ADA"])])
        ada.setValue("Eva", forKey: "name")
        #expect(try save() == [.didChange(updated: ["Eva"]), .didChange(refreshed: ["Eva"]), .didSave(updated: ["Eva"])])
        _ = make("Pet", nil)
        #expect(try save() == [.didChange(inserted: ["–"]), .didSave(inserted: ["–"])])
        let rex = make("Pet", nil)
        rex.setValue(ada, forKey: "owner")
        #expect(
            try save() == [
                .didChange(inserted: ["–"], updated: ["Eva"]), .didChange(refreshed: ["Eva"]), .didSave(inserted: ["–"], updated: ["Eva"]),
            ])
    }

    /// A list heard of a save twice: once of the IDs, and once more of the derived values, without any difference.
    @Test("A list that takes differences gets the IDs and the derived values of a save in one notification") func list() throws {
        final class Delegate: NSObject, NSFetchedResultsControllerDelegate {
            var counts: [Int] = []
            func controller(
                _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
                didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
            ) { counts.append(diff.count) }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let delegate = Delegate()
        controller.delegate = delegate
        try controller.performFetch()
        _ = make("Person", "Ada")
        try context.save()
        #expect(delegate.counts == [1, 2])
    }
}
