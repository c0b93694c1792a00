import FoundationEssentials
import Strata
import StrataStore

/// What a store says about itself.
enum MetadataCases {
    private static func check(_ stack: ConformanceStack, _ info: [String: PropertyListValue]) throws {
        let found = try stack.store().metadata().userInfo
        for (key, value) in info { try expectEqual(found[key], value, key) }
        let own = [StoreMetadata.writerKey, StoreMetadata.modelKey, StoreMetadata.layoutKey]
        let others = Set(found.keys).subtracting(info.keys).subtracting(own)
        try expectEqual(others, [])
    }

    /// Arrays and dictionaries in each other.
    private static func nested(_ depth: Int) -> PropertyListValue {
        (0..<depth).reduce(.int(7)) { value, level in level.isMultiple(of: 2) ? .array([value]) : .dictionary(["k": value]) }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A new store has its driver's type, a UUID and the model's hashes", in: .metadata) { environment in
            let stack = try environment.stack(Models.company)
            let metadata = try stack.coordinator.metadata(of: stack.store())
            try expectEqual(metadata.type, environment.description().driver.type)
            try expectEqual(metadata.type, try stack.store().type)
            try expectEqual(metadata.storeID, try stack.store().id)
            try expect(
                UUID(uuidString: metadata.storeID.rawValue)?.uuidString == metadata.storeID.rawValue,
                "\(metadata.storeID) is no upper-case UUID")
            try expectEqual(metadata.versionHashes, stack.container.model.entityVersionHashesByName)
            try expectEqual(metadata.versionIdentifiers, ["1"])
        }
        ConformanceCase("Two stores have two UUIDs", in: .metadata) { environment in
            let (a, b) = (try environment.stack(Models.company, "a"), try environment.stack(Models.company, "b"))
            try expect(try a.store().id != b.store().id, "two stores have one UUID")
        }
        ConformanceCase("A store keeps its UUID and its model's identifiers", in: .metadata, requires: .persistence) { environment in
            let stack = try environment.stack(Models.company)
            let before = try stack.store().metadata()
            let again = try stack.reopened()
            try expectEqual(try again.store().metadata(), before)
            _ = Person("p", again.context())
            try expectEqual(try again.reopened().store().metadata(), before)
        }
        ConformanceCase("A store keeps what an application puts into its metadata", in: .metadata) { environment in
            let stack = try environment.stack(Models.company)
            let info: [String: PropertyListValue] = [
                "text": .string("a < b & 'c' \"d\" ]]> ü 😀"), "empty": .string(""), "yes": .bool(true), "no": .bool(false),
                "int": .int(.max),
                "least": .int(.min), "double": .double(0.1), "whole": .double(1), "one": .int(1), "zero": .double(-0.0),
                "data": .data(Data(0...255)),
                "date": .date(Date(timeIntervalSinceReferenceDate: 86_400)), "array": .array([.int(1), .string("two"), .array([])]),
                "dictionary": .dictionary(["a": .dictionary(["b": .int(1)]), "": .string("empty key")]), "k & <": .int(0),
            ]
            try stack.coordinator.setUserInfo(info, of: stack.store())
            try check(stack, info)
            try check(stack.reopened(), info)
        }
        // One store refused to open what all of them had been glad to save.
        ConformanceCase("User info nests 64 deep in every store, and no deeper in any", in: .metadata) { environment in
            let stack = try environment.stack(Models.company)
            let info: [String: PropertyListValue] = ["deep": nested(StoreMetadata.greatestNesting), "wide": .array([.array([]), .int(1)])]
            try stack.coordinator.setUserInfo(info, of: stack.store())
            try check(stack, info)
            let error = try expectStoreError(.tooLarge) {
                try stack.coordinator.setUserInfo(["deep": nested(StoreMetadata.greatestNesting + 1)], of: stack.store())
            }
            try expectEqual(error.key, "deep")
            try expectEqual(error.operation, .setUserInfo)
            try check(stack, info)
            try check(stack.reopened(), info)
        }
        ConformanceCase("A driver too sets user info 64 deep in a store that is closed, and no deeper", in: .metadata, requires: .file) {
            environment in
            let stack = try environment.stack(Models.company)
            try stack.close()
            let (driver, path) = (environment.description().driver, try unwrap(environment.description().path))
            var metadata = try driver.metadata(at: path)
            metadata.userInfo["deep"] = nested(StoreMetadata.greatestNesting)
            try driver.setMetadata(metadata, at: path)
            try expectEqual(try driver.metadata(at: path).userInfo["deep"], nested(StoreMetadata.greatestNesting))
            metadata.userInfo["deep"] = nested(StoreMetadata.greatestNesting + 1)
            let error = try expectStoreError(.tooLarge) { try driver.setMetadata(metadata, at: path) }
            try expectEqual(error.key, "deep")
            try check(stack.reopened(), ["deep": nested(StoreMetadata.greatestNesting)])
        }
        ConformanceCase("User info that nests more deeply, as an older store may have it, stays with every save", in: .metadata) {
            environment in
            let stack = try environment.stack(Models.company)
            var changes = ChangeSet()
            var metadata = try stack.store().metadata()
            metadata.userInfo["deep"] = nested(100)
            changes.metadata = metadata
            let transaction = try stack.store().beginWrite()
            try expect(try transaction.apply(changes).isEmpty, "metadata conflict")
            try transaction.prepare()
            try transaction.commit()
            let again = try stack.reopened()
            let context = again.context()
            _ = Person("p", context)
            try context.save()
            try check(again.reopened(), ["deep": nested(100)])
        }
        ConformanceCase("User info under a key of Core Data's own is refused by every store", in: .metadata) { environment in
            let stack = try environment.stack(Models.company)
            try stack.coordinator.setUserInfo(["note": .int(1)], of: stack.store())
            for key in StoreMetadata.coreDataKeys {
                let error = try expectStoreError(.unsupported) {
                    try stack.coordinator.setUserInfo(["note": .int(2), key: .string("x")], of: stack.store())
                }
                try expectEqual(error.key, key)
                try expectEqual(error.operation, .setUserInfo)
            }
            try check(stack, ["note": .int(1)])
            // What is read can be given back.
            var info = try stack.store().metadata().userInfo
            info["note"] = .int(3)
            try stack.coordinator.setUserInfo(info, of: stack.store())
            try check(stack.reopened(), ["note": .int(3)])
        }
        ConformanceCase("A driver refuses the keys of Core Data's own too", in: .metadata, requires: .file) { environment in
            let stack = try environment.stack(Models.company)
            try stack.close()
            let (driver, path) = (environment.description().driver, try unwrap(environment.description().path))
            let before = try driver.metadata(at: path)
            for key in StoreMetadata.coreDataKeys {
                var metadata = before
                metadata.userInfo[key] = .string("x")
                try expectEqual(try expectStoreError(.unsupported) { try driver.setMetadata(metadata, at: path) }.key, key)
            }
            try expectEqual(try driver.metadata(at: path), before)
        }
        ConformanceCase("Metadata can be replaced, and objects are not touched by it", in: .metadata) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            try stack.coordinator.setUserInfo(["a": .int(1), "b": .int(2)], of: stack.store())
            try stack.coordinator.setUserInfo(["b": .int(3)], of: stack.store())
            let again = try stack.reopened()
            let found = try again.store().metadata().userInfo
            try expect(found["a"] == nil && found["b"] == .int(3), "\(found)")
            try expectEqual(try again.context().names(of: Person.self), ["p"])
        }
        ConformanceCase("Saving objects leaves the metadata as it is", in: .metadata) { environment in
            let stack = try environment.stack(Models.company)
            try stack.coordinator.setUserInfo(["a": .string("kept")], of: stack.store())
            let before = try stack.store().metadata()
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            try expectEqual(try stack.store().metadata(), before)
            try expectEqual(try stack.reopened().store().metadata(), before)
        }
        ConformanceCase("The metadata of a closed store can be read and changed", in: .metadata, requires: [.persistence, .file]) {
            environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            let inside = try stack.store().metadata()
            try stack.close()
            let description = environment.description()
            let path = try unwrap(description.path)
            var metadata = try description.driver.metadata(at: path)
            try expectEqual(metadata, inside)
            metadata.userInfo["note"] = .string("outside")
            try description.driver.setMetadata(metadata, at: path)
            try expectEqual(try description.driver.metadata(at: path), metadata)
            let again = try environment.stack(Models.company)
            try expectEqual(try again.store().metadata(), metadata)
            try expectEqual(try again.context().names(of: Person.self), ["p"])
        }
        ConformanceCase(
            "What the framework notes in a store stays, whatever the metadata are changed to", in: .metadata,
            requires: [.persistence, .file]
        ) { environment in
            // A save over several stores that was interrupted fitted no longer, and none of them opened any more.
            let stack = try environment.notes()
            _ = try stack.deal(12)
            let description = stack.descriptions[0]
            let before = try stack.store().metadata()
            try stack.close()
            let path = try unwrap(description.path)
            let marks = [StoreMetadata.writerKey, StoreMetadata.lastTwoPhaseCommitKey, StoreMetadata.modelKey]
            for userInfo in [[:], ["note": .string("outside")], [marks[0]: .int(0), marks[1]: .array([])]] as [[String: PropertyListValue]]
            {
                var metadata = before
                metadata.userInfo = userInfo
                try description.driver.setMetadata(metadata, at: path)
                let found = try description.driver.metadata(at: path)
                for mark in marks { try expectEqual(found.userInfo[mark], before.userInfo[mark]) }
                try expectEqual(found.userInfo["note"], userInfo["note"])
            }
        }
        ConformanceCase("Reading the metadata of nothing is an error with the path", in: .metadata, requires: .file) { environment in
            let description = environment.description("nothing")
            let path = try unwrap(description.path)
            let error = try expectStoreError(.missing) { try description.driver.metadata(at: path) }
            try expect(error.path?.contains("nothing") == true, "\(error)")
        }
        ConformanceCase("A store of a configuration has the hashes of its entities, in Core Data's formats of all", in: .metadata) {
            environment in
            let model = try ManagedObjectModel {
                Entity("A") { Attribute("x", .string) }
                Entity("B") { Attribute("x", .string) }
                EntityConfiguration("onlyA", "A")
            }
            let stack = try environment.stack(model) { $0.configuration = "onlyA" }
            let names = try stack.store().metadata().holdsWholeModel ? ["A", "B"] : ["A"]
            try expectEqual(try stack.store().metadata().versionHashes.keys.sorted(), names)
            try expectEqual(try stack.reopened().store().metadata().versionHashes.keys.sorted(), names)
        }
        ConformanceCase("A store keeps the model that it was made with, and can be opened with that", in: .metadata) { environment in
            for model in [try Models.company.get(), try Models.library.get(), try Models.users.get(), try Models.zoo.get()] {
                let name = "store \(model.entities[0].name)"
                let stack = try environment.stack(model, name)
                let kept = try unwrap(try stack.reopened().store().metadata().model())
                try expectEqual(try kept.encoded(), try model.encoded())
                try expectEqual(kept.entityVersionHashesByName, model.entityVersionHashesByName)
                try expectEqual(kept.configurations, model.configurations)
            }
        }
        ConformanceCase("What was saved is read with the store's own model", in: .metadata, requires: .persistence) { environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            let anna = Person("Anna", context)
            anna.friends = [Person("Ben", context)]
            try context.save()
            try stack.close()
            let coordinator = try PersistentStoreCoordinator(openingWithOwnModel: environment.description())
            let own = ManagedObjectContext(coordinator)
            let found = try own.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person", key("name") == "Anna"))
            try expectEqual(found.count, 1)
            try expectEqual(try names(found[0].value(forKey: "friends") as? Set<ManagedObject> ?? []), ["Ben"])
            try found[0].setValue("Anne", forKey: "name")
            try own.save()
            for store in coordinator.stores { try coordinator.remove(store) }
            try expectEqual(try environment.stack(Models.company).context().names(of: Person.self), ["Anne", "Ben"])
        }
        ConformanceCase("A path at which no store can be is refused", in: .metadata, requires: .file) { environment in
            let server = StoreLocation.server(ServerAddress("postgresql://nowhere/db", credentials: .init(user: "me", password: "secret")))
            var description = environment.description()
            description.location = server
            let error = try expectStoreError(.unsupported) {
                try PersistentStoreCoordinator(model: Models.company.get()).addStore(description)
            }
            try expect(!"\(error)".contains("secret"), "the password is in the error")
            try expectStoreError(.unsupported) { try description.driver.metadata(at: server) }
            try expectStoreError(.unsupported) { try description.driver.destroy(at: server) }
            try expectStoreError(.missing) { try description.driver.metadata(at: .memory) }
        }
        ConformanceCase("A store says what it is", in: .metadata) { environment in
            let stack = try environment.stack(Models.company)
            let store = try stack.store()
            try expectEqual(store.capabilities.isPersistent, environment.harness.isPersistent)
            try expectEqual(store.isReadOnly, false)
            if environment.harness.isFileBased { try expectEqual(store.path, environment.description().path) }
            try expect(stack.coordinator.store(id: store.id) === store, "the coordinator does not know the store by its UUID")
        }
    }
}
