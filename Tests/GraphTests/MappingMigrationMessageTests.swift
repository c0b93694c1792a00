import Strata
import StrataModel
import StrataSQLite
import StrataStore
import StrataTestSupport
import Testing

/// Each message of a mapping, or of a policy, that a migration refuses.
@Suite("Messages of migrations by mappings")
struct MappingMigrationMessageTests {
    private let directory: TemporaryDirectory
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel

    init() throws {
        directory = try TemporaryDirectory()
        func model(_ label: Attribute) throws -> ManagedObjectModel {
            try ManagedObjectModel {
                Entity("Person") {
                    Attribute("name", .string)
                    label
                    Relationship("friends", to: "Person", inverse: "friends", .toMany)
                }
            }
        }
        old = try model(Attribute("nick", .string))
        new = try model(Attribute("label", .string).required)
    }

    /// Returns the error of a migration of one person.
    private func error(_ mapping: EntityMapping, _ policies: [String: EntityMigrationPolicy.Type] = [:]) throws -> any Error {
        let description = StoreDescription(.sqlite, path: directory.file("Store"))
        let coordinator = PersistentStoreCoordinator(model: old)
        let store = try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        try context.insert("Person").setValue("Ada", forKey: "name")
        try context.save()
        try coordinator.remove(store)
        let model = try MappingModel(from: old, to: new) { mapping }
        return try #require(throws: (any Error).self) {
            try PersistentStoreCoordinator.migrateStore(description, to: new, mapping: model, policies: policies)
        }
    }

    private func error(_ expression: String) throws -> any Error {
        try error(EntityMapping("M", from: "Person", to: "Person") { PropertyMapping("label", expression) })
    }

    @Test("Of a condition, a policy or a variable that is malformed or missing")
    func parts() throws {
        let condition = try error(EntityMapping("M", from: "Person", to: "Person", where: "shoe == 1"))
        #expect(
            (condition as? MappingError)?.message
                == "the condition of the mapping M means nothing: shoe on Person: Person has no property shoe")
        let policy = try error(EntityMapping("M", from: "Person", to: "Person", policy: "Missing"))
        #expect((policy as? MappingError)?.message == "the mapping M names the policy Missing, which was not given")
        let variable = try error("$other.name") as? MappingError
        #expect(
            variable?.message == "there is no variable $other; there are $source, $manager and $entityPolicy (mapping M)")
        let path = try error("uppercase:($source.shoe)") as? MappingError
        #expect(path?.message == "shoe on Person: Person has no property shoe (mapping M)")
    }

    @Test("Of a function that $manager or a policy does not have")
    func functions() throws {
        let selector = try error("FUNCTION($manager, 'shout:with:', 'a', $source)") as? StoreError
        #expect(selector?.message == "$manager does not answer shout:with:")
        let arguments = try error("FUNCTION($manager, 'shout:')") as? StoreError
        #expect(arguments?.message == "$manager's shout: takes a name and objects")
        let mapping =
            try error(
                "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'X', $source)") as? StoreError
        #expect(mapping?.message == "the mapping M means nothing")
        #expect((mapping?.underlying as? MappingError)?.message == "there is no mapping X")
        let policy = try error("FUNCTION($entityPolicy, 'shout:', $source)") as? StoreError
        #expect(policy?.message == "the policy EntityMigrationPolicy does not answer shout:")
    }

    private struct Failure: Error, CustomStringConvertible { let description = "no luck" }

    private final class ThrowingPolicy: EntityMigrationPolicy {
        override func begin(_ mapping: EntityMapping, manager: MigrationManager) throws { throw Failure() }
    }

    private final class ResettingPolicy: EntityMigrationPolicy {
        override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { manager.destinationContext.reset() }
    }

    private final class SavingPolicy: EntityMigrationPolicy {
        override func end(_ mapping: EntityMapping, manager: MigrationManager) throws { try manager.destinationContext.save() }
    }

    private final class BatchPolicy: EntityMigrationPolicy {
        override func begin(_ mapping: EntityMapping, manager: MigrationManager) throws {
            try manager.destinationContext.execute(BatchInsertRequest(entityName: "Person", objects: [[:]]))
        }
    }

    private final class SourcePolicy: EntityMigrationPolicy {
        override func begin(_ mapping: EntityMapping, manager: MigrationManager) throws {
            try manager.sourceContext.insert("Person")
            try manager.sourceContext.save()
        }
    }

    private final class OddPolicy: EntityMigrationPolicy {
        override func value(forSelector selector: String, arguments: [Any?], manager: MigrationManager) throws -> Any? { Failure() }
    }

    @Test("Of a policy that throws, uses its contexts in another way than it may, or answers with no value")
    func policies() throws {
        func message(_ policy: EntityMigrationPolicy.Type, _ expression: String = "$source.name") throws -> String? {
            let mapping = EntityMapping("M", from: "Person", to: "Person", policy: "P") { PropertyMapping("label", expression) }
            return (try error(mapping, ["P": policy]) as? StoreError)?.message
        }
        #expect(try message(ThrowingPolicy.self) == "the mapping M failed: no luck")
        #expect(
            try message(ResettingPolicy.self)
                == "the mapping M failed: its policy rolled back or reset the context that holds all new objects")
        #expect(try message(SavingPolicy.self) == "the objects of a migration are saved at its end, all at once")
        #expect(try message(BatchPolicy.self) == "the coordinator does not execute batch requests")
        #expect(try message(SourcePolicy.self) == "the objects of a store that is being migrated are only read")
        let odd = try message(OddPolicy.self, "uppercase:(FUNCTION($entityPolicy, 'odd:', $source))")
        #expect(odd == "a value of the type Failure cannot be a part of an expression")
    }

    @Test("Of a value that is out of its type's range, as in a damaged store")
    func range() throws {
        func model(_ type: AttributeType) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [Entity("Page") { Attribute("number", type) }])
        }
        let (old, new) = (try model(.integer16), try model(.integer32))
        let description = StoreDescription(.sqlite, path: directory.file("Pages"))
        let coordinator = PersistentStoreCoordinator(model: old)
        let store = try coordinator.addStore(description)
        let entity = try #require(old.entity(named: "Page"))
        var writer = RowWriter()
        writer.begin(entity, reference: 1, version: 1)
        writer.set(integer: 1 << 40, at: try #require(entity.attribute(named: "number")?.slot))
        let transaction = try store.backend.beginWrite()
        #expect(try transaction.apply(ChangeSet(inserted: [writer.finish()])).isEmpty)
        try transaction.commit()
        try coordinator.remove(store)
        let mapping = try MappingModel(from: old, to: new) {
            EntityMapping("M", from: "Page", to: "Page", policy: "P") { PropertyMapping("number", origin: .property("number")) }
        }
        let message = messageOfError {
            try PersistentStoreCoordinator.migrateStore(description, to: new, mapping: mapping, policies: ["P": EntityMigrationPolicy.self])
        }
        #expect(message == "a value of number cannot be converted to integer32")
    }

    @Test("Of an object that breaks a rule of the new model")
    func rules() throws {
        let error = try error("$source.nick") as? StoreError
        #expect(error?.message.hasPrefix("an object breaks the new model's rules: ") == true)
        #expect(error?.message.contains("a value is required") == true)
    }
}
