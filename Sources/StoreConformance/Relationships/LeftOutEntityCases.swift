import Strata
import StrataModel
import StrataTestModels

/// Objects of entities that a store's configuration leaves out, and to which objects of the store are related.
enum LeftOutEntityCases {
    static let all: [ConformanceCase] = [
        ConformanceCase(
            "Objects are related to those of entities that left the configuration, in Core Data's formats", in: .relationships,
            requires: .persistence
        ) { environment in
            // The references and links were reported as damage, and led to nothing.
            guard let stack = try filled(environment, rule: .nullify) else { return }
            let after = try stack.reopened(model: try model(["Owner"], .nullify))
            let owner = try after.context().one("Owner", "o")
            try expectEqual((owner.value(forKey: "partner") as? ManagedObject)?.value(forKey: "name") as? String, "partner")
            try expectEqual(try names(owner.value(forKey: "parts") as? Set<ManagedObject> ?? []), ["part"])
            try expectEqual(try names(owner.value(forKey: "tags") as? Set<ManagedObject> ?? []), ["tag"])
            try expectEqual(try after.problems(), [])
        },
        ConformanceCase(
            "Deleting an object applies its rules to objects of entities that left the configuration, in Core Data's formats",
            in: .relationships, requires: .persistence
        ) { environment in
            // References and links to the deleted row stayed, and rules were skipped.
            for rule in [DeleteRule.nullify, .cascade] {
                guard let stack = try filled(environment, rule: rule) else { return }
                let after = try stack.reopened(model: try model(["Owner"], rule))
                let context = after.context()
                context.delete(try context.one("Owner", "o"))
                try context.save()
                try expectEqual(try after.problems(), [])
                let again = try after.reopened(model: try model(allNames, rule))
                try expectEqual(try again.contents().sorted(), (rule == .cascade ? [] : ["Part part"]) + ["Partner partner", "Tag tag"])
                try expectEqual(try again.problems(), [])
            }
        },
        ConformanceCase(
            "A batch deletion removes references and links to objects of entities that left the configuration, in Core Data's formats",
            in: .relationships, requires: .persistence
        ) { environment in
            guard let stack = try filled(environment, rule: .nullify) else { return }
            let after = try stack.reopened(model: try model(["Owner"], .nullify))
            try after.context().execute(BatchDeleteRequest(entityName: "Owner"))
            let again = try after.reopened(model: try model(allNames, .nullify))
            try expectEqual(try again.contents().sorted(), ["Part part", "Partner partner", "Tag tag"])
            try expectEqual(try again.problems(), [])
        },
        ConformanceCase(
            "A conversion copies objects of entities that left the configuration, in Core Data's formats", in: .relationships,
            requires: .persistence
        ) { environment in
            // They were dropped, and references to them stayed.
            guard let stack = try filled(environment, rule: .nullify) else { return }
            let contents = try stack.contents()
            let after = try stack.reopened(model: try model(["Owner"], .nullify))
            let target = environment.description("target", configuration: "some")
            _ = try after.coordinator.migrateStore(after.store(), to: target)
            try expectEqual(try after.problems(), [])
            try after.close()
            let again = try environment.stack(try model(allNames, .nullify), stores: [target])
            try expectEqual(try again.contents(), contents)
            try expectEqual(try again.problems(), [])
        },
        ConformanceCase(
            "An object of an entity that left the configuration denies a deletion, in Core Data's formats", in: .relationships,
            requires: .persistence
        ) { environment in
            guard let stack = try filled(environment, rule: .deny) else { return }
            let after = try stack.reopened(model: try model(["Owner"], .deny))
            let context = after.context()
            context.delete(try context.one("Owner", "o"))
            try expectThrows(ValidationError.self) { try context.save() }
        },
        ConformanceCase(
            "References are read after an entity was added to another configuration", in: .relationships, requires: .persistence
        ) { environment in
            // The numbers of entities in SQLite stores were taken for those of the new model.
            func model(_ added: [String]) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    for name in added { Entity(name) { Attribute("name", .string) } }
                    Entity("Cat") {
                        Attribute("name", .string)
                        Relationship("owner", to: "Person", inverse: "cats")
                        Relationship("friends", to: "Person", inverse: "friends", .toMany)
                    }
                    Entity("Person") {
                        Attribute("name", .string)
                        Relationship("cats", to: "Cat", inverse: "owner", .toMany)
                        Relationship("friends", to: "Cat", inverse: "friends", .toMany)
                    }
                    Entity("Rich", parent: "Person") { Attribute("sum", .integer64) }
                    EntityConfiguration("some", "Cat", "Person", "Rich")
                    EntityConfiguration("other", entities: added)
                }
            }
            for added in [["Dog"], ["Ape", "Bee", "Dog"], ["Dog", "Pig"], ["Q", "Z"]] {
                let description = environment.description("store \(added[0]) \(added.count)", configuration: "some")
                let stack = try environment.stack(try model([]), stores: [description])
                let context = stack.context()
                for (index, name) in ["Person", "Rich"].enumerated() {
                    let cat = try context.add("Cat", "cat \(index)")
                    let person = try context.add(name, name)
                    try cat.setValue(person, forKey: "owner")
                    try cat.setValue(Set([person]), forKey: "friends")
                }
                try context.save()
                let after = try stack.reopened(model: try model(added))
                let editor = after.context()
                for (index, name) in ["Person", "Rich"].enumerated() {
                    let cat = try editor.one("Cat", "cat \(index)")
                    let owner = try unwrap(cat.value(forKey: "owner") as? ManagedObject)
                    try expectEqual([owner.entity.name, try owner.value(forKey: "name") as? String], [name, name])
                    try expectEqual(try names(cat.value(forKey: "friends") as? Set<ManagedObject> ?? []), [name])
                    try cat.setValue(try editor.add("Rich", "new \(index)"), forKey: "owner")
                }
                try expectEqual(try after.problems(), [])
                try editor.save()
                let again = try after.reopened(model: try model([]))
                let owners = try ["cat 0", "cat 1"].map { try again.context().one("Cat", $0).value(forKey: "owner") as? ManagedObject }
                try expectEqual(owners.map(\.?.entity.name), ["Rich", "Rich"])
                try expectEqual(try again.problems(), [])
            }
        },
    ]

    private static let allNames = ["Owner", "Partner", "Part", "Tag"]

    private static func model(_ names: [String], _ rule: DeleteRule) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Owner") {
                Attribute("name", .string)
                Relationship("partner", to: "Partner", inverse: "owners")
                Relationship("parts", to: "Part", inverse: "owner", .toMany, deleteRule: rule)
                Relationship("tags", to: "Tag", inverse: "owners", .toMany)
            }
            Entity("Partner") {
                Attribute("name", .string)
                Relationship("owners", to: "Owner", inverse: "partner", .toMany)
            }
            Entity("Part") {
                Attribute("name", .string)
                Relationship("owner", to: "Owner", inverse: "parts")
            }
            Entity("Tag") {
                Attribute("name", .string)
                Relationship("owners", to: "Owner", inverse: "tags", .toMany)
            }
            EntityConfiguration("some", entities: names)
        }
    }

    /// Returns a store with an object of each entity; `nil` for formats in which no entity with objects can be left out.
    private static func filled(_ environment: ConformanceEnvironment, rule: DeleteRule) throws -> ConformanceStack? {
        let description = environment.description("store \(rule)", configuration: "some")
        let stack = try environment.stack(try model(allNames, rule), stores: [description])
        guard try stack.store().metadata().holdsWholeModel else { return nil }
        let context = stack.context()
        let owner = try context.add("Owner", "o")
        try owner.setValue(try context.add("Partner", "partner"), forKey: "partner")
        try owner.setValue(Set([try context.add("Part", "part")]), forKey: "parts")
        try owner.setValue(Set([try context.add("Tag", "tag")]), forKey: "tags")
        try context.save()
        return stack
    }
}
