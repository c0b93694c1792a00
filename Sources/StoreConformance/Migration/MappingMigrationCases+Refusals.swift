import FoundationEssentials
import Strata

extension MappingMigrationCases {
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

    @ConformanceCaseList static var refusals: [ConformanceCase] {
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
        // Stores that hold the whole model had the objects where no fetch found them; others threw.
        ConformanceCase(
            "A mapping to an entity outside of the store's configuration is refused, and the store stays as it was", in: .migration,
            requires: .persistence
        ) { environment in
            func model(_ version: Int) throws -> ManagedObjectModel {
                try ManagedObjectModel {
                    Entity("Cat") {
                        Attribute("name", .string)
                        if version == 2 { Attribute("title", .string) }
                    }
                    Entity("Person") { Attribute("name", .string) }
                    if version == 2 { Entity("Bear") { Attribute("name", .string) } }
                    EntityConfiguration("cats", "Cat")
                    EntityConfiguration("others", entities: version == 1 ? ["Person"] : ["Person", "Bear"])
                }
            }
            let (first, second, description) = (try model(1), try model(2), environment.description(configuration: "cats"))
            let stack = try environment.stack(first, stores: [description])
            let context = stack.context()
            try context.add("Cat", "tom")
            try context.save()
            let contents = try stack.contents()
            try stack.close()
            let mapping = try MappingModel(from: first, to: second) {
                EntityMapping(from: "Cat", to: "Cat") { PropertyMapping("title", "$source.name") }
                EntityMapping(from: "Cat", to: "Bear") { PropertyMapping("name", "$source.name") }
            }
            let error = try expectStoreError(.noStore) {
                try PersistentStoreCoordinator.migrateStore(description, to: second, mapping: mapping)
            }
            try expectEqual(error.entity, "Bear")
            try expectEqual(try environment.stack(first, stores: [description]).contents(), contents)
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
