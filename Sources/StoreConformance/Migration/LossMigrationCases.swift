import Strata

/// What is lost by another version of the model: the plan tells it, or the migration is refused.
enum LossMigrationCases {
    static let all: [ConformanceCase] = [
        ConformanceCase(
            "An entity that leaves the store's configuration is refused as long as it has objects", in: .migration, requires: .persistence
        ) { environment in
            // A store dropped the table, and all objects with it.
            func model(_ isNew: Bool, _ change: Bool = false) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Person") {
                        Attribute("name", .string)
                        if change { Attribute("more", .string) }
                    }
                    Entity("Pet") { Attribute("name", .string) }
                    Entity("Dog", parent: "Pet") { Attribute("breed", .string) }
                    EntityConfiguration("a", entities: isNew ? ["Person"] : ["Person", "Pet", "Dog"])
                    EntityConfiguration("b", "Pet", "Dog")
                }
            }
            let description = environment.description(configuration: "a")
            let stack = try environment.stack(try model(false), stores: [description])
            let context = stack.context()
            try context.add("Person", "p")
            let dog = try context.add("Dog", "d")
            try context.save()
            let number = try unwrap(dog.objectID.uriRepresentation.split(separator: "/").last)
            for change in [false, true] {
                let error = try expectStoreError(.migration) { try stack.reopened(model: try model(true, change)) }
                try expectEqual(error.message, "the store's configuration has no such entity, and there is an object of it (\(number))")
                try expectEqual([error.entity, error.path], ["Dog", description.path])
                let again = try environment.stack(try model(false), stores: [description])
                try expectEqual(try again.contents(), ["Person p", "Dog d"])
                try again.close()
            }
            let again = try environment.stack(try model(false), stores: [description])
            let editor = again.context()
            editor.delete(try editor.one("Dog", "d"))
            try editor.save()
            let after = try again.reopened(model: try model(true, true))
            try expectEqual(try after.contents(), ["Person p"])
            try expectEqual(try after.store().metadata().versionHashes.keys.sorted(), ["Person"])
            try expectEqual(try after.problems(), [])
        },
    ]
}
