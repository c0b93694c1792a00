import CoreData
import Testing

struct ModelBuildingTests {
    @Test("An entity has the properties of its ancestors, which stay theirs") func inheritance() throws {
        let model = PeopleModel.make()
        let (pet, dog) = (try model.entity("Pet"), try model.entity("Dog"))
        #expect(Set(dog.propertiesByName.keys) == ["name", "owner", "breed"])
        #expect(dog.superentity === pet)
        #expect(pet.subentitiesByName["Dog"] === dog)
        #expect(dog.isKindOf(entity: pet))
        #expect(!pet.isKindOf(entity: dog))
        #expect(dog.attributesByName["name"]?.entity === pet)
        #expect(Array(dog) == ["name", "owner", "breed"])
        dog.properties.append(PeopleModel.attribute("size", .doubleAttributeType))
        #expect(dog.propertiesByName.count == 4)
        #expect(pet.properties.count == 2)
    }

    @Test("Properties have Core Data's defaults") func defaults() {
        let (attribute, relationship) = (NSAttributeDescription(), NSRelationshipDescription())
        #expect(attribute.isOptional)
        #expect(!attribute.isTransient)
        #expect(attribute.attributeType == .undefinedAttributeType)
        #expect(attribute.attributeValueClassName == nil)
        #expect(relationship.deleteRule == .nullifyDeleteRule)
        #expect(relationship.isToMany)
        relationship.maxCount = 1
        #expect(!relationship.isToMany)
        #expect(NSEntityDescription().uniquenessConstraints.isEmpty)
        #expect(NSEntityDescription().managedObjectClassName == "NSManagedObject")
        #expect(NSCompositeAttributeDescription().type == .composite)
    }

    @Test("The two spellings of an attribute's type are one") func types() {
        let attribute = PeopleModel.attribute("id", .UUIDAttributeType)
        #expect(attribute.type == .uuid)
        attribute.type = .decimal
        #expect(attribute.attributeType == .decimalAttributeType)
        #expect(attribute.attributeValueClassName == "NSDecimalNumber")
        #expect(NSAttributeType.compositeAttributeType.rawValue == 2100)
    }

    @Test("Classes of values follow from the type, unless another is set") func valueClasses() {
        let attribute = PeopleModel.attribute("tags", .transformableAttributeType)
        #expect(attribute.attributeValueClassName == nil)
        attribute.attributeValueClassName = "NSArray"
        #expect(attribute.attributeValueClassName == "NSArray")
        #expect(PeopleModel.attribute("name", .stringAttributeType).attributeValueClassName == "NSString")
    }

    @Test("Descriptions of expressions and of indexes are properties and elements") func indexes() throws {
        let model = PeopleModel.make()
        let (person, sum) = (try model.entity("Person"), NSExpressionDescription())
        sum.expression = NSExpression(format: "age + 1")
        sum.expressionResultType = .integer64AttributeType
        #expect(sum.resultType == .integer64)
        let element = NSFetchIndexElementDescription(property: sum, collationType: .binary)
        let index = NSFetchIndexDescription(name: "bySum", elements: [element])
        index.partialIndexPredicate = NSPredicate(format: "age > 3")
        person.indexes.append(index)
        #expect(index.entity === person)
        #expect(element.indexDescription === index)
        #expect(element.propertyName == nil)
        #expect(person.indexes.first?.elements.first?.propertyName == "age")
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let copied = try #require(try copy.entity("Person").indexes.last)
        #expect(copied.partialIndexPredicate == index.partialIndexPredicate)
        #expect((copied.elements.first?.property as? NSExpressionDescription)?.expression == sum.expression)
    }

    @Test("Setting an inverse leaves the other side alone") func inverses() throws {
        let (a, b) = (PeopleModel.entity("A"), PeopleModel.entity("B"))
        let (first, second) = (PeopleModel.relationship("b", to: b, maxCount: 1), PeopleModel.relationship("a", to: a, maxCount: 1))
        first.inverseRelationship = second
        #expect(second.inverseRelationship == nil)
        a.properties = [first]
        #expect(a.relationships(forDestination: b) == [first])
        #expect(a.relationships(forDestination: a).isEmpty)
    }

    @Test("A name and a renaming identifier are one until another is set") func renaming() {
        let entity = PeopleModel.entity("Person")
        #expect(entity.renamingIdentifier == "Person")
        entity.renamingIdentifier = "Human"
        #expect(entity.renamingIdentifier == "Human")
    }

    @Test("Configurations are subsets of the entities") func configurations() throws {
        let model = PeopleModel.make()
        #expect(model.configurations == ["People"])
        #expect(model.entities(forConfigurationName: "People") == [try model.entity("Person")])
        #expect(model.entities(forConfigurationName: "Nobody") == nil)
        #expect(model.entities(forConfigurationName: nil)?.count == 3)
        // An entity that left the model stayed in its configurations, and the model had no hashes any more.
        model.entities.removeAll { $0.name == "Person" }
        #expect(model.entities(forConfigurationName: "People") == [])
    }

    @Test("A copy is equal, editable, and references its own entities") func copies() throws {
        let model = PeopleModel.make()
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        #expect(copy == model)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        let pets = try #require(try copy.entity("Person").relationshipsByName["pets"])
        #expect(pets.destinationEntity === (try copy.entity("Pet")))
        #expect(pets.inverseRelationship === (try copy.entity("Pet").relationshipsByName["owner"]))
        #expect(pets.deleteRule == .cascadeDeleteRule)
        #expect(copy.fetchRequestTemplate(forName: "older")?.fetchLimit == 5)
        try copy.entity("Person").isAbstract = true
        #expect(copy != model)
        #expect(try !model.entity("Person").isAbstract)
    }

    @Test("A template gives requests with values for its variables") func templates() throws {
        let model = PeopleModel.make()
        let request = try #require(model.fetchRequestFromTemplate(withName: "older", substitutionVariables: ["AGE": 30]))
        #expect(request.predicate == NSPredicate(format: "age > 30"))
        request.fetchLimit = 1
        #expect(model.fetchRequestTemplatesByName["older"]?.fetchLimit == 5)
        #expect(model.fetchRequestFromTemplate(withName: "none", substitutionVariables: [:]) == nil)
    }

    @Test("Hashes change with what matters to stores, and with nothing else") func hashes() throws {
        let (model, other) = (PeopleModel.make(), PeopleModel.make())
        let age = try #require(try other.entity("Person").attributesByName["age"])
        age.defaultValue = 8
        age.userInfo = ["a": "b"]
        try other.entity("Person").indexes = []
        #expect(other.entityVersionHashesByName == model.entityVersionHashesByName)
        #expect(other.versionChecksum == model.versionChecksum)
        age.isOptional = false
        #expect(age.versionHash != (try model.entity("Person").attributesByName["age"]?.versionHash))
        #expect(try other.entity("Person").versionHash != model.entity("Person").versionHash)
        #expect(try other.entity("Pet").versionHash == model.entity("Pet").versionHash)
        #expect(other.versionChecksum != model.versionChecksum)
        #expect(Data(base64Encoded: model.versionChecksum)?.count == 32)
    }

    @Test("A model knows a store of its own by the metadata") func compatibility() throws {
        let model = PeopleModel.make()
        let hashes = model.entityVersionHashesByName
        #expect(model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: hashes]))
        // A store of a configuration has the hashes of the whole model.
        #expect(model.isConfiguration(withName: "People", compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: hashes]))
        let other = hashes.merging(["Pet": Data(count: 32)]) { $1 }
        #expect(!model.isConfiguration(withName: "People", compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: other]))
        let people = hashes.filter { $0.key == "Person" }
        #expect(model.isConfiguration(withName: "People", compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: people]))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [NSStoreModelVersionHashesKey: people]))
        #expect(!model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:]))
    }

    @Test("Models are merged, and what several have is taken once") func merging() throws {
        let model = PeopleModel.make()
        let more = NSManagedObjectModel()
        more.entities = [PeopleModel.entity("House")]
        let merged = try #require(NSManagedObjectModel(byMerging: [model, more, PeopleModel.make()]))
        #expect(Set(merged.entitiesByName.keys) == ["Person", "Pet", "Dog", "House"])
        #expect(merged.configurations == ["People"])
        #expect(try merged.entity("Dog").superentity === merged.entity("Pet"))
        #expect(NSManagedObjectModel(byMerging: []) == nil)
        let metadata = [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
        #expect(NSManagedObjectModel(byMerging: [merged], forStoreMetadata: metadata)?.entities.count == 3)
        #expect(NSManagedObjectModel(byMerging: [more], forStoreMetadata: metadata) == nil)
    }

    /// Libraries that build a model from templates insert copies, and release the originals.
    @Test("A copy of a relationship keeps its inverse when the originals are released") func copiedInverse() throws {
        let (person, pet) = (PeopleModel.entity("Person"), PeopleModel.entity("Pet"))
        do {
            let pets = PeopleModel.relationship("pets", to: pet, maxCount: 0)
            let owner = PeopleModel.relationship("of", to: person, maxCount: 1)
            (pets.inverseRelationship, owner.inverseRelationship) = (owner, pets)
            owner.name = "owner"
            person.properties = [try #require(pets.copy() as? NSPropertyDescription)]
            pet.properties = [try #require(owner.copy() as? NSPropertyDescription)]
        }
        let (pets, owner) = (person.relationshipsByName["pets"], pet.relationshipsByName["owner"])
        #expect(pets != nil)
        #expect(pets?.inverseRelationship === owner)
        #expect(owner != nil)
        #expect(owner?.inverseRelationship === pets)
        let model = NSManagedObjectModel()
        model.entities = [person, pet]
        let context = try MemoryStack.context(of: model)
        let dog = NSEntityDescription.insertNewObject(forEntityName: "Pet", into: context)
        dog.setValue(NSEntityDescription.insertNewObject(forEntityName: "Person", into: context), forKey: "owner")
        #expect((dog.value(forKeyPath: "owner.pets") as? NSSet)?.contains(dog) == true)
    }
}
