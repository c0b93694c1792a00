import FoundationEssentials
import Strata

/// What a migration asks for, what it leaves alone, and what is there after one that fails.
enum MigrationCases {
    private static func model(_ attributes: Attribute..., unique: Unique? = nil) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                Entity("Thing") {
                    Attribute("name", .string)
                    attributes
                    if let unique { unique }
                }
            ])
    }

    private static func fill(_ stack: ConformanceStack, _ names: String...) throws {
        let context = stack.context()
        for name in names { try context.add("Thing", name) }
        try context.save()
    }

    static var all: [ConformanceCase] { asking + failing }

    @ConformanceCaseList private static var asking: [ConformanceCase] {
        ConformanceCase("What needs no migration does not ask for one", in: .migration, requires: .persistence) { environment in
            let first = try ManagedObjectModel {
                Entity("Thing") {
                    Attribute("name", .string)
                    FetchIndex("byName", on: "name")
                }
                EntityConfiguration("things", "Thing")
            }
            let second = try ManagedObjectModel(versionIdentifiers: ["2"]) {
                Entity("Another") { Attribute("name", .string) }
                Entity("Thing") {
                    Attribute("name", .string, default: "new", validation: [.length(0...10)]).userInfo(["note": "x"])
                    Attribute("shown", .undefined).transient
                    Relationship("seen", to: "Thing").with { $0.isTransient = true }
                    FetchIndex("byOther", on: "name")
                }
                EntityConfiguration("things", "Thing")
                EntityConfiguration("others", "Another")
            }
            let stack = try environment.stack(first) {
                $0.configuration = "things"
                $0.shouldMigrateStoreAutomatically = false
            }
            try fill(stack, "a")
            try stack.expectThingsKept(under: second, andAgainUnder: first)
        }
        ConformanceCase("A store is not migrated unasked, nor for reading only", in: .migration, requires: .persistence) { environment in
            let stack = try environment.stack(try model())
            try fill(stack, "a")
            let id = try stack.store().id
            try stack.close()
            let second = try model(Attribute("size", .integer16, default: 4))
            let description = environment.description()
            let plan = try unwrap(try PersistentStoreCoordinator.migrationPlan(for: description, to: second))
            try expectEqual(plan.description, "add Thing.size with the default 4")
            try expect(!plan.losesData, "\(plan)")
            let changes: [@Sendable (inout StoreDescription) -> Void] = [
                { $0.shouldMigrateStoreAutomatically = false }, { $0.isReadOnly = true },
            ]
            for change in changes {
                let error = try expectStoreError(.incompatibleModel) { try environment.stack(second, change: change) }
                try expect(error.message.contains("add Thing.size"), error.message)
                try expectEqual(error.cocoaCode, 134100)
                try expectEqual(error.metadata?.storeID, id)
            }
            try PersistentStoreCoordinator.migrateStore(description, to: second)
            try expect(try PersistentStoreCoordinator.migrationPlan(for: description, to: second) == nil, "there is a plan still")
            try expectEqual(try environment.stack(second) { $0.shouldMigrateStoreAutomatically = false }.contents(), ["Thing a: size=4"])
        }
        ConformanceCase(
            "A migrated store keeps its ID, its objects' IDs and what an application keeps with it", in: .migration, requires: .persistence
        ) {
            environment in
            let stack = try environment.stack(try model())
            let context = stack.context()
            let things = try ["a", "b", "c"].map { try context.add("Thing", $0) }
            try context.save()
            context.delete(things[2])
            try context.save()
            try stack.coordinator.setUserInfo(["mine": .string("x")], of: stack.store())
            let (id, uris) = (try stack.store().id, things.map(\.objectID.uriRepresentation))
            let after = try stack.reopened(model: try model(Attribute("size", .integer16)))
            try expectEqual(try after.store().id, id)
            let metadata = try after.store().metadata()
            try expectEqual(metadata.userInfo["mine"], .string("x"))
            try expectEqual(metadata.versionHashes, after.container.model.entityVersionHashesByName)
            try expectEqual(try metadata.model()?.entityVersionHashesByName, after.container.model.entityVersionHashesByName)
            let reader = after.context()
            for (name, uri) in zip(["a", "b"], uris) {
                let found = try unwrap(after.coordinator.objectID(forURI: uri))
                try expectEqual(try reader.existingObject(with: found).text("name"), name)
            }
            // Nor is the number of a deleted object given to a new one.
            let new = try reader.add("Thing", "d")
            try reader.save()
            try expect(!uris.contains(new.objectID.uriRepresentation), "the number of a deleted object was given out again")
        }
        ConformanceCase("A store of a configuration is migrated as one", in: .migration, requires: .persistence) { environment in
            func model(_ isNew: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Author") {
                        Attribute("name", .string)
                        if isNew { Attribute("age", .integer16, default: 1) }
                    }
                    Entity("Note") {
                        Attribute("name", .string)
                        if isNew { Attribute("text", .string, default: "t") }
                    }
                    if isNew { Entity("Added") { Attribute("name", .string) } }
                    EntityConfiguration("authors", "Author")
                    EntityConfiguration("notes", entities: isNew ? ["Added", "Note"] : ["Note"])
                }
            }
            let stores = ["authors", "notes"].map { environment.description($0, configuration: $0) }
            let stack = try environment.stack(try model(false), stores: stores)
            let context = stack.context()
            try context.add("Author", "a")
            try context.add("Note", "n")
            try context.save()
            let after = try stack.reopened(model: try model(true))
            try expectEqual(try after.contents(), ["Author a: age=1", "Note n: text=t"])
            let editor = after.context()
            let added = try editor.add("Added", "x")
            try editor.save()
            try expectEqual(added.objectID.storeID, try after.store(1).id)
            let metadata = try after.store(0).metadata()
            try expectEqual(metadata.versionHashes.keys.sorted(), metadata.holdsWholeModel ? ["Added", "Author", "Note"] : ["Author"])
        }
        ConformanceCase("Others that have the store open learn that it was migrated", in: .migration, requires: .severalCoordinators) {
            environment in
            let stack = try environment.stack(try model())
            try fill(stack, "a")
            let context = stack.context()
            try context.add("Thing", "late")
            let second = try environment.stack(try model(Attribute("size", .integer16, default: 2)))
            // What is written in the old shape would be lost, or damage the new one.
            try expectStoreError(.incompatibleModel, .conflict, .closed) { try context.save() }
            try expectEqual(try second.contents(), ["Thing a: size=2"])
        }
    }

    @ConformanceCaseList private static var failing: [ConformanceCase] {
        ConformanceCase("A value that is missing is refused by name, and nothing changes", in: .migration, requires: .persistence) {
            environment in
            let first = try model(Attribute("size", .integer16))
            let stack = try environment.stack(first)
            let context = stack.context()
            try context.add("Thing", "a").setValue(1, forKey: "size")
            try context.add("Thing", "b")
            try context.save()
            for second in [try model(Attribute("size", .integer16).required), try model(Attribute("other", .string).required)] {
                let error = try expectStoreError(.migration) { try stack.reopened(model: second) }
                try expectEqual(error.entity, "Thing")
                try expect(error.key == "size" || error.key == "other", "\(error)")
                try expectEqual(error.cocoaCode, 134110)
                try expectEqual(error.path, environment.description().path)
            }
            let again = try environment.stack(first) { $0.shouldMigrateStoreAutomatically = false }
            try expectEqual(try again.contents(), ["Thing a: size=1", "Thing b"])
            let editor = again.context()
            try editor.one("Thing", "b").setValue(2, forKey: "size")
            try editor.save()
            try again.close()
            let after = try environment.stack(try model(Attribute("size", .integer16).required))
            try expectEqual(try after.contents(), ["Thing a: size=1", "Thing b: size=2"])
        }
        ConformanceCase("Values that are no longer unique are refused by name, and nothing changes", in: .migration, requires: .persistence)
        {
            environment in
            let first = try model()
            let stack = try environment.stack(first)
            try fill(stack, "a", "b", "b", "c")
            let unique = try model(unique: Unique("name"))
            let error = try expectStoreError(.constraint) { try stack.reopened(model: unique) }
            try expectEqual([error.entity, error.key], ["Thing", "name"])
            try expectEqual(error.conflicts.count, 1)
            let again = try environment.stack(first) { $0.shouldMigrateStoreAutomatically = false }
            let editor = again.context()
            editor.delete(try editor.all("Thing", key("name") == "b")[0])
            try editor.save()
            try again.close()
            let after = try environment.stack(unique)
            try expectEqual(try after.contents(), ["Thing a", "Thing b", "Thing c"])
            let last = after.context()
            try last.add("Thing", "b")
            try expectConflict(last, code: 133021)
        }
        ConformanceCase("A store is migrated through many objects", in: .migration, requires: .persistence) { environment in
            let stack = try environment.stack(try Models.shapes.get())
            let context = stack.context()
            for index in 0..<5000 {
                let leaf = try context.add("Leaf", "l\(index)")
                if index.isMultiple(of: 50) {
                    let node = try context.add("Node", "n\(index)")
                    try node.setValue(Set([leaf]), forKey: "tags")
                    try node.setValue(leaf, forKey: "bookmark")
                    try node.setValue([leaf], forKey: "shelf")
                }
            }
            try context.save()
            let before = try stack.contents()
            let entities = stack.container.model.declaredEntities.map { entity in
                entity.with { $0.attributes.append(Attribute("added", .string)) }
            }
            let after = try stack.reopened(model: try ManagedObjectModel(entities: entities))
            try expectEqual(try after.contents(), before)
            try expectEqual(try after.problems(), [])
        }
    }
}

extension ManagedObjectModel {
    /// The entities as they were declared, or as good as.
    var declaredEntities: [Entity] {
        entities.map { entity in
            Entity(entity.name, parent: entity.superentity.map { entities[$0].name }, isAbstract: entity.isAbstract) {
                entity.attributes.filter { $0.declaringEntity == entity.index }.map(\.declaration)
                entity.relationships.filter { $0.declaringEntity == entity.index }.map(\.declaration)
                entity.uniquenessConstraints.filter { $0.declaringEntity == entity.index }.map { unique in
                    var copy = Unique(unique.names[0])
                    copy.attributes = unique.names
                    return copy
                }
            }
        }
    }
}

extension ConformanceStack {
    /// Expects that a store of the thing `a` opens under a model of the same entities, where the thing `new` is saved, and
    /// under the first model again.
    func expectThingsKept(under second: ManagedObjectModel, andAgainUnder first: ManagedObjectModel) throws {
        let again = try reopened(model: second)
        try expectEqual(try again.context().all("Thing", key("name") == "a").count, 1)
        let editor = again.context()
        try editor.insert("Thing")
        try editor.save()
        let back = try again.reopened(model: first)
        try expectEqual(try names(back.context().all("Thing", sort: [QuerySort("name")])), ["a", "new"])
    }
}
