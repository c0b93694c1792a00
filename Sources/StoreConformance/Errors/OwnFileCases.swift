import FoundationEssentials
import Strata

/// A driver touches only what it would open, finds it behind a link, and says what it was asked for when it fails.
enum OwnFileCases {
    private static func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }
    private static func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    private static func closedStore(_ environment: ConformanceEnvironment, _ name: String) throws -> String {
        let stack = try environment.stack(Models.company, name)
        let context = stack.context()
        _ = Person("p", context)
        try context.save()
        try stack.close()
        return try unwrap(environment.description(name).path)
    }

    /// The files of the partners' stores, closed, by the partner's name.
    private static func otherStores(_ environment: ConformanceEnvironment) throws -> [(String, Data)] {
        try environment.partners.filter { $0.isFileBased && $0.name != environment.harness.name }.map { other in
            let description = other.description(in: environment.directory, name: "of-\(other.name)")
            let stack = try environment.stack(try Models.company.get(), stores: [description])
            let context = stack.context()
            _ = Person("q", context)
            try context.save()
            try stack.close()
            return (other.name, try bytes(unwrap(description.path)))
        }
    }

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase("Destroying refuses a file of another kind", in: .errors, requires: .file) { environment in
            let driver = environment.description().driver
            for (name, content) in try OpeningErrorCases.foreign + otherStores(environment) {
                let path = try unwrap(environment.description(name).path)
                try content.write(to: URL(filePath: path))
                let before = try names(environment.directory)
                let error = try expectStoreError(.foreign, .wrongType) { try driver.destroy(at: path) }
                try expectEqual(error.operation, .destroy)
                try expectEqual(error.path, path)
                try expectEqual(try bytes(path), content, "\(name) was changed")
                try expectEqual(try names(environment.directory), before, "\(name): files came or went")
            }
        }
        ConformanceCase("Replacing refuses a file of another kind on either side", in: .errors, requires: .file) { environment in
            let (driver, store) = (environment.description().driver, try closedStore(environment, "mine"))
            let own = try bytes(store)
            for (name, content) in try OpeningErrorCases.foreign + otherStores(environment) {
                let path = try unwrap(environment.description(name).path)
                try content.write(to: URL(filePath: path))
                let error = try expectStoreError(.foreign, .wrongType) { try driver.replace(at: path, withStoreAt: store) }
                try expectEqual(error.operation, .replace)
                try expectEqual(try bytes(path), content, "\(name) was changed")
                try expectStoreError(.foreign, .wrongType, .corrupt) { try driver.replace(at: store, withStoreAt: path) }
                try expectEqual(try bytes(path), content, "\(name) was changed as the source")
                try expectEqual(try bytes(store), own, "the store was changed")
            }
            try expectEqual(try environment.stack(Models.company, "mine").context().names(of: Person.self), ["p"])
        }
        ConformanceCase("Destroying takes an empty file, and none", in: .errors, requires: .file) { environment in
            let description = environment.description("empty")
            let path = try unwrap(description.path)
            try description.driver.destroy(at: path)
            try expectEqual(try names(environment.directory), [])
            try Data().write(to: URL(filePath: path))
            try description.driver.destroy(at: path)
            try expectEqual(try names(environment.directory), [])
        }
        ConformanceCase("An empty file can be replaced", in: .errors, requires: .file) { environment in
            let (description, store) = (environment.description("empty"), try closedStore(environment, "mine"))
            let path = try unwrap(description.path)
            try Data().write(to: URL(filePath: path))
            try description.driver.replace(at: path, withStoreAt: store)
            try expectEqual(try environment.stack(Models.company, "empty").context().names(of: Person.self), ["p"])
        }
        // What opened by the link's path had its other files beside the file; the next to open it met the link itself,
        // or other files.
        ConformanceCase("A store behind a symbolic link is the store", in: .errors, requires: .file) { environment in
            let target = try unwrap(environment.description("target").path)
            try FileManager.default.createDirectory(atPath: environment.directory + "/links", withIntermediateDirectories: true)
            let link = environment.directory + "/links/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
            // First nothing is there: the store is made where the link leads.
            for (round, path) in [link, link, target, link].enumerated() {
                let stack = try environment.stack(Models.company) { $0.path = path }
                try expectEqual(try stack.store().path, target)
                let context = stack.context()
                try expectEqual(try context.names(of: Person.self).count, round)
                _ = Person("p\(round)", context)
                try context.save()
                try expectEqual(try names(environment.directory + "/links"), ["link"], "files lie beside the link")
                try stack.close()
            }
            let driver = environment.description().driver
            try expectEqual(try driver.metadata(at: link), try driver.metadata(at: target))
            try expectEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), target)
            let other = try closedStore(environment, "other")
            try driver.replace(at: link, withStoreAt: other)
            try expectEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), target)
            try expectEqual(try driver.metadata(at: target), try driver.metadata(at: other))
            try driver.destroy(at: link)
            try expect(!FileManager.default.fileExists(atPath: target), "the store is still there")
            try expectEqual(try FileManager.default.destinationOfSymbolicLink(atPath: link), target)
        }
        ConformanceCase("A link to no directory is an error that says so", in: .errors, requires: .file) { environment in
            let link = environment.directory + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: environment.directory + "/gone/store")
            try expectStoreError(.missing) { try environment.stack(Models.company) { $0.path = link } }
            try expectEqual(try names(environment.directory), ["link"])
        }
        // SQLite said "there is no directory", without a name, and destroying an empty path succeeded.
        ConformanceCase("An empty path is an error that says so, of each operation", in: .errors, requires: .file) { environment in
            let driver = environment.description().driver
            let store = try closedStore(environment, "mine")
            func check(_ operation: StoreError.Operation, _ body: () throws -> Void) throws {
                let error = try expectStoreError(.missing) { try body() }
                try expectEqual(error.operation, operation)
                try expectEqual(error.message, "the path of the store is empty")
            }
            try check(.open) { _ = try environment.stack(Models.company) { $0.path = "" } }
            try check(.metadata) { _ = try driver.metadata(at: "") }
            try check(.metadata) { try driver.setMetadata(try driver.metadata(at: store), at: "") }
            try check(.replace) { try driver.replace(at: "", withStoreAt: store) }
            try check(.replace) { try driver.replace(at: store, withStoreAt: "") }
            try check(.destroy) { try driver.destroy(at: "") }
        }
        // Errors of what opening is made of came as those of reading the metadata, and the other way round.
        ConformanceCase("An error names the operation that was asked for", in: .errors, requires: .file) { environment in
            let driver = environment.description().driver
            let path = try unwrap(environment.description("noise").path)
            let store = try closedStore(environment, "mine")
            let whole = try bytes(store)
            for content in OpeningErrorCases.foreign.map(\.1) + [Data(whole.prefix(60)), Data(whole.prefix(5000))] {
                try content.write(to: URL(filePath: path))
                let codes: [StoreError.Code] = [.foreign, .wrongType, .corrupt]
                func check(_ operation: StoreError.Operation, _ body: () throws -> Void) throws {
                    let error = try expectThrows(StoreError.self) { try body() }
                    try expect(codes.contains(error.code), "\(error)")
                    try expectEqual(error.operation, operation)
                }
                // A beginning that is the whole, or holds all that is read, is no error.
                if content == whole || content.count == 5000, (try? driver.metadata(at: path)) != nil { continue }
                try check(.open) { _ = try environment.stack(Models.company, "noise") }
                try check(.metadata) { _ = try driver.metadata(at: path) }
                try check(.metadata) { try driver.setMetadata(try driver.metadata(at: store), at: path) }
                try check(.replace) { try driver.replace(at: store, withStoreAt: path) }
            }
            let missing = try unwrap(environment.description("missing").path)
            try expectEqual(try expectStoreError(.missing) { try driver.metadata(at: missing) }.operation, .metadata)
            try expectEqual(try expectStoreError(.missing) { try driver.replace(at: path, withStoreAt: missing) }.operation, .replace)
        }
        ConformanceCase("Other drivers leave an open store alone", in: .errors, requires: .file) { environment in
            let stack = try environment.stack(Models.company)
            let (context, path) = (stack.context(), try unwrap(environment.description().path))
            _ = Person("first", context)
            try context.save()
            let model = try Models.company.get()
            for other in environment.partners where other.isFileBased && other.name != environment.harness.name {
                var description = other.description(in: environment.directory, name: "unused")
                description.path = path
                try expectStoreError(.wrongType, .foreign) { try description.driver.metadata(at: path) }
                try expectStoreError(.wrongType, .foreign) { try PersistentContainer(model: model, stores: [description]) }
                try expectStoreError(.wrongType, .foreign) { try description.driver.destroy(at: path) }
                _ = Person("after \(other.name)", context)
                try context.save()
            }
            let count = try context.count(for: ObjectFetchRequest<Person>())
            try expectEqual(try stack.reopened().context().count(for: ObjectFetchRequest<Person>()), count)
        }
    }
}
