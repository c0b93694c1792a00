import CoreData
import Testing

/// Models and their parts could not be archived, which caches and tools of applications do.
@Suite("Archives of models")
struct ModelArchiveTests {
    /// What comes out of an archive of an object.
    private func archived<Object: NSObject & NSCoding>(_ object: Object) throws -> Object {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
    }

    /// A model with a bit of everything.
    private func model() throws -> NSManagedObjectModel {
        let model = PeopleModel.make()
        let (person, pet) = (try model.entity("Person"), try model.entity("Pet"))
        let (count, place, born) = (
            NSDerivedAttributeDescription(), NSCompositeAttributeDescription(), PeopleModel.attribute("born", .dateAttributeType)
        )
        count.name = "petCount"
        count.attributeType = .integer32AttributeType
        count.derivationExpression = NSExpression(format: "pets.@count")
        place.name = "place"
        place.elements = [PeopleModel.attribute("x", .doubleAttributeType), PeopleModel.attribute("y", .doubleAttributeType)]
        born.defaultValue = Date(timeIntervalSinceReferenceDate: 5)
        born.renamingIdentifier = "birth"
        born.versionHashModifier = "2"
        let price = PeopleModel.attribute("price", .decimalAttributeType, default: NSDecimalNumber(string: "1.25"))
        let homes = NSFetchedPropertyDescription()
        homes.name = "namesakes"
        homes.fetchRequest = NSFetchRequest(entityName: "Person")
        homes.fetchRequest?.predicate = NSPredicate(format: "name == $FETCH_SOURCE.name")
        person.properties += [count, place, born, price, homes]
        pet.isAbstract = true
        pet.userInfo = ["kind": "animal", "legs": 4]
        let upper = NSExpressionDescription()
        upper.name = "upper"
        upper.expression = NSExpression(format: "uppercase(name)")
        upper.expressionResultType = .stringAttributeType
        let index = NSFetchIndexDescription(
            name: "byUpper", elements: [NSFetchIndexElementDescription(property: upper, collationType: .binary)])
        index.partialIndexPredicate = NSPredicate(format: "name != nil")
        pet.indexes = [index]
        model.localizationDictionary = ["Entity/Person": "Mensch"]
        return model
    }

    @Test("A model comes out of an archive as it was, and may be changed and used") func models() throws {
        let model = try model()
        let copy = try archived(model)
        #expect(copy == model)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(copy.configurations == ["People"])
        #expect(copy.versionIdentifiers == ["1"])
        #expect(copy.localizationDictionary == ["Entity/Person": "Mensch"])
        #expect(copy.fetchRequestTemplate(forName: "older")?.predicate == NSPredicate(format: "age > $AGE"))
        #expect(copy.fetchRequestTemplate(forName: "older")?.fetchLimit == 5)
        let (person, pet, dog) = (try copy.entity("Person"), try copy.entity("Pet"), try copy.entity("Dog"))
        #expect(dog.superentity === pet)
        #expect(person.relationshipsByName["pets"]?.destinationEntity === pet)
        #expect(person.relationshipsByName["pets"]?.inverseRelationship === pet.relationshipsByName["owner"])
        #expect(person.indexes.first?.elements.first?.property === person.attributesByName["age"])
        #expect(person.uniquenessConstraints as? [[String]] == [["name"]])
        #expect(pet.userInfo?["legs"] as? Int == 4)
        #expect(copy.isEditable)
        let context = try MemoryStack.context(of: copy)
        try context.performAndWait {
            NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue("Ada", forKey: "name")
            try context.save()
        }
    }

    @Test("A model that is in use is archived, too") func frozen() throws {
        let model = try model()
        _ = NSPersistentStoreCoordinator(managedObjectModel: model)
        let copy = try archived(model)
        #expect(copy == model)
        #expect(copy.isEditable)
    }

    @Test("An entity comes with its properties and its sub-entities") func entities() throws {
        let model = try model()
        let (person, pet) = (try archived(try model.entity("Person")), try archived(try model.entity("Pet")))
        let (age, price) = (person.attributesByName["age"], person.attributesByName["price"])
        #expect(age?.defaultValue as? Int == 7)
        #expect(
            age?.validationPredicates == [
                NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF <= 150"), NSPredicate(format: "SELF != 13"),
            ])
        #expect(age?.validationWarnings.last as? String == "an unlucky number")
        #expect(price?.defaultValue as? Decimal == Decimal(string: "1.25"))
        #expect((person.attributesByName["petCount"] as? NSDerivedAttributeDescription)?.derivationExpression?.description == "pets.@count")
        #expect((person.attributesByName["place"] as? NSCompositeAttributeDescription)?.elements.map(\.name) == ["x", "y"])
        #expect(pet.subentitiesByName["Dog"]?.attributesByName["breed"] != nil)
        #expect(pet.indexes.first?.partialIndexPredicate == NSPredicate(format: "name != nil"))
    }

    @Test("Properties and indexes are archived alone") func parts() throws {
        let person = try model().entity("Person")
        let born = try archived(try #require(person.attributesByName["born"]))
        #expect(born.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 5))
        #expect(born.renamingIdentifier == "birth")
        #expect(born.versionHash == person.attributesByName["born"]?.versionHash)
        let pets = try archived(try #require(person.relationshipsByName["pets"]))
        #expect(pets.deleteRule == .cascadeDeleteRule)
        #expect(pets.destinationEntity == nil)
        let fetched = try archived(try #require(person.propertiesByName["namesakes"] as? NSFetchedPropertyDescription))
        #expect(fetched.fetchRequest?.entityName == "Person")
        let index = try archived(try #require(person.indexes.first))
        #expect(index.elements.map(\.propertyName) == ["age"])
    }

    @Test("What is no archive of a model gives none, and no crash") func damage() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: try model(), requiringSecureCoding: true)
        let text = try NSKeyedArchiver.archivedData(withRootObject: "text" as NSString, requiringSecureCoding: true)
        for archive in [data.dropLast(40), text] {
            let model = try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: archive)
            #expect(model == nil)
        }
    }
}
