import FoundationEssentials
import Strata
import StrataTestModels
import Synchronization

extension MappingMigrationCases {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        func add(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock(\.self) }
    }

    @TaskLocal private static var log = Log()

    private final class LoggingPolicy: EntityMigrationPolicy {
        private func note(_ step: String, _ mapping: EntityMapping) { log.add("\(mapping.name) \(step)") }

        override func begin(_ mapping: EntityMapping, manager: MigrationManager) throws { note("begin", mapping) }
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            note("create", mapping)
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        }
        override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
            note("created", mapping)
        }
        override func createRelationships(
            forDestination object: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            note("relate", mapping)
            try super.createRelationships(forDestination: object, in: mapping, manager: manager)
        }
        override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
            note("related", mapping)
        }
        override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
            note("validate", mapping)
        }
        override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { note("end", mapping) }
    }

    /// Makes each maker once, and relates what it made to it.
    private final class MakerPolicy: EntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
            guard let name = try source.value(forKey: "maker") as? String else { return }
            let made = try manager.destinationContext.all("Maker", key("name") == .string(name))
            let maker = try made.first ?? manager.destinationContext.add("Maker", name)
            for pet in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]) {
                try pet.setValue(maker, forKey: "createdBy")
            }
        }

        override func value(forSelector selector: String, arguments: [Any?], manager: MigrationManager) throws -> Any? {
            guard selector == "initialOf:", let source = arguments.first as? ManagedObject else {
                return try super.value(forSelector: selector, arguments: arguments, manager: manager)
            }
            return (try source.value(forKey: "name") as? String).map { String($0.prefix(1)) }
        }
    }

    static func models() throws -> (ManagedObjectModel, ManagedObjectModel) {
        let after = try ManagedObjectModel {
            Entity("Person", attributes: ["name": .string], relationships: ["pets": .toMany("Pet.owner")])
            Entity("Pet") {
                Attributes(["name": .string, "initial": .string])
                Relationships(["owner": .toOne("Person.pets"), "createdBy": .toOne("Maker.products")])
            }
            Entity("Dog", parent: "Pet") { Attribute("tricks", .integer16, default: 0) }
            Entity("Maker", attributes: ["name": .string], relationships: ["products": .toMany("Pet.createdBy")])
        }
        return (try first(), after)
    }

    /// Makes two of each, and deletes the first again.
    private final class DoublingPolicy: EntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            for _ in 0..<2 { try super.createDestinationInstances(forSource: source, in: mapping, manager: manager) }
            let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source])
            manager.destinationContext.delete(made[0])
        }
    }

    @ConformanceCaseList static var policies: [ConformanceCase] {
        ConformanceCase("What a policy deletes again is not there, and the other has its links", in: .migration, requires: .persistence) {
            environment in
            let (before, model) = try models()
            let mapping = try MappingModel(from: before, to: model) {
                for name in ["Person", "Pet", "Dog"] { EntityMapping(from: name, to: name, policy: "Doubling") }
            }
            let after = try migrate(try fill(environment), environment, by: mapping, ["Doubling": DoublingPolicy.self])
            try expectEqual(
                try after.contents(),
                ["Person ada: pets=[ben rex]", "Person bob", "Pet rex: owner=ada", "Pet sid", "Dog ben: owner=ada tricks=3"])
        }
        ConformanceCase("Policies go through their seven steps, mapping by mapping", in: .migration, requires: .persistence) {
            environment in
            let mapping = try MappingModel(from: try first(), to: try second(.integer32)) {
                EntityMapping("people", from: "Person", to: "Person", policy: "Module.LoggingPolicy")
                EntityMapping("dogs", from: "Dog", to: "Dog", policy: "LoggingPolicy")
            }
            let stack = try fill(environment)
            let log = Log()
            let after = try $log.withValue(log) { try migrate(stack, environment, by: mapping, ["LoggingPolicy": LoggingPolicy.self]) }
            try expectEqual(
                log.all,
                ["people begin", "people create", "people create", "people created", "dogs begin", "dogs create", "dogs created"]
                    + ["people relate", "people relate", "people related", "dogs relate", "dogs related"]
                    + ["people validate", "people end", "dogs validate", "dogs end"])
            try expectEqual(try after.contents().count, 5)
        }
        ConformanceCase("A policy makes further objects, finds them again, and answers expressions", in: .migration, requires: .persistence)
        {
            environment in
            let (before, model) = try models()
            let mapping = try MappingModel(from: before, to: model) {
                for name in ["Pet", "Dog"] {
                    EntityMapping(from: name, to: name, policy: "MakerPolicy") {
                        PropertyMapping("initial", "uppercase:(FUNCTION($entityPolicy, 'initialOf:', $source))")
                    }
                }
            }
            let after = try migrate(try fill(environment), environment, by: mapping, ["MakerPolicy": MakerPolicy.self])
            try expectEqual(
                try after.contents(),
                [
                    "Maker acme: products=[ben rex]", "Maker other: products=[sid]", "Person ada: pets=[ben rex]", "Person bob",
                    "Pet rex: createdBy=acme initial=R owner=ada", "Pet sid: createdBy=other initial=S",
                    "Dog ben: createdBy=acme initial=B owner=ada tricks=3",
                ])
        }
        ConformanceCase("A stage is led through by a mapping", in: .migration, requires: .persistence) { environment in
            let (before, model) = try models()
            let stack = try fill(environment)
            try stack.close()
            let mapping = try MappingModel(from: before, to: model) {
                for name in ["Pet", "Dog"] { EntityMapping(from: name, to: name, policy: "MakerPolicy") }
            }
            let log = Log()
            let stages: [MigrationStage] = [
                .lightweight(to: before),
                .mapped(by: mapping, policies: ["MakerPolicy": MakerPolicy.self]) { store in
                    log.add("\(try names(ManagedObjectContext(store).all("Maker")))")
                },
            ]
            for _ in 0..<2 { try PersistentStoreCoordinator.migrateStore(environment.description(), through: stages) }
            try expectEqual(log.all, ["[\"acme\", \"other\"]"])
        }
    }
}
