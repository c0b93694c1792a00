import FoundationEssentials
import Strata
import Synchronization

/// Migrations by mappings that say what cannot be inferred, and by policies.
enum MappingMigrationCases {
    private static func first() throws -> ManagedObjectModel { try second(.integer16) }

    /// Ada with Rex and the dog Ben; Bob, her friend, with nothing; the stray Sid.
    private static func fill(_ environment: ConformanceEnvironment) throws -> ConformanceStack {
        let stack = try environment.stack(try first())
        let context = stack.context()
        let ada = try context.add("Person", "ada", ["age": 36, "street": "Park 1"])
        let bob = try context.add("Person", "bob", ["age": 20])
        let rex = try context.add("Pet", "rex", ["maker": "acme"])
        let ben = try context.add("Dog", "ben", ["tricks": 3, "maker": "acme"])
        try context.add("Pet", "sid", ["maker": "other"])
        try ada.setValue(Set([rex, ben]), forKey: "pets")
        try ada.setValue(Set([bob]), forKey: "friends")
        try context.save()
        return stack
    }

    private static func migrate(
        _ stack: ConformanceStack, _ environment: ConformanceEnvironment, by mapping: MappingModel,
        _ policies: [String: EntityMigrationPolicy.Type] = [:]
    ) throws -> ConformanceStack {
        try stack.close()
        try PersistentStoreCoordinator.migrateStore(
            environment.description(), to: mapping.destination, mapping: mapping, policies: policies)
        let after = try environment.stack(mapping.destination) { $0.shouldMigrateStoreAutomatically = false }
        try expectEqual(try after.problems(), [])
        return after
    }

    static var all: [ConformanceCase] { expressions + policies + refusals }

    @ConformanceCaseList private static var expressions: [ConformanceCase] {
        ConformanceCase("A mapping computes attributes by expressions", in: .migration, requires: .persistence) { environment in
            let second = try ManagedObjectModel {
                Entity("Person") {
                    Attribute("name", .string)
                    Attribute("label", .string)
                    Attribute("adultFriends", .integer16)
                    Attribute("petCount", .integer32)
                    Attribute("age", .string)
                    Attribute("older", .integer16, default: 7).required
                    Relationship("pets", to: "Pet", inverse: "owner", .toMany)
                    Relationship("friends", to: "Person", inverse: "friends", .toMany)
                }
                Entity("Pet") {
                    Attribute("name", .string)
                    Attribute("ownerName", .string)
                    Relationship("owner", to: "Person", inverse: "pets")
                }
                Entity("Dog", parent: "Pet") { Attribute("tricks", .integer16, default: 0) }
            }
            let mapping = try MappingModel(from: try first(), to: second) {
                EntityMapping(from: "Person", to: "Person") {
                    PropertyMapping("label", "uppercase:($source.name)")
                    PropertyMapping("petCount", "$source.pets.@count")
                    PropertyMapping("adultFriends", "SUBQUERY($source.friends, $x, $x.age >= 18 AND $x.age < $source.age).@count")
                    PropertyMapping("age", "CAST($source.age, 'NSString')")
                    PropertyMapping("older", "$source.age + 1")
                }
                for name in ["Pet", "Dog"] {
                    EntityMapping(from: name, to: name) { PropertyMapping("ownerName", "$source.owner.name") }
                }
            }
            try expect(!mapping.plan.steps.contains { $0.property == "age" && $0.losesData }, "\(mapping.plan)")
            let after = try migrate(try fill(environment), environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Person ada: adultFriends=1 age=36 friends=[bob] label=ADA older=37 petCount=2 pets=[ben rex]",
                    "Person bob: adultFriends=0 age=20 friends=[ada] label=BOB older=21 petCount=0",
                    "Pet rex: owner=ada ownerName=ada", "Pet sid", "Dog ben: owner=ada ownerName=ada tricks=3",
                ])
        }
        ConformanceCase("An entity becomes two, which are related, and the first keeps its IDs", in: .migration, requires: .persistence) {
            environment in
            let second = try ManagedObjectModel {
                Entity("Person") {
                    Attribute("name", .string)
                    Attribute("age", .integer16)
                    Relationship("home", to: "Address", inverse: "residents")
                    Relationship("pets", to: "Pet", inverse: "owner", .toMany)
                    Relationship("friends", to: "Person", inverse: "friends", .toMany)
                }
                Entity("Address") {
                    Attribute("name", .string)
                    Relationship("residents", to: "Person", inverse: "home", .toMany)
                }
                Entity("Pet") {
                    Attribute("name", .string)
                    Attribute("maker", .string)
                    Relationship("owner", to: "Person", inverse: "pets")
                }
                Entity("Dog", parent: "Pet") { Attribute("tricks", .integer16, default: 0) }
            }
            let mapping = try MappingModel(from: try first(), to: second) {
                EntityMapping(from: "Person", to: "Address", where: "street != nil") {
                    PropertyMapping("name", "$source.street")
                    PropertyMapping("residents", "$source", mappedBy: "PersonToPerson")
                }
                EntityMapping(from: "Person", to: "Person")
            }
            let stack = try fill(environment)
            let ada = try unwrap(stack.context().all("Person", key("name") == "ada").first).objectID.uriRepresentation
            let rex = try unwrap(stack.context().all("Pet", key("name") == "rex").first).objectID.uriRepresentation
            let after = try migrate(stack, environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Address Park 1: residents=[ada]", "Person ada: age=36 friends=[bob] home=Park 1 pets=[ben rex]",
                    "Person bob: age=20 friends=[ada]", "Pet rex: maker=acme owner=ada", "Pet sid: maker=other",
                    "Dog ben: maker=acme owner=ada tricks=3",
                ])
            // Where a number is one object's in the whole store, only one of two that were made of one can have it.
            let found = try unwrap(after.coordinator.objectID(forURI: rex))
            try expectEqual(try after.context().existingObject(with: found).text("name"), "rex")
            if after.coordinator.stores[0].capabilities.referenceScope == .tree {
                let found = try unwrap(after.coordinator.objectID(forURI: ada))
                try expectEqual(try after.context().existingObject(with: found).text("name"), "ada")
            }
            let context = after.context()
            let new = try context.add("Person", "new")
            try context.save()
            try expect(try context.all("Person").filter { $0.objectID == new.objectID }.count == 1, "a number was given out twice")
            try expectEqual(try after.problems(), [])
        }
        ConformanceCase("Two entities become one, with all links, and numbers of their own", in: .migration, requires: .persistence) {
            environment in
            let second = try ManagedObjectModel {
                Entity("Being") {
                    Attribute("name", .string)
                    Attribute("kind", .string)
                    Relationship("keeps", to: "Being", inverse: "keeper", .toMany)
                    Relationship("keeper", to: "Being", inverse: "keeps")
                }
            }
            let mapping = try MappingModel(from: try first(), to: second) {
                EntityMapping(from: "Person", to: "Being") {
                    PropertyMapping("kind", "'person'")
                    PropertyMapping(
                        "keeps",
                        "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', 'pets', $source.pets)")
                }
                EntityMapping(from: "Pet", to: "Being") { PropertyMapping("kind", "'pet'") }
                EntityMapping(from: "Dog", to: "Being") { PropertyMapping("kind", "'dog'") }
            }
            let after = try migrate(try fill(environment), environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Being ada: keeps=[ben rex] kind=person", "Being ben: keeper=ada kind=dog", "Being bob: kind=person",
                    "Being rex: keeper=ada kind=pet", "Being sid: kind=pet",
                ])
        }
        ConformanceCase("What was renamed is told by a mapping as by identifiers", in: .migration, requires: .persistence) { environment in
            let second = try ManagedObjectModel {
                Entity("Animal") {
                    Attribute("name", .string)
                    Attribute("origin", .string)
                    Relationship("keeper", to: "Person", inverse: "animals")
                }
                Entity("Hound", parent: "Animal") { Attribute("skills", .integer32) }
                Entity("Person") {
                    Attribute("name", .string)
                    Attribute("years", .integer32)
                    Relationship("animals", to: "Animal", inverse: "keeper", .toMany)
                }
            }
            let animal = [PropertyMapping("origin", origin: .property("maker")), PropertyMapping("keeper", origin: .property("owner"))]
            let mapping = try MappingModel(from: try first(), to: second) {
                EntityMapping(from: "Pet", to: "Animal") { animal }
                EntityMapping(from: "Dog", to: "Hound") {
                    animal
                    PropertyMapping("skills", origin: .property("tricks"))
                }
                EntityMapping(from: "Person", to: "Person") {
                    PropertyMapping("years", origin: .property("age"))
                    PropertyMapping("animals", origin: .property("pets"))
                }
            }
            try expect(!mapping.plan.description.contains("policy"), "\(mapping.plan)")
            let after = try migrate(try fill(environment), environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Animal rex: keeper=ada origin=acme", "Animal sid: origin=other", "Hound ben: keeper=ada origin=acme skills=3",
                    "Person ada: animals=[ben rex] years=36", "Person bob: years=20",
                ])
        }
        ConformanceCase("What a condition leaves out is not there, nor are links to it", in: .migration, requires: .persistence) {
            environment in
            let mapping = try MappingModel(from: try first(), to: try second(.integer32)) {
                EntityMapping(from: "Pet", to: "Pet", where: "maker == 'acme' AND owner.age > 30")
                EntityMapping(from: "Dog", to: "Dog", where: "FALSEPREDICATE")
            }
            let after = try migrate(try fill(environment), environment, by: mapping)
            try expectEqual(
                try after.contents(),
                [
                    "Person ada: age=36 friends=[bob] pets=[rex] street=Park 1", "Person bob: age=20 friends=[ada]",
                    "Pet rex: maker=acme owner=ada",
                ])
        }
        ConformanceCase("Orders, large values and what is unset come along", in: .migration, requires: .persistence) { environment in
            func model(_ isNew: Bool) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("List") {
                        Attribute("name", .string)
                        Attribute("photo", .binary).externalStorage
                        if isNew { Attribute("title", .string) }
                        Relationship("items", to: "Item", inverse: "list", .ordered)
                        Relationship("tags", to: "Item", inverse: "tagged", .ordered)
                    }
                    Entity("Item") {
                        Attribute("name", .string)
                        Attribute("when", .date)
                        Relationship("list", to: "List", inverse: "items")
                        Relationship("tagged", to: "List", inverse: "tags", .toMany)
                    }
                }
            }
            let stack = try environment.stack(try model(false))
            let context = stack.context()
            let items = try ["c", "a", "d", "b"].map { try context.add("Item", $0) }
            try items[1].setValue(Date(timeIntervalSinceReferenceDate: 5), forKey: "when")
            let list = try context.add("List", "l", ["photo": Data(repeating: 7, count: 2 << 20)])
            try list.setValue(items, forKey: "items")
            try list.setValue([items[3], items[0]], forKey: "tags")
            try context.save()
            let mapping = try MappingModel(from: try model(false), to: try model(true)) {
                EntityMapping(from: "List", to: "List") { PropertyMapping("title", "$source.name") }
            }
            let after = try migrate(stack, environment, by: mapping)
            let found = try unwrap(after.context().all("List").first)
            try expectEqual(try (found.value(forKey: "items") as? [ManagedObject])?.map { try $0.text("name") }, ["c", "a", "d", "b"])
            try expectEqual(try (found.value(forKey: "tags") as? [ManagedObject])?.map { try $0.text("name") }, ["b", "c"])
            try expectEqual(try found.value(forKey: "photo") as? Data, Data(repeating: 7, count: 2 << 20))
            try expectEqual(try found.text("title"), "l")
            let dates = try after.context().all("Item", key("when") != nil).map { try $0.text("name") }
            try expectEqual(dates, ["a"])
        }
    }

    /// The first model with ages of another width.
    private static func second(_ age: AttributeType) throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                Attribute("age", age)
                Attribute("street", .string)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
                Relationship("friends", to: "Person", inverse: "friends", .toMany)
            }
            Entity("Pet") {
                Attribute("name", .string)
                Attribute("maker", .string)
                Relationship("owner", to: "Person", inverse: "pets")
            }
            Entity("Dog", parent: "Pet") { Attribute("tricks", .integer16, default: 0) }
        }
    }

    // MARK: - Policies

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

    private static func models() throws -> (ManagedObjectModel, ManagedObjectModel) {
        let after = try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
            }
            Entity("Pet") {
                Attribute("name", .string)
                Attribute("initial", .string)
                Relationship("owner", to: "Person", inverse: "pets")
                Relationship("createdBy", to: "Maker", inverse: "products")
            }
            Entity("Dog", parent: "Pet") { Attribute("tricks", .integer16, default: 0) }
            Entity("Maker") {
                Attribute("name", .string)
                Relationship("products", to: "Pet", inverse: "createdBy", .toMany)
            }
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

    @ConformanceCaseList private static var policies: [ConformanceCase] {
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

    // MARK: - Refusals

    private struct Refusal: Error {}

    private class FailingPolicy: EntityMigrationPolicy {
        override func performCustomValidation(forMapping mapping: EntityMapping, manager: MigrationManager) throws { throw Refusal() }
    }
    private final class ClearingPolicy: EntityMigrationPolicy {
        override func endRelationshipCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
            for object in manager.destinationInstances(forEntityMappingName: mapping.name) { try object.setValue(nil, forKey: "name") }
        }
    }
    private final class SavingPolicy: EntityMigrationPolicy {
        override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { try manager.destinationContext.save() }
    }
    // A policy that took back what was inserted migrated to a store without objects.
    private final class DiscardingPolicy: EntityMigrationPolicy {
        override func endInstanceCreation(forMapping mapping: EntityMapping, manager: MigrationManager) throws {
            manager.destinationContext.rollback()
        }
    }
    // A policy that saved the source waited for the migration's own end.
    private final class SourceSavingPolicy: EntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            manager.sourceContext.delete(source)
            try manager.sourceContext.save()
        }
    }
    private final class CancellingPolicy: EntityMigrationPolicy {
        override func begin(_ mapping: EntityMapping, manager: MigrationManager) throws { manager.cancelMigrationWithError(Refusal()) }
    }

    @ConformanceCaseList private static var refusals: [ConformanceCase] {
        ConformanceCase("A policy that fails leaves the store as it was", in: .migration, requires: .persistence) { environment in
            let stack = try fill(environment)
            let contents = try stack.contents()
            try stack.close()
            let second = try ManagedObjectModel {
                Entity("Person") { Attribute("name", .string).required }
                Entity("Pet") { Attribute("name", .string) }
                Entity("Dog", parent: "Pet")
            }
            let attempts: [(EntityMigrationPolicy.Type, StoreError.Code, Int)] = [
                (FailingPolicy.self, .entityMigrationPolicy, 134170), (ClearingPolicy.self, .migration, 134110),
                (SavingPolicy.self, .unsupported, 134091), (CancellingPolicy.self, .cancelled, 134120),
                (DiscardingPolicy.self, .entityMigrationPolicy, 134170), (SourceSavingPolicy.self, .readOnly, 134030),
            ]
            for (policy, code, number) in attempts {
                let mapping = try MappingModel(from: try first(), to: second) {
                    EntityMapping(from: "Person", to: "Person", policy: "Policy")
                }
                let error = try expectStoreError(code) {
                    try PersistentStoreCoordinator.migrateStore(
                        environment.description(), to: second, mapping: mapping, policies: ["Policy": policy])
                }
                try expectEqual(error.cocoaCode, number)
                let again = try environment.stack(try first()) { $0.shouldMigrateStoreAutomatically = false }
                try expectEqual(try again.contents(), contents)
                try again.close()
            }
        }
        ConformanceCase("A mapping that means nothing is refused before anything is done", in: .migration, requires: .persistence) {
            environment in
            let (before, model) = try models()
            func refused(_ reason: MappingError.Reason, _ body: () throws -> Void) throws {
                do {
                    try body()
                } catch let error as MappingError {
                    return try expectEqual(error.reason, reason)
                }
                try expect(false, "\(reason) was not refused")
            }
            try refused(.unknownEntity) { _ = try MappingModel(from: before, to: model) { EntityMapping(from: "Cat", to: "Pet") } }
            try refused(.unknownEntity) { _ = try MappingModel(from: before, to: model) { EntityMapping(from: "Pet", to: "Cat") } }
            try refused(.duplicateName) {
                _ = try MappingModel(from: before, to: model) {
                    EntityMapping(from: "Pet", to: "Pet")
                    EntityMapping(from: "Pet", to: "Pet")
                }
            }
            try refused(.unknownProperty) {
                _ = try MappingModel(from: before, to: model) { EntityMapping(from: "Pet", to: "Pet") { PropertyMapping("x", "1") } }
            }
            try refused(.unknownProperty) {
                _ = try MappingModel(from: before, to: model) {
                    EntityMapping(from: "Pet", to: "Pet") { PropertyMapping("initial", origin: .property("x")) }
                }
            }
            try refused(.typeChange) {
                _ = try MappingModel(from: before, to: model) {
                    EntityMapping(from: "Pet", to: "Pet") { PropertyMapping("initial", origin: .property("owner")) }
                }
            }
            let stack = try fill(environment)
            let contents = try stack.contents()
            try stack.close()
            func migrate(_ expression: String, where condition: String? = nil, policy: String? = nil) throws {
                let mapping = try MappingModel(from: before, to: model) {
                    EntityMapping(from: "Pet", to: "Pet", where: condition, policy: policy) { PropertyMapping("initial", expression) }
                }
                try PersistentStoreCoordinator.migrateStore(environment.description(), to: model, mapping: mapping)
            }
            try refused(.invalidExpression) { try migrate("uppercase:(") }
            try refused(.invalidExpression) { try migrate("$other.name") }
            try refused(.invalidExpression) { try migrate("'a'", where: "name ==") }
            try refused(.invalidExpression) { try migrate("'a'", where: "nothing == 3") }
            try refused(.invalidExpression) { try migrate("$source.nothing") }
            try refused(.invalidExpression) { try migrate("uppercase:($source.owner.nothing)") }
            try refused(.unknownPolicy) { try migrate("'a'", policy: "Missing") }
            // What only the data tell.
            try expectStoreError(.wrongValue) { try migrate("$source.owner") }
            try expectStoreError(.missingMapping) {
                try migrate("FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'none', $source)")
            }
            try expectStoreError(.unsupported) { try migrate("FUNCTION($entityPolicy, 'none:', $source)") }
            try expectStoreError(.missingMapping) {
                let mapping = try MappingModel(from: model, to: try second(.integer32)) { EntityMapping(from: "Pet", to: "Pet") }
                try PersistentStoreCoordinator.migrateStore(environment.description(), to: mapping.destination, mapping: mapping)
            }
            let again = try environment.stack(before) { $0.shouldMigrateStoreAutomatically = false }
            try expectEqual(try again.contents(), contents)
        }
    }
}
