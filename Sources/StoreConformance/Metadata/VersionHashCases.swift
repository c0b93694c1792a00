import Strata
import StrataStore

/// The version hashes of stores, and of those that earlier versions of Strata hashed in a way of their own.
enum VersionHashCases {
    private static func model(_ type: AttributeType = .string, colors: String = "colors") throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Theme") {
                Attribute("name", type)
                Attribute(colors) { Attribute("primary", .string) }.renamed(from: "colors")
                Attribute("count", .integer64).derived("links.@count")
                Relationship("links", to: "Theme", inverse: "links", .toMany)
            }
            Entity("Other") { Attribute("name", .string) }
            EntityConfiguration("themes", "Theme")
        }
    }

    /// A store with an object, as an earlier version of Strata left it.
    private static func earlier(_ environment: ConformanceEnvironment, configuration: String?) throws -> ConformanceStack {
        let stack = try environment.stack(model()) { $0.configuration = configuration }
        let context = stack.context()
        let theme = try context.insert("Theme")
        try theme.setValue("a", forKey: "name")
        try theme.setValue("red", forKey: "colors.primary")
        try context.save()
        var metadata = try stack.store().metadata()
        // It hashed the entities of the configuration alone, in every store.
        if configuration != nil { metadata.versionHashes["Other"] = nil }
        for name in metadata.versionHashes.keys {
            metadata.versionHashes[name] = stack.container.model.declarationHashesByName[name]
        }
        metadata.userInfo[StoreMetadata.writerKey] = .string("1")
        metadata.userInfo[StoreMetadata.layoutKey] = nil
        let transaction = try stack.store().beginWrite()
        try expect(try transaction.apply(ChangeSet(metadata: metadata)).isEmpty, "metadata conflict")
        try transaction.prepare()
        try transaction.commit()
        return stack
    }

    private static func names(_ stack: ConformanceStack) throws -> [String] {
        try stack.context().fetch(ObjectFetchRequest<ManagedObject>(entityName: "Theme"))
            .map { try $0.value(forKey: "name") as? String ?? "-" }.sorted()
    }

    private static func rehashing(_ configuration: String?, _ name: String) -> ConformanceCase {
        ConformanceCase(name, in: .metadata, requires: .persistence) { environment in
            var stack = try earlier(environment, configuration: configuration).reopened()
            let (model, before) = (stack.container.model, try stack.store().metadata())
            try expectEqual(try names(stack), ["a"])
            try expect(before.hasEarlierHashes, "opening changed the hashes")
            let context = stack.context()
            try context.insert("Theme").setValue("b", forKey: "name")
            try context.save()
            var expected = model.entityVersionHashesByName
            if configuration != nil { expected["Other"] = nil }
            let after = try stack.store().metadata()
            try expectEqual(after.versionHashes, expected)
            try expect(!after.hasEarlierHashes && after.storeID == before.storeID, "the store is another one")
            stack = try stack.reopened()
            try expectEqual(try stack.store().metadata(), after)
            try expectEqual(try names(stack), ["a", "b"])
        }
    }

    // Saves alone wrote the hashes.
    private static func batch(
        _ kind: String, _ found: [String], _ execute: @escaping @Sendable (ManagedObjectContext) throws -> BatchResult
    ) -> ConformanceCase {
        ConformanceCase(
            "A store that an earlier version hashed gets Core Data's hashes with a batch \(kind)", in: .metadata, requires: .persistence
        ) { environment in
            let stack = try earlier(environment, configuration: nil).reopened()
            _ = try execute(stack.context())
            try expectEqual(try stack.store().metadata().versionHashes, stack.container.model.entityVersionHashesByName)
            try expectEqual(try names(stack), found)
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        rehashing(nil, "A store that an earlier version hashed opens, and gets Core Data's hashes with the next save")
        rehashing("themes", "A store of a configuration that an earlier version hashed gets the hashes of its entities")
        batch("insertion", ["a", "b", "c"]) {
            try $0.execute(BatchInsertRequest(entityName: "Theme", objects: [["name": "b"], ["name": "c"]]))
        }
        batch("update", ["d"]) { try $0.execute(BatchUpdateRequest(entityName: "Theme", key("name") == "a", set: ["name": "d"])) }
        batch("deletion", []) { try $0.execute(BatchDeleteRequest(entityName: "Theme", key("name") == "a")) }
        ConformanceCase(
            "A store that an earlier version hashed is migrated, with the values of composite attributes", in: .metadata,
            requires: .persistence
        ) { environment in
            let next = try ManagedObjectModel {
                Entity("Theme") {
                    Attribute("name", .string)
                    Attribute("colors") {
                        Attribute("primary", .string)
                        Attribute("secondary", .string)
                    }
                    Attribute("size", .integer16, default: 3)
                }
                Entity("Other") { Attribute("name", .string) }
            }
            let stack = try earlier(environment, configuration: nil).reopened(model: next)
            try expectEqual(try names(stack), ["a"])
            try expectEqual(try stack.contents(), ["Theme a: colors.primary=red size=3"])
            try expectEqual(try stack.store().metadata().versionHashes, next.entityVersionHashesByName)
        }
        ConformanceCase(
            "A store that an earlier version hashed is refused with another version's model", in: .metadata, requires: .persistence
        ) { environment in
            let stack = try earlier(environment, configuration: nil)
            try stack.close()
            for other in [try model(.date), try model(colors: "colours")] {
                let error = try expectStoreError(.incompatibleModel) {
                    try environment.stack(other) { $0.shouldMigrateStoreAutomatically = false }
                }
                try expectEqual(error.entity, "Theme")
            }
        }
        ConformanceCase("A renamed composite attribute, which is in no version hash, is migrated", in: .metadata, requires: .persistence) {
            environment in
            let stack = try environment.stack(model())
            let context = stack.context()
            try context.insert("Theme").setValue("red", forKey: "colors.primary")
            try context.save()
            let renamed = try model(colors: "colours")
            try expectEqual(renamed.entityVersionHashesByName, stack.container.model.entityVersionHashesByName)
            let again = try stack.reopened(model: renamed)
            let themes = try again.context().fetch(ObjectFetchRequest<ManagedObject>(entityName: "Theme"))
            try expectEqual(try themes.map { try $0.value(forKey: "colours.primary") as? String }, ["red"])
        }
    }
}
