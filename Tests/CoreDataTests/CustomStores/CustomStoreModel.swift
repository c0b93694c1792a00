import CoreData
import Testing

/// Owners with pets, some of them dogs, and tags that owners share.
func customStoreModel() -> NSManagedObjectModel {
    func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = true
        return attribute
    }
    func relationship(_ name: String, _ destination: NSEntityDescription, toMany: Bool = true) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = toMany ? 0 : 1
        relationship.isOptional = true
        relationship.deleteRule = .nullifyDeleteRule
        return relationship
    }
    let (owner, pet, dog, tag) = (entity("Owner"), entity("Pet"), entity("Dog"), entity("Tag"))
    let (pets, tags) = (relationship("pets", pet), relationship("tags", tag))
    let (ownerOfPet, owners) = (relationship("owner", owner, toMany: false), relationship("owners", owner))
    pets.deleteRule = .cascadeDeleteRule
    for (first, second) in [(pets, ownerOfPet), (tags, owners)] {
        first.inverseRelationship = second
        second.inverseRelationship = first
    }
    owner.properties = [attribute("name", .stringAttributeType), attribute("age", .integer32AttributeType), pets, tags]
    pet.properties = [attribute("name", .stringAttributeType), ownerOfPet]
    dog.properties = [attribute("breed", .stringAttributeType)]
    tag.properties = [attribute("label", .stringAttributeType), owners]
    pet.subentities = [dog]
    let model = NSManagedObjectModel()
    model.entities = [owner, pet, dog, tag]
    return model
}

/// A context of the test's own over a coordinator.
func customStoreContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
}

/// Expects a merge error of a context that renames an owner whom the second context has renamed since, and resolves the
/// conflict in the former.
func expectConflict(
    _ coordinator: NSPersistentStoreCoordinator, with second: NSManagedObjectContext,
    resolve: (NSManagedObjectContext, NSManagedObject) throws -> Void
) throws {
    let first = customStoreContext(coordinator)
    // It keeps what it saved, and is not asked for it again.
    first.retainsRegisteredObjects = true
    let id = try first.performAndWait { () throws -> NSManagedObjectID in
        let ada = first.add("Owner", ["name": "Ada"])
        try first.save()
        return ada.objectID
    }
    try second.performAndWait { () throws in
        try second.existingObject(with: id).setValue("Augusta", forKey: "name")
        try second.save()
    }
    try first.performAndWait { () throws in
        let ada = try first.existingObject(with: id)
        ada.setValue("Adele", forKey: "name")
        let error = #expect(throws: NSError.self) { try first.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        try resolve(first, ada)
    }
}

extension NSManagedObjectContext {
    /// A new object with values.
    func add(_ entity: String, _ values: [String: Any] = [:]) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// The names of the objects that a condition selects, in their order.
    func names(_ entity: String, _ condition: String? = nil) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = condition.map { NSPredicate(format: $0) }
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return try fetch(request).map { $0.value(forKey: "name") as? String ?? "" }
    }
}
