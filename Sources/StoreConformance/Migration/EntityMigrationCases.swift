import Strata
import StrataTestModels

/// Opening a store with a version of the model that has other entities, or others' children.
enum EntityMigrationCases {
    private static func animals(_ context: ManagedObjectContext) throws {
        let owner = try context.add("Person", "p")
        for (entity, name) in [("Dog", "d"), ("Cat", "c"), ("Dog", "e")] {
            let animal = try context.add(entity, name)
            try animal.setValue(owner, forKey: entity == "Dog" ? "master" : "servant")
            try animal.setValue(entity == "Dog" ? 3 : 9, forKey: entity == "Dog" ? "legs" : "lives")
        }
        let dogs = try context.all("Dog", sort: [QuerySort("name")])
        try dogs[0].setValue(Set([dogs[1]]), forKey: "friends")
        try context.one("Cat", "c").setValue(dogs[1], forKey: "enemy")
    }

    private static let flat = Result.declared {
        Entity("Person") {
            Attribute("name", .string)
            Relationships(["dogs": .toMany("Dog.master"), "cats": .toMany("Cat.servant")])
        }
        Entity("Dog") {
            Attributes(["name": .string, "legs": .integer16])
            Relationships(["master": .toOne("Person.dogs"), "friends": .toMany("Dog.friends")])
        }
        Entity("Cat") {
            Attributes(["name": .string, "lives": .integer16])
            Relationships(["servant": .toOne("Person.cats"), "enemy": .toOne("Dog")])
        }
    }

    /// Dogs and cats are animals, whose name and owner are the animal's.
    private static let animalHierarchy = Result.declared {
        Entity("Person", attributes: ["name": .string], relationships: ["animals": .toMany("Animal.owner")])
        Entity("Animal", isAbstract: true) {
            Attribute("name", .string)
            Relationship("owner", to: "Person", inverse: "animals").renamed(from: "master")
        }
        Entity("Dog", parent: "Animal", attributes: ["legs": .integer16], relationships: ["friends": .toMany("Dog.friends")])
        Entity("Cat", parent: "Animal", attributes: ["lives": .integer16], relationships: ["enemy": .toOne("Animal")])
    }

    static var all: [ConformanceCase] { names + hierarchies }

    @ConformanceCaseList private static var names: [ConformanceCase] {
        ConformanceCase("Entities come, go and are renamed", in: .migration, requires: .persistence) { environment in
            let store = try Migrated(environment) {
                Entity("Author") {
                    Attribute("name", .string)
                    Relationships(["books": .toMany("Book.author"), "bills": .toMany("Bill.author")])
                }
                Entity("Book", attributes: ["name": .string], relationships: ["author": .toOne("Author.books")])
                Entity("Bill", attributes: ["name": .string], relationships: ["author": .toOne("Author.bills")])
            }
            let author = try store.context.add("Author", "a")
            for name in ["x", "y"] {
                try store.context.add("Book", name).setValue(author, forKey: "author")
                try store.context.add("Bill", name).setValue(author, forKey: "author")
            }
            let after = try store.opened {
                Entity("Writer") {
                    Attribute("name", .string)
                    Relationship("works", to: "Book", inverse: "author", .toMany).renamed(from: "books")
                }.with { $0.renamingIdentifier = "Author" }
                Entity("Book", attributes: ["name": .string], relationships: ["author": .toOne("Writer.works")])
                Entity("Agent") { Attribute("name", .string) }
            }
            try expectEqual(try after.contents(), ["Book x: author=a", "Book y: author=a", "Writer a: works=[x y]"])
            let editor = after.context()
            try editor.add("Agent", "007")
            try editor.add("Book", "z").setValue(try editor.one("Writer", "a"), forKey: "author")
            try editor.save()
            try expectEqual(
                try after.reopened().contents(),
                ["Agent 007", "Book x: author=a", "Book y: author=a", "Book z: author=a", "Writer a: works=[x y z]"])
        }
        // Which of both got the objects hung on the order of the names.
        ConformanceCase("A name that was given up is used again for something new", in: .migration, requires: .persistence) { environment in
            for (first, second) in [("Alpha", "Beta"), ("Beta", "Alpha")] {
                func model(_ version: Int) throws -> ManagedObjectModel {
                    let (entity, attribute) = (version == 1 ? first : second, version == 1 ? first.lowercased() : second.lowercased())
                    return try ManagedObjectModel {
                        Entity(entity) {
                            Attribute("name", .string)
                            Attribute(attribute, .string).with { $0.renamingIdentifier = version == 2 ? first.lowercased() : nil }
                            if version == 3 { Attribute(first.lowercased(), .string) }
                        }.with { $0.renamingIdentifier = version == 2 ? first : nil }
                        if version == 3 { Entity(first) { Attribute("name", .string) } }
                    }
                }
                let stack = try environment.stack(try model(1), first)
                let context = stack.context()
                try context.add(first, "x", [first.lowercased(): "value"])
                try context.save()
                var after = try stack.reopened(model: try model(2))
                let plan = try MappingModel.inferred(from: try model(2), to: try model(3)).plan
                try expectEqual(plan.steps.map(\.action), [.add, .add], "\(plan)")
                after = try after.reopened(model: try model(3))
                try expectEqual(try after.contents(), ["\(second) x: \(second.lowercased())=value"])
            }
        }
        ConformanceCase("Two entities swap their names", in: .migration, requires: .persistence) { environment in
            let store = try Migrated(environment) {
                Entity("A") { Attributes(["name": .string, "number": .integer16]) }
                Entity("B") { Attribute("name", .string) }
            }
            try store.context.add("A", "was a").setValue(1, forKey: "number")
            try store.context.add("B", "was b")
            let after = try store.opened {
                Entity("A") { Attribute("name", .string) }.with { $0.renamingIdentifier = "B" }
                Entity("B") {
                    Attributes(["name": .string, "number": .integer16])
                }.with { $0.renamingIdentifier = "A" }
            }
            try expectEqual(try after.contents(), ["A was b", "B was a: number=1"])
        }
        ConformanceCase(
            "An entity that comes before the others in the model changes nothing of theirs", in: .migration, requires: .persistence
        ) {
            environment in
            let zoo = try Models.zoo.get()
            let stack = try environment.stack(zoo)
            let context = stack.context()
            try context.addKeeper()
            try context.save()
            let before = try stack.contents()
            let after = try stack.reopened(
                model: try ManagedObjectModel(entities: zoo.declaredEntities + [Entity("Aardvark", parent: "Animal"), Entity("AAA")]))
            try expectEqual(try after.contents(), before)
            try expectEqual(try after.problems(), [])
            let editor = after.context()
            try editor.one("Keeper", "k").setValue(try editor.add("Aardvark", "new"), forKey: "favourite")
            try editor.save()
            try expectEqual(try after.reopened().context().one("Keeper", "k").one("favourite")?.entity.name, "Aardvark")
        }
    }

    @ConformanceCaseList private static var hierarchies: [ConformanceCase] {
        ConformanceCase("Entities move under a common parent, with their names and owners", in: .migration, requires: .persistence) {
            environment in
            let stack = try environment.stack(try flat.get())
            let context = stack.context()
            try animals(context)
            try context.save()
            // The cats' owner had another name, of which the model says nothing.
            let after = try stack.reopened(model: try animalHierarchy.get())
            try expectEqual(
                try after.contents(),
                [
                    "Cat c: enemy=e lives=9", "Dog d: friends=[e] legs=3 owner=p", "Dog e: friends=[d] legs=3 owner=p",
                    "Person p: animals=[d e]",
                ])
            try expectEqual(try after.problems(), [])
            let editor = after.context()
            for index in 0..<3 { try editor.add(index == 1 ? "Dog" : "Cat", "new \(index)") }
            try editor.save()
            try expectEqual(
                try inOrder(after.reopened().context().all("Animal", sort: [QuerySort("name")])),
                ["c", "d", "e", "new 0", "new 1", "new 2"])
        }
        ConformanceCase("Entities leave their parent, and take along what it had", in: .migration, requires: .persistence) { environment in
            let stack = try environment.stack(try animalHierarchy.get())
            let context = stack.context()
            let owner = try context.add("Person", "p")
            let dogs = try ["d", "e"].map { try context.add("Dog", $0) }
            let cats = try ["b", "c"].map { try context.add("Cat", $0) }
            try owner.setValue(Set(dogs + cats), forKey: "animals")
            try dogs[0].setValue(Set([dogs[1]]), forKey: "friends")
            try cats[0].setValue(dogs[1], forKey: "enemy")
            try cats[1].setValue(cats[0], forKey: "enemy")
            try context.save()
            let after = try stack.reopened(
                model: try ManagedObjectModel {
                    Entity("Person", attributes: ["name": .string], relationships: ["dogs": .toMany("Dog.owner")])
                    Entity("Dog") {
                        Attribute("name", .string)
                        Relationships(["owner": .toOne("Person.dogs"), "friends": .toMany("Dog.friends")])
                    }
                    Entity("Cat", attributes: ["name": .string], relationships: ["enemy": .toOne("Dog")])
                })
            try expectEqual(
                try after.contents(),
                ["Cat b: enemy=e", "Cat c", "Dog d: friends=[e] owner=p", "Dog e: friends=[d] owner=p", "Person p: dogs=[d e]"])
            try expectEqual(try after.problems(), [])
        }
        ConformanceCase("Attributes move up and down the hierarchy", in: .migration, requires: .persistence) { environment in
            func model(_ isUp: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Base") {
                        Attribute("name", .string)
                        if isUp { Attribute("size", .integer32) }
                        if !isUp { Attribute("note", .string) }
                    }
                    Entity("Left", parent: "Base") {
                        if !isUp { Attribute("size", .integer32) }
                        if isUp { Attribute("note", .string) }
                    }
                    Entity("Right", parent: "Base") {
                        if !isUp { Attribute("size", .integer32) }
                        if isUp { Attribute("note", .string) }
                    }
                }
            }
            let stack = try environment.stack(try model(false))
            let context = stack.context()
            for (index, entity) in ["Left", "Right", "Base", "Left"].enumerated() {
                let object = try context.add(entity, "\(index)")
                try object.setValue("n\(index)", forKey: "note")
                if entity != "Base" { try object.setValue(index, forKey: "size") }
            }
            try context.save()
            let up = try stack.reopened(model: try model(true))
            let expected = ["Base 2", "Left 0: note=n0 size=0", "Left 3: note=n3 size=3", "Right 1: note=n1 size=1"]
            try expectEqual(try up.contents(), expected)
            let down = try up.reopened(model: try model(false))
            try expectEqual(try down.contents(), expected)
        }
        ConformanceCase("An entity with objects does not become abstract", in: .migration, requires: .persistence) { environment in
            func model(_ isAbstract: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Base", isAbstract: isAbstract) { Attribute("name", .string) }
                    Entity("Part", parent: "Base")
                }
            }
            let stack = try environment.stack(try model(false))
            let context = stack.context()
            try context.add("Base", "b")
            try context.add("Part", "p")
            try context.save()
            let error = try expectStoreError(.migration) { try stack.reopened(model: try model(true)) }
            try expectEqual(error.entity, "Base")
            let again = try environment.stack(try model(false))
            let editor = again.context()
            editor.delete(try editor.one("Base", "b"))
            try editor.save()
            try expectEqual(try again.reopened(model: try model(true)).contents(), ["Part p"])
        }
    }
}
