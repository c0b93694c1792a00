import FoundationEssentials
import Strata

/// Stores that cannot be opened: each failure has its own error with the path, and the file stays as it was.
enum OpeningErrorCases {
    static let foreign: [(String, Data)] = [
        ("text", Data("This is no store.\n".utf8)),
        ("markup", Data("<html><body>no store</body></html>\n".utf8)),
        ("zeros", Data(count: 10_000)),
        ("noise", Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 &+ $0 >> 3) })),
        ("one byte", Data([0x53])),
        ("an image", Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 200))),
    ]

    /// Fills a store, closes it and returns its path.
    private static func closedStore(_ environment: ConformanceEnvironment, _ name: String = "store", people: Int = 200) throws -> String {
        let stack = try environment.stack(Models.company, name)
        let context = stack.context()
        for index in 0..<people { _ = Person("person \(index)", context, age: Int16(index)) }
        try context.save()
        try stack.close()
        return try unwrap(environment.description(name).path)
    }

    private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("A directory that may not be written is an error with the path", in: .errors, requires: .file) { environment in
            let inside = try ConformanceEnvironment(
                harness: environment.harness,
                partners: [],
                directory: environment.directory + "/locked"
            )
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: inside.directory)
            defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: inside.directory) }
            // Some users may write everywhere: nothing is refused to them.
            if (try? Data().write(to: URL(filePath: inside.directory + "/probe"))) != nil { return }
            let error = try expectStoreError(.denied) { try inside.stack(Models.company) }
            try expectEqual(error.path, inside.description().path)
        }
        ConformanceCase("A store that is there, in a directory that may not be written, opens or is denied", in: .errors, requires: .file) {
            environment in
            // One store said that it was opened for reading only.
            let path = try closedStore(environment)
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: environment.directory)
            defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: environment.directory) }
            // Some users may write everywhere: nothing is refused to them.
            if (try? Data().write(to: URL(filePath: environment.directory + "/probe"))) != nil { return }
            do {
                let context = try environment.stack(Models.company).context()
                _ = Person("new", context)
                try context.save()
            } catch let error as StoreError {
                try expectEqual(error.code, .denied)
                try expectEqual(error.path?.hasPrefix(environment.directory), true)
            }
            let stack = try environment.stack(Models.company) { $0.isReadOnly = true }
            try expect(try stack.context().count(for: ObjectFetchRequest<Person>()) >= 200, "\(path) has lost objects")
        }
        ConformanceCase("A file of no length is a new store", in: .errors, requires: .file) { environment in
            let path = try unwrap(environment.description().path)
            try Data().write(to: URL(filePath: path))
            let stack = try environment.stack(Models.company)
            _ = Person("p", stack.context())
            try expectEqual(try stack.reopened().context().count(for: ObjectFetchRequest<Person>()), 0)
        }
        ConformanceCase("A file of something else is refused and stays as it was", in: .errors, requires: .file) { environment in
            for (name, content) in foreign {
                let path = try unwrap(environment.description(name).path)
                try content.write(to: URL(filePath: path))
                let error = try expectStoreError(.foreign, .wrongType, .corrupt) { try environment.stack(Models.company, name) }
                try expectEqual(error.path, path)
                try expectEqual(try bytes(path), content, "\(name) was changed")
                try expectThrows(StoreError.self) { try environment.description(name).driver.metadata(at: path) }
                try expectEqual(try bytes(path), content, "\(name) was changed by reading its metadata")
            }
        }
        ConformanceCase("A store of another type is refused and stays as it was", in: .errors, requires: .file) { environment in
            for other in environment.partners where other.isFileBased && other.name != environment.harness.name {
                let description = other.description(in: environment.directory, name: "other-\(other.name)")
                let stack = try environment.stack(try Models.company.get(), stores: [description])
                let context = stack.context()
                _ = Person("p", context)
                try context.save()
                try stack.close()
                let path = try unwrap(description.path)
                let before = try bytes(path)
                var wrong = environment.description("other-\(other.name)")
                wrong.path = path
                let model = try Models.company.get()
                let error = try expectStoreError(.wrongType) { try PersistentContainer(model: model, stores: [wrong]) }
                try expectEqual(error.path, path)
                wrong.isReadOnly = true
                try expectStoreError(.wrongType) { try PersistentContainer(model: model, stores: [wrong]) }
                try expectStoreError(.wrongType) { try wrong.driver.metadata(at: path) }
                let metadata = try description.driver.metadata(at: path)
                try expectStoreError(.wrongType) { try wrong.driver.setMetadata(metadata, at: path) }
                try expectEqual(try bytes(path), before, "the store of type \(other) was changed")
                let again = try environment.stack(model, stores: [description])
                try expectEqual(try again.context().names(of: Person.self), ["p"])
            }
        }
        ConformanceCase("A truncated store is refused or reads as it was, and never traps", in: .errors, requires: .file) { environment in
            let path = try closedStore(environment)
            let whole = try bytes(path)
            let ends = [1, 100, 1000, 3000, 4095].map { whole.count - $0 }
            for part in [1, 7, 16, 100, 511, 4096, whole.count / 3, whole.count / 2] + ends where 0..<whole.count ~= part {
                try whole.prefix(part).write(to: URL(filePath: path))
                do {
                    let stack = try environment.stack(Models.company)
                    // Only a file that lost nothing of worth may open.
                    let names = try stack.context().names(of: Person.self)
                    let problems = try stack.coordinator.verify(try stack.store(), limit: 1)
                    try stack.close()
                    try expectEqual(problems.count, 0, "\(part) of \(whole.count) bytes are damaged")
                    try expectEqual(names.count, 200, "\(part) of \(whole.count) bytes were taken for the whole")
                } catch let error as StoreError {
                    try expect([.corrupt, .foreign, .wrongType].contains(error.code), "\(part) of \(whole.count) bytes: \(error)")
                    try expectEqual(error.path, path)
                }
            }
            try whole.write(to: URL(filePath: path))
            try expectEqual(try environment.stack(Models.company).context().count(for: ObjectFetchRequest<Person>()), 200)
        }
        ConformanceCase("A store made with another model is refused, with the names of what differs", in: .errors, requires: .persistence) {
            environment in
            let stack = try environment.stack(Models.company)
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
            try stack.close()
            var entities = Models.companyEntities
            entities[3].attributes.append(Attribute("level", .integer16))
            let changed = try ManagedObjectModel(entities: entities)
            let error = try expectStoreError(.incompatibleModel) {
                try environment.stack(changed) { $0.shouldMigrateStoreAutomatically = false }
            }
            try expect(error.message.contains("Skill") && !error.message.contains("Person"), "\(error)")
            try expectEqual(error.cocoaCode, 134100)
            try expectEqual(error.path, environment.description().path)
            // A model without any of its entities is not taken for another version of the store's own, which would lose
            // everything.
            try expectStoreError(.incompatibleModel) { try environment.stack(try Models.zoo.get()) }
            try expectEqual(try environment.stack(Models.company).context().names(of: Person.self), ["p"])
        }
        ConformanceCase("What does not matter to stored data may change in a model", in: .errors, requires: .persistence) { environment in
            let first = try ManagedObjectModel { Entity("Thing") { Attribute("name", .string) } }
            let second = try ManagedObjectModel {
                Entity("Thing") {
                    Attribute("name", .string, default: "new", validation: [.length(0...10)]).userInfo(["note": "x"])
                    FetchIndex("byName", on: "name")
                }
            }
            let stack = try environment.stack(first)
            let context = stack.context()
            try context.add("Thing", "a")
            try context.save()
            try stack.expectThingsKept(under: second, andAgainUnder: first)
        }
        ConformanceCase("An unknown configuration is an error with its name", in: .errors) { environment in
            let error = try expectStoreError(.unknownEntity) { try environment.stack(Models.company) { $0.configuration = "Nowhere" } }
            try expect(error.message.contains("Nowhere"), "\(error)")
        }
        ConformanceCase("A store that is missing cannot be opened for reading only", in: .errors, requires: .file) { environment in
            let path = try unwrap(environment.description().path)
            let error = try expectStoreError(.missing) { try environment.stack(Models.company) { $0.isReadOnly = true } }
            try expectEqual(error.path, path)
            try expect(!FileManager.default.fileExists(atPath: path), "a store was made")
        }
        ConformanceCase("One store that cannot be opened closes the others of its container", in: .errors, requires: .file) { environment in
            let path = try unwrap(environment.description("bad").path)
            try Data("no store".utf8).write(to: URL(filePath: path))
            let model = try Models.company.get()
            try expectThrows(StoreError.self) {
                try environment.stack(model, stores: [environment.description("good"), environment.description("bad")])
            }
            let stack = try environment.stack(Models.company, "good")
            let context = stack.context()
            _ = Person("p", context)
            try context.save()
        }
    }
}
