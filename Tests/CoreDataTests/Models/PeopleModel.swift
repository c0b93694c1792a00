import CoreData

/// A model of people and their pets, made in code.
enum PeopleModel {
    static func make() -> NSManagedObjectModel {
        let (person, pet, dog) = (entity("Person"), entity("Pet"), entity("Dog"))
        let pets = relationship("pets", to: pet, maxCount: 0)
        let owner = relationship("owner", to: person, maxCount: 1)
        pets.deleteRule = .cascadeDeleteRule
        pets.inverseRelationship = owner
        owner.inverseRelationship = pets
        let age = attribute("age", .integer16AttributeType, default: 7)
        age.setValidationPredicates(
            [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF <= 150"), NSPredicate(format: "SELF != 13")],
            withValidationWarnings: [1620, 1610, "an unlucky number"])
        let name = attribute("name", .stringAttributeType)
        name.isOptional = false
        person.properties = [name, age, pets]
        person.uniquenessConstraints = [["name"]]
        person.indexes = [index("byAge", over: age)]
        person.userInfo = ["author": "us"]
        pet.properties = [attribute("name", .stringAttributeType), owner]
        pet.subentities = [dog]
        dog.properties = [attribute("breed", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [person, pet, dog]
        model.setEntities([person], forConfigurationName: "People")
        model.versionIdentifiers = ["1"]
        let older = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
        older.predicate = NSPredicate(format: "age > $AGE")
        older.fetchLimit = 5
        model.setFetchRequestTemplate(older, forName: "older")
        return model
    }

    static func entity(_ name: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        return entity
    }

    static func attribute(_ name: String, _ type: NSAttributeType, default defaultValue: Any? = nil) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.defaultValue = defaultValue
        return attribute
    }

    static func relationship(_ name: String, to destination: NSEntityDescription, maxCount: Int) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = maxCount
        return relationship
    }

    static func index(_ name: String, over property: NSPropertyDescription) -> NSFetchIndexDescription {
        NSFetchIndexDescription(name: name, elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
    }
}

extension NSManagedObjectModel {
    /// The entity of a name, which a test knows to be there.
    func entity(_ name: String) throws -> NSEntityDescription {
        guard let entity = entitiesByName[name] else { throw CocoaError(.keyValueValidation) }
        return entity
    }
}
