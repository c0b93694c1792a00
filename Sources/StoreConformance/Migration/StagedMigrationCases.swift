import FoundationEssentials
import Strata
import Synchronization

/// Leading a store through several versions of a model, with handlers.
enum StagedMigrationCases {
    private static func model(_ attributes: Attribute...) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [Entity("Thing") { [Attribute("name", .string)] + attributes }])
    }

    /// What happened, in order, and what is to be stopped once.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        private let stops: Mutex<Set<String>>

        init(stopping names: String...) { stops = Mutex(Set(names)) }

        func add(_ line: String) { lines.withLock { $0.append(line) } }
        func stop(_ name: String) throws {
            if stops.withLock({ $0.remove(name) }) != nil { throw Stop() }
        }
        /// What was added since this was asked last.
        var news: [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    private struct Stop: Error {}

    @ConformanceCaseList static var all: [ConformanceCase] {
        ConformanceCase(
            "A store goes through all stages that are before it, and through none twice", in: .migration, requires: .persistence
        ) {
            environment in
            let first = try model()
            let second = try model(Attribute("size", .integer16, default: 2))
            let third = try model(Attribute("length", .integer32).renamed(from: "size"))
            let log = Log()
            let stages: [MigrationStage] = [
                .custom(
                    to: second,
                    willMigrate: { coordinator in
                        let context = ManagedObjectContext(coordinator)
                        log.add("before: \(try names(context.all("Thing")))")
                        try context.add("Thing", "will")
                        try context.save()
                    },
                    didMigrate: { coordinator in
                        let context = ManagedObjectContext(coordinator)
                        for thing in try context.all("Thing", key("name") == "will") { try thing.setValue(7, forKey: "size") }
                        try context.save()
                        log.add("after: \(try names(context.all("Thing")))")
                    }),
                .lightweight(to: third),
            ]
            let description = environment.description()
            try PersistentStoreCoordinator.migrateStore(description, through: stages)
            try expectEqual(log.news, [], "there is no store yet")
            let stack = try environment.stack(first)
            let context = stack.context()
            try context.add("Thing", "a")
            try context.save()
            try stack.close()
            for _ in 0..<2 { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            try expectEqual(log.news, ["before: [\"a\"]", "after: [\"a\", \"will\"]"])
            let after = try environment.stack(third) { $0.shouldMigrateStoreAutomatically = false }
            try expectEqual(try after.contents(), ["Thing a: length=2", "Thing will: length=7"])
        }
        ConformanceCase("A stage that stops is taken up where it stopped", in: .migration, requires: .persistence) { environment in
            let first = try model()
            let second = try model(Attribute("size", .integer16, default: 2))
            let log = Log(stopping: "will", "did")
            let stages: [MigrationStage] = [
                .custom(
                    to: second,
                    willMigrate: { _ in
                        log.add("will")
                        try log.stop("will")
                    },
                    didMigrate: { _ in
                        log.add("did")
                        try log.stop("did")
                    })
            ]
            let stack = try environment.stack(first)
            let context = stack.context()
            try context.add("Thing", "a")
            try context.save()
            try stack.close()
            let description = environment.description()
            try expectThrows(Stop.self) { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            try expectEqual(try environment.stack(first) { $0.shouldMigrateStoreAutomatically = false }.closedContents(), ["Thing a"])
            try expectThrows(Stop.self) { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            try expectEqual(log.news, ["will", "will", "did"])
            // Opened without stages, the store passed for complete, and a later version was inferred from it.
            let third = try model(Attribute("size", .integer32))
            for (other, readOnly) in [(second, false), (second, true), (third, false)] {
                try expectStoreError(.migration) { _ = try environment.stack(other) { $0.isReadOnly = readOnly } }
            }
            try expectStoreError(.migration) { try PersistentStoreCoordinator.migrateStore(description, to: third) }
            for _ in 0..<2 { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            try expectEqual(log.news, ["did"])
            try expectEqual(try environment.stack(second).contents(), ["Thing a: size=2"])
        }
        // Two processes ran the same handler: one of them overwrote with the old store what the other had finished.
        ConformanceCase("A store is led through its stages by one at a time", in: .migration, requires: .persistence) { environment in
            let second = try model(Attribute("size", .integer16, default: 2))
            let log = Log()
            let stack = try environment.stack(try model())
            try stack.context().add("Thing", "a")
            try stack.close()
            var description = environment.description()
            description.options.timeout = 0.05
            let stages: [MigrationStage] = [
                .custom(
                    to: second,
                    didMigrate: { [description] _ in
                        log.add("first")
                        let other = MigrationStage.custom(to: second, didMigrate: { _ in log.add("second") })
                        try expectStoreError(.locked) { try PersistentStoreCoordinator.migrateStore(description, through: [other]) }
                    })
            ]
            for _ in 0..<2 { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            try expectEqual(log.news, ["first"])
        }
        // The copy was kept beside the link: by the store's own path it was missing for ever.
        ConformanceCase("Stages that were begun by way of a link are ended by the store's own path", in: .migration, requires: .file) {
            environment in
            let (first, second) = (try model(), try model(Attribute("size", .integer16)))
            var description = environment.description()
            guard let path = description.path else { return }
            let stack = try environment.stack(first)
            let context = stack.context()
            try context.add("Thing", "a")
            try context.save()
            try stack.close()
            let links = environment.directory + "/links"
            try FileManager.default.createDirectory(atPath: links, withIntermediateDirectories: true)
            let link = links + "/" + URL(fileURLWithPath: path).lastPathComponent
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            let log = Log(stopping: "after")
            let stages: [MigrationStage] = [.custom(to: second, didMigrate: { _ in try log.stop("after") })]
            description.path = link
            try expectThrows(Stop.self) { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            try expectEqual(try FileManager.default.contentsOfDirectory(atPath: links).count, 1)
            try PersistentStoreCoordinator.migrateStore(environment.description(), through: stages)
            try expectEqual(try names(try environment.stack(second).context().all("Thing")), ["a"])
        }
        ConformanceCase("A conversion sees the store before and after", in: .migration, requires: .persistence) { environment in
            let first = try model(Attribute("size", .string), Attribute("scan", .binary).externalStorage)
            let second = try model(Attribute("size", .integer32), Attribute("first", .string), Attribute("scan", .binary).externalStorage)
            let log = Log(stopping: "conversion")
            let stages: [MigrationStage] = [
                .custom(to: second) { old, new in
                    let (before, after) = (ManagedObjectContext(old), ManagedObjectContext(new))
                    for thing in try after.all("Thing") {
                        let was = try before.one("Thing", unwrap(thing.text("name")))
                        try thing.setValue(try was.text("size").flatMap { Int($0) }, forKey: "size")
                        try thing.setValue(try was.text("name")?.first.map { String($0) }, forKey: "first")
                        try expectEqual((try was.value(forKey: "scan") as? Data)?.count, 2000)
                    }
                    try log.stop("conversion")
                    try after.save()
                }
            ]
            let stack = try environment.stack(first) { $0.options.externalStorageThreshold = 1000 }
            let context = stack.context()
            for (name, size) in [("abc", "12"), ("xyz", "none")] {
                let thing = try context.add("Thing", name)
                try thing.setValue(size, forKey: "size")
                try thing.setValue(ExternalValueCases.bytes(2000, 3), forKey: "scan")
            }
            try context.save()
            try stack.close()
            let description = environment.description()
            try expectThrows(Stop.self) { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            try expectEqual(
                try environment.stack(first) { $0.shouldMigrateStoreAutomatically = false }.closedContents(),
                ["Thing abc: scan=2000 bytes size=12", "Thing xyz: scan=2000 bytes size=none"], "the old store is whole")
            try PersistentStoreCoordinator.migrateStore(description, through: stages)
            try expectEqual(
                try environment.stack(second).contents(),
                ["Thing abc: first=a scan=2000 bytes size=12", "Thing xyz: first=x scan=2000 bytes"])
        }
        ConformanceCase(
            "The copy that a conversion sees replaces no other file, and is not left", in: .migration, requires: .file
        ) {
            environment in
            let second = try model(Attribute("size", .integer32))
            let stages: [MigrationStage] = [.custom(to: second) { _, _ in }]
            let stack = try environment.stack(try model())
            let context = stack.context()
            try context.add("Thing", "a")
            try context.save()
            try stack.close()
            let before = try FileManager.default.contentsOfDirectory(atPath: environment.directory).count
            let description = environment.description()
            // A file at the copy's path that is no copy was overwritten.
            let url = URL(fileURLWithPath: try unwrap(description.path))
            let kind = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
            let path = URL(fileURLWithPath: url.deletingPathExtension().path + "-before" + kind)
            try Data("mine".utf8).write(to: path)
            try expectThrows(StoreError.self) { try PersistentStoreCoordinator.migrateStore(description, through: stages) }
            try expectEqual(try Data(contentsOf: path), Data("mine".utf8))
            try FileManager.default.removeItem(at: path)
            try PersistentStoreCoordinator.migrateStore(description, through: stages)
            try expectEqual(try environment.stack(second).closedContents(), ["Thing a"])
            // A process that ended right after a stage left its copy for ever.
            try FileManager.default.copyItem(at: url, to: path)
            try PersistentStoreCoordinator.migrateStore(description, through: stages)
            let left = try FileManager.default.contentsOfDirectory(atPath: environment.directory).filter { $0.contains("before") }
            try expect(left.allSatisfy { $0.hasPrefix(".") }, "the copy is left: \(left), and \(before) files before")
        }
    }
}

extension ConformanceStack {
    /// ``contents()``, after which the stores are closed.
    fileprivate func closedContents() throws -> [String] {
        let lines = try contents()
        try close()
        return lines
    }
}
