import FoundationEssentials
import Strata

/// Removing, destroying, copying and replacing stores.
enum StoreFileCases {
    private static func make(_ environment: ConformanceEnvironment, _ name: String, people: [String]) throws -> String {
        let stack = try environment.stack(Models.company, name)
        let context = stack.context()
        for person in people { _ = Person(person, context) }
        try context.save()
        try stack.close()
        return try unwrap(environment.description(name).path)
    }

    private static func people(_ environment: ConformanceEnvironment, _ name: String) throws -> [String] {
        let stack = try environment.stack(Models.company, name)
        defer { try? stack.close() }
        return try stack.context().names(of: Person.self)
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Objects of a removed store cannot be read, those of others stay", in: .federation) { environment in
            let stack = try environment.notes()
            _ = try stack.deal(10)
            let context = stack.context()
            let notes = try context.all("Note", sort: [QuerySort("n")])
            _ = try notes.map { try $0.text("name") }
            try stack.coordinator.remove(stack.store(0))
            let left = try stack.context().all("Note")
            try expect(!left.isEmpty && left.count < 10, "\(left.count) notes are left")
            try expect(left.allSatisfy { $0.objectID.storeID != notes[0].objectID.storeID }, "objects of the removed store came")
            try expectEqual(try notes[0].text("name"), "note 0")
            let fault = stack.context().object(with: notes[0].objectID)
            try expectStoreError(.noStore) { try fault.text("name") }
            try notes[0].setValue("changed", forKey: "name")
            try expectStoreError(.noStore) { try context.save() }
        }
        ConformanceCase("A store can be added while contexts are at work", in: .federation) { environment in
            let stack = try environment.stack(try Models.library.get(), stores: [environment.description("first", configuration: "books")])
            let context = stack.context()
            try context.add("Note", "one")
            try context.save()
            let second = try stack.coordinator.addStore(environment.description("second", of: environment.partner, configuration: "people"))
            let note = try context.add("Note", "two")
            try context.assign(note, to: second)
            try context.add("Reader", "r")
            try context.save()
            try expectEqual(try names(context.all("Note")), ["one", "two"])
            try expectEqual(note.objectID.storeID, second.id)
        }
        ConformanceCase("Destroying a store removes all its files", in: .federation, requires: .file) { environment in
            let stack = try environment.stack(Models.items, "doomed") { $0.options.externalStorageThreshold = 100 }
            let context = stack.context()
            Item.insert([Data(count: 10_000), Data(count: 5)], of: Item.blob, into: context)
            try context.save()
            let description = environment.description("doomed")
            let path = try unwrap(description.path)
            try expectStoreError(.locked) { try stack.coordinator.destroyStore(at: path, description.driver) }
            try stack.close()
            try stack.coordinator.destroyStore(at: path, description.driver)
            try expectEqual(try FileManager.default.contentsOfDirectory(atPath: environment.directory), [])
            try stack.coordinator.destroyStore(at: path, description.driver)
            let again = try environment.stack(Models.items, "doomed")
            try expectEqual(try again.context().count(for: ObjectFetchRequest<Item>()), 0)
        }
        ConformanceCase("Destroying a store leaves its neighbours", in: .federation, requires: .file) { environment in
            let doomed = try make(environment, "doomed", people: ["x"])
            _ = try make(environment, "doomed2", people: ["y"])
            _ = try make(environment, "other", people: ["z"])
            try environment.description("doomed").driver.destroy(at: doomed)
            try expectEqual(try people(environment, "doomed2"), ["y"])
            try expectEqual(try people(environment, "other"), ["z"])
        }
        ConformanceCase("Replacing a store leaves a copy of another", in: .federation, requires: .file) { environment in
            let source = try make(environment, "source", people: ["a", "b"])
            let target = try make(environment, "target", people: ["x"])
            let driver = environment.description().driver
            try driver.replace(at: target, withStoreAt: source)
            try expectEqual(try people(environment, "target"), ["a", "b"])
            try expectEqual(try people(environment, "source"), ["a", "b"])
            try expectEqual(try driver.metadata(at: target), try driver.metadata(at: source))
        }
        ConformanceCase("A store can be copied to where none is, with its external values", in: .federation, requires: .file) {
            environment in
            let stack = try environment.stack(Models.items, "source") { $0.options.externalStorageThreshold = 100 }
            let context = stack.context()
            let data = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0) })
            Item.insert([data, Data([1])], of: Item.blob, into: context)
            try context.save()
            try stack.close()
            let driver = environment.description().driver
            let (source, copy) = (try unwrap(environment.description("source").path), try unwrap(environment.description("copy").path))
            try driver.replace(at: copy, withStoreAt: source)
            try driver.destroy(at: source)
            let copied = try environment.stack(Models.items, "copy").context().fetch(
                ObjectFetchRequest<Item>(sort: [Item.number.ascending]))
            try expectEqual(copied.map { $0[Item.blob] }, [data, Data([1])])
        }
        ConformanceCase("Replacing with a store that is not there is an error, and the old one stays", in: .federation, requires: .file) {
            environment in
            let target = try make(environment, "target", people: ["x"])
            let description = environment.description("nothing")
            let source = try unwrap(description.path)
            try expectStoreError(.missing) { try description.driver.replace(at: target, withStoreAt: source) }
            try expectEqual(try people(environment, "target"), ["x"])
        }
        ConformanceCase("A path of /dev/null keeps nothing whatever the store", in: .federation) { environment in
            let stack = try environment.stack(Models.company) { $0.path = "/dev/null" }
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            try expectEqual(try stack.context().names(of: Person.self), ["p"])
            try stack.close()
            let again = try environment.stack(Models.company) { $0.path = "/dev/null" }
            try expectEqual(try again.context().names(of: Person.self), [])
        }
    }
}
