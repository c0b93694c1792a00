import CoreData

/// Owners with pets, which go with them, with visits in an order, and with friends.
enum OwnersModel {
    static func make() -> NSManagedObjectModel {
        let (owner, pet, visit) = (entity("Owner"), entity("Pet"), entity("Visit"))
        let pets = relationship("pets", to: pet, rule: .cascadeDeleteRule)
        let visits = relationship("visits", to: visit)
        visits.isOrdered = true
        let friends = relationship("friends", to: owner)
        owner.properties += [
            pets, visits, friends, inverse("friendOf", of: friends, to: owner, isToMany: true),
        ]
        pet.properties.append(inverse("owner", of: pets, to: owner))
        visit.properties.append(inverse("owner", of: visits, to: owner))
        let model = NSManagedObjectModel()
        model.entities = [owner, pet, visit]
        return model
    }

    private static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = ["name", "note"].map { name in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = .stringAttributeType
            attribute.isOptional = true
            return attribute
        }
        return entity
    }

    private static func relationship(
        _ name: String, to destination: NSEntityDescription, rule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.deleteRule = rule
        return relationship
    }

    private static func inverse(
        _ name: String, of other: NSRelationshipDescription, to destination: NSEntityDescription, isToMany: Bool = false
    ) -> NSRelationshipDescription {
        let inverse = relationship(name, to: destination)
        inverse.maxCount = isToMany ? 0 : 1
        (inverse.inverseRelationship, other.inverseRelationship) = (other, inverse)
        return inverse
    }

    /// A context over a store of its own.
    static func makeContext(_ type: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType) throws -> NSManagedObjectContext {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: make())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        let context = NSManagedObjectContext(concurrencyType: type)
        context.persistentStoreCoordinator = coordinator
        return context
    }
}

extension NSManagedObjectContext {
    /// Makes an object with a name.
    func make(_ entity: String, _ name: String) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        object.setValue(name, forKey: "name")
        return object
    }

    /// A child of the context.
    func makeChild() -> NSManagedObjectContext {
        let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        child.parent = self
        return child
    }
}

extension NSManagedObject {
    /// The name; of an object without a context none.
    var name: String? {
        get { managedObjectContext == nil ? nil : value(forKey: "name") as? String }
        set { setValue(newValue, forKey: "name") }
    }

    /// The names of a relationship's destinations, in their order where it has one, else by name.
    func names(_ key: String) -> [String] {
        switch value(forKey: key) {
        case let ordered as NSOrderedSet: ordered.compactMap { ($0 as? NSManagedObject)?.name }
        case let set as Set<NSManagedObject>: set.compactMap(\.name).sorted()
        case let object as NSManagedObject: [object.name].compactMap(\.self)
        default: []
        }
    }
}
