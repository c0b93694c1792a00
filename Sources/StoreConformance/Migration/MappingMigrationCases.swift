import FoundationEssentials
import Strata
import StrataTestModels

/// Migrations by mappings that say what cannot be inferred, and by policies.
enum MappingMigrationCases {
    static func first() throws -> ManagedObjectModel { try second(.integer16) }

    /// Ada with Rex and the dog Ben; Bob, her friend, with nothing; the stray Sid.
    static func fill(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(try first())
        let context = stack.context()
        let ada = try context.add("Person", "ada", ["age": 36, "street": "Park 1"])
        let bob = try context.add("Person", "bob", ["age": 20])
        let rex = try context.add("Pet", "rex", ["maker": "acme"])
        let ben = try context.add("Dog", "ben", ["tricks": 3, "maker": "acme"])
        try context.add("Pet", "sid", ["maker": "other"])
        try ada.setValue(Set([rex, ben]), forKey: "pets")
        try ada.setValue(Set([bob]), forKey: "friends")
        try context.save()
        return stack
    }

    static func migrate(
        _ stack: ConformanceStack, _ environment: ConformanceEnvironment, by mapping: MappingModel,
        _ policies: [String: EntityMigrationPolicy.Type] = [:]
    ) throws -> ConformanceStack {
        try stack.close()
        try PersistentStoreCoordinator.migrateStore(
            environment.description(), to: mapping.destination, mapping: mapping, policies: policies)
        let after = try environment.stack(mapping.destination) { $0.shouldMigrateStoreAutomatically = false }
        try expectEqual(try after.problems(), [])
        return after
    }

    static var all: [ConformanceCase] { expressions + policies + refusals }

    @ConformanceCaseList private static var expressions: [ConformanceCase] {
        ConformanceCase("A mapping computes attributes by expressions", in: .migration, requires: .persistence) { environment in
            let second = try ManagedObjectModel {
                Entity("Person") {
                    Attributes([
                        "name": .string, "label": .string, "adultFriends": .integer16, "petCount": .integer32, "age": .string,
                    ])
                    Attribute("older", .integer16, default: 7).required
                    Relationships(["pets": .toMany("Pet.owner"), "friends": .toMany("Person.friends")])
                }
                Entity("Pet", attributes: ["name": .string, "ownerName": .string], relationships: ["owner": .toOne("Person.pets")])
                Entity("Dog", parent: "Pet") { Attribute("tricks", .integer16, default: 0) }
            }
            let mapping = try MappingModel(from: try first(), to: second) {
                EntityMapping(from: "Person", to: "Person") {
                    PropertyMapping("label", "uppercase:($source.name)")
                    PropertyMapping("petCount", "$source.pets.@count")
                    PropertyMapping("adultFriends", "SUBQUERY($source.friends, $x, $x.age >= 18 AND $x.age < $source.age).@count")
                    PropertyMapping("age", "CAST($source.age, 'NSString')")
                    PropertyMapping("older", "$source.age + 1")
                }
                for name in ["Pet", "Dog"] {
                    EntityMapping(from: name, to: name) { PropertyMapping("ownerName", "$source.owner.name") }
                }
            }
            try expect(!mapping.plan.steps.contains { $0.property == "age" && $0.losesData }, "\(mapping.plan)")
            let after = try migrate(try fill(environment), environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Person ada: adultFriends=1 age=36 friends=[bob] label=ADA older=37 petCount=2 pets=[ben rex]",
                    "Person bob: adultFriends=0 age=20 friends=[ada] label=BOB older=21 petCount=0",
                    "Pet rex: owner=ada ownerName=ada", "Pet sid", "Dog ben: owner=ada ownerName=ada tricks=3",
                ])
        }
        ConformanceCase("An entity becomes two, which are related, and the first keeps its IDs", in: .migration, requires: .persistence) {
            environment in
            let second = try ManagedObjectModel {
                Entity("Person") {
                    Attributes(["name": .string, "age": .integer16])
                    Relationships([
                        "home": .toOne("Address.residents"), "pets": .toMany("Pet.owner"), "friends": .toMany("Person.friends"),
                    ])
                }
                Entity("Address", attributes: ["name": .string], relationships: ["residents": .toMany("Person.home")])
                Entity("Pet", attributes: ["name": .string, "maker": .string], relationships: ["owner": .toOne("Person.pets")])
                Entity("Dog", parent: "Pet") { Attribute("tricks", .integer16, default: 0) }
            }
            let mapping = try MappingModel(from: try first(), to: second) {
                EntityMapping(from: "Person", to: "Address", where: "street != nil") {
                    PropertyMapping("name", "$source.street")
                    PropertyMapping("residents", "$source", mappedBy: "PersonToPerson")
                }
                EntityMapping(from: "Person", to: "Person")
            }
            let stack = try fill(environment)
            let ada = try unwrap(stack.context().all("Person", key("name") == "ada").first).objectID.uriRepresentation
            let rex = try unwrap(stack.context().all("Pet", key("name") == "rex").first).objectID.uriRepresentation
            let after = try migrate(stack, environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Address Park 1: residents=[ada]", "Person ada: age=36 friends=[bob] home=Park 1 pets=[ben rex]",
                    "Person bob: age=20 friends=[ada]", "Pet rex: maker=acme owner=ada", "Pet sid: maker=other",
                    "Dog ben: maker=acme owner=ada tricks=3",
                ])
            // Where a number is one object's in the whole store, only one of two that were made of one can have it.
            let found = try unwrap(after.coordinator.objectID(forURI: rex))
            try expectEqual(try after.context().existingObject(with: found).text("name"), "rex")
            if after.coordinator.stores[0].capabilities.referenceScope == .hierarchy {
                let found = try unwrap(after.coordinator.objectID(forURI: ada))
                try expectEqual(try after.context().existingObject(with: found).text("name"), "ada")
            }
            let context = after.context()
            let new = try context.add("Person", "new")
            try context.save()
            try expect(try context.all("Person").filter { $0.objectID == new.objectID }.count == 1, "a number was given out twice")
            try expectEqual(try after.problems(), [])
        }
        ConformanceCase("Two entities become one, with all links, and numbers of their own", in: .migration, requires: .persistence) {
            environment in
            let second = try ManagedObjectModel {
                Entity("Being") {
                    Attributes(["name": .string, "kind": .string])
                    Relationships(["keeps": .toMany("Being.keeper"), "keeper": .toOne("Being.keeps")])
                }
            }
            let mapping = try MappingModel(from: try first(), to: second) {
                EntityMapping(from: "Person", to: "Being") {
                    PropertyMapping("kind", "'person'")
                    PropertyMapping(
                        "keeps",
                        "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', 'pets', $source.pets)")
                }
                EntityMapping(from: "Pet", to: "Being") { PropertyMapping("kind", "'pet'") }
                EntityMapping(from: "Dog", to: "Being") { PropertyMapping("kind", "'dog'") }
            }
            let after = try migrate(try fill(environment), environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Being ada: keeps=[ben rex] kind=person", "Being ben: keeper=ada kind=dog", "Being bob: kind=person",
                    "Being rex: keeper=ada kind=pet", "Being sid: kind=pet",
                ])
        }
        ConformanceCase("What was renamed is told by a mapping as by identifiers", in: .migration, requires: .persistence) { environment in
            let second = try ManagedObjectModel {
                Entity("Animal", attributes: ["name": .string, "origin": .string], relationships: ["keeper": .toOne("Person.animals")])
                Entity("Hound", parent: "Animal") { Attribute("skills", .integer32) }
                Entity("Person") {
                    Attributes(["name": .string, "years": .integer32])
                    Relationship("animals", to: "Animal", inverse: "keeper", .toMany)
                }
            }
            let animal = [PropertyMapping("origin", origin: .property("maker")), PropertyMapping("keeper", origin: .property("owner"))]
            let mapping = try MappingModel(from: try first(), to: second) {
                EntityMapping(from: "Pet", to: "Animal") { animal }
                EntityMapping(from: "Dog", to: "Hound") {
                    animal
                    PropertyMapping("skills", origin: .property("tricks"))
                }
                EntityMapping(from: "Person", to: "Person") {
                    PropertyMapping("years", origin: .property("age"))
                    PropertyMapping("animals", origin: .property("pets"))
                }
            }
            try expect(!mapping.plan.description.contains("policy"), "\(mapping.plan)")
            let after = try migrate(try fill(environment), environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Animal rex: keeper=ada origin=acme", "Animal sid: origin=other", "Hound ben: keeper=ada origin=acme skills=3",
                    "Person ada: animals=[ben rex] years=36", "Person bob: years=20",
                ])
        }
        ConformanceCase("What a condition leaves out is not there, nor are links to it", in: .migration, requires: .persistence) {
            environment in
            let mapping = try MappingModel(from: try first(), to: try second(.integer32)) {
                EntityMapping(from: "Pet", to: "Pet", where: "maker == 'acme' AND owner.age > 30")
                EntityMapping(from: "Dog", to: "Dog", where: "FALSEPREDICATE")
            }
            let after = try migrate(try fill(environment), environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Person ada: age=36 friends=[bob] pets=[rex] street=Park 1", "Person bob: age=20 friends=[ada]",
                    "Pet rex: maker=acme owner=ada",
                ])
        }
        ConformanceCase("Orders, large values and what is unset come along", in: .migration, requires: .persistence) { environment in
            func model(_ isNew: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("List") {
                        Attribute("name", .string)
                        Attribute("photo", .binary).externalStorage
                        if isNew { Attribute("title", .string) }
                        Relationships(["items": .ordered("Item.list"), "tags": .ordered("Item.tagged")])
                    }
                    Entity("Item") {
                        Attributes(["name": .string, "when": .date])
                        Relationships(["list": .toOne("List.items"), "tagged": .toMany("List.tags")])
                    }
                }
            }
            let stack = try environment.stack(try model(false))
            let context = stack.context()
            let items = try ["c", "a", "d", "b"].map { try context.add("Item", $0) }
            try items[1].setValue(Date(timeIntervalSinceReferenceDate: 5), forKey: "when")
            let list = try context.add("List", "l", ["photo": Data(repeating: 7, count: 2 << 20)])
            try list.setValue(items, forKey: "items")
            try list.setValue([items[3], items[0]], forKey: "tags")
            try context.save()
            let mapping = try MappingModel(from: try model(false), to: try model(true)) {
                EntityMapping(from: "List", to: "List") { PropertyMapping("title", "$source.name") }
            }
            let after = try migrate(stack, environment, by: mapping)
            let found = try unwrap(after.context().all("List").first)
            try expectEqual(try (found.value(forKey: "items") as? [ManagedObject])?.map { try $0.text("name") }, ["c", "a", "d", "b"])
            try expectEqual(try (found.value(forKey: "tags") as? [ManagedObject])?.map { try $0.text("name") }, ["b", "c"])
            try expectEqual(try found.value(forKey: "photo") as? Data, Data(repeating: 7, count: 2 << 20))
            try expectEqual(try found.text("title"), "l")
            let dates = try after.context().all("Item", key("when") != nil).map { try $0.text("name") }
            try expectEqual(dates, ["a"])
        }
    }

    /// The first model with ages of another width.
    static func second(_ age: AttributeType) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                Attribute("age", age)
                Attribute("street", .string)
                Relationships(["pets": .toMany("Pet.owner"), "friends": .toMany("Person.friends")])
            }
            Entity("Pet", attributes: ["name": .string, "maker": .string], relationships: ["owner": .toOne("Person.pets")])
            Entity("Dog", parent: "Pet") { Attribute("tricks", .integer16, default: 0) }
        }
    }
}
