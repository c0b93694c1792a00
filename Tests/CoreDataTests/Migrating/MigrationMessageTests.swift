import CoreData
import StrataTestSupport
import Testing

enum FirstPolicies { final class DoublyNamedPolicy: NSEntityMigrationPolicy {} }
enum SecondPolicies { final class DoublyNamedPolicy: NSEntityMigrationPolicy {} }

/// Each message of a migration that is refused.
@Suite("Messages of migrations")
struct MigrationMessageTests {
    private let folder: MigratingModels.Folder

    init() throws {
        folder = try MigratingModels.Folder()
        try MigratingModels.write(.binary, at: folder.file("old"))
    }

    /// Returns the reason of the failure of a migration.
    private func reason(_ mapping: NSMappingModel, to model: NSManagedObjectModel) -> String? {
        reasonOfError {
            try NSMigrationManager(sourceModel: MigratingModels.first(), destinationModel: model).migrateStore(
                from: folder.file("old"), type: .binary, mapping: mapping, to: folder.file("new"), type: .binary)
        }
    }

    private static let mappings: [(String, @Sendable (NSEntityMapping) -> Void)] = [
        ("the source has no entity Nobody (mapping IEM_Transform_Person)", { $0.sourceEntityName = "Nobody" }),
        ("the destination has no entity Nobody (mapping IEM_Transform_Person)", { $0.destinationEntityName = "Nobody" }),
        ("Person has no attribute shoe (mapping IEM_Transform_Person)", { $0.attributeMappings?.append(property("shoe", "1")) }),
        (
            "Person has no relationship shoes (mapping IEM_Transform_Person)",
            { $0.relationshipMappings?.append(property("shoes", "$source.pets")) }
        ),
        (
            "… gives for pets an object of another context than the destination's: … (mapping IEM_Transform_Person)",
            { $0.relationshipMappings = [property("pets", "$source.pets")] }
        ),
        (
            "there is no subclass of NSEntityMigrationPolicy with the name NobodysPolicy (mapping IEM_Transform_Person)",
            { $0.entityMigrationPolicyClassName = "NobodysPolicy" }
        ),
        (
            "the policy DoublyNamedPolicy may be each of …First…, …Second…: say its module (mapping IEM_Transform_Person)",
            { $0.entityMigrationPolicyClassName = "DoublyNamedPolicy" }
        ),
        (
            "the condition name == cannot be read: … (mapping IEM_Transform_Person)",
            {
                $0.sourceExpression = NSExpression(
                    format: "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', 'Person', 'name =='), "
                        + "$manager.sourceContext, NO)")
            }
        ),
    ]

    private static func property(_ name: String, _ expression: String) -> NSPropertyMapping {
        let property = NSPropertyMapping()
        property.name = name
        property.valueExpression = NSExpression(format: expression)
        return property
    }

    @Test("Of an entity mapping", arguments: mappings)
    func mapping(_ message: String, _ change: @Sendable (NSEntityMapping) -> Void) throws {
        let model = MigratingModels.second()
        let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: MigratingModels.first(), destinationModel: model)
        change(try #require(mapping.entityMappingsByName["IEM_Transform_Person"]))
        #expect(masked(reason(mapping, to: model), message) == message)
    }

    private static let expressions: [(String, @Sendable () -> NSExpression)] = [
        ("the entity Person has no property shoe for name (mapping P)", { NSExpression(format: "$source.shoe") }),
        (
            "$manager does not answer shout:with: for name (mapping P)",
            { NSExpression(format: "FUNCTION($manager, 'shout:with:', 'a', $source)") }
        ),
        (
            "$manager does not answer shout with 0 arguments for name (mapping P)",
            { NSExpression(format: "FUNCTION($manager, 'shout')") }
        ),
        (
            "there is no entity mapping X for name (mapping P)",
            { NSExpression(format: "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'X', $source)") }
        ),
        (
            "there is no function shout: for name (mapping P)",
            { NSExpression(forFunction: NSExpression(forConstantValue: "a"), selectorName: "shout:", arguments: []) }
        ),
        (
            "valueForKey: takes a path for name (mapping P)",
            { NSExpression(forFunction: NSExpression(forVariable: "source"), selectorName: "valueForKey:", arguments: [1]) }
        ),
        (
            "the policy NSEntityMigrationPolicy does not answer shout:: override value(forSelector:arguments:manager:) for it (mapping P)",
            { NSExpression(format: "FUNCTION($entityPolicy, 'shout:', $source)") }
        ),
    ]

    /// Returns the mapping of people that are given one value.
    private func people(_ name: String, _ expression: NSExpression) -> NSMappingModel {
        let mapping = NSEntityMapping()
        (mapping.name, mapping.sourceEntityName, mapping.destinationEntityName) = ("P", "Person", "Person")
        let property = NSPropertyMapping()
        (property.name, property.valueExpression) = (name, expression)
        mapping.attributeMappings = [property]
        let model = NSMappingModel()
        model.entityMappings = [mapping]
        return model
    }

    @Test("Of the expression of a value", arguments: expressions)
    func expression(_ message: String, _ expression: @Sendable () -> NSExpression) {
        #expect(reason(people("name", expression()), to: MigratingModels.second()) == message)
    }

    @Test("Of a value of another type, and of an abstract entity")
    func values() throws {
        let message = "Person.age cannot be set: … (mapping P)"
        let reason = reason(people("age", NSExpression(forConstantValue: "old")), to: MigratingModels.second())
        #expect(masked(reason, message) == message)
        let abstract = MigratingModels.second()
        try abstract.entity("Person").isAbstract = true
        #expect(
            self.reason(people("age", NSExpression(forConstantValue: 1)), to: abstract)
                == "no object can be made of the entity Person (mapping P)")
    }

    @Test("Of a store whose model is unknown")
    func unknownModel() throws {
        let url = folder.file("xml")
        try MigratingModels.write(.xml, at: url)
        let text = try String(contentsOf: url, encoding: .utf8)
        let key = try #require(text.firstRange(of: "<key>StrataModel</key>"))
        let end = try #require(text[key.upperBound...].firstRange(of: "</data>"))
        // The comment at the end has a checksum.
        let comment = try #require(text.range(of: "<!--", options: .backwards))
        let rest = text[..<key.lowerBound] + text[end.upperBound..<comment.lowerBound]
        try rest.write(to: url, atomically: true, encoding: .utf8)
        let reason = reasonOfError {
            let options = [NSMigratePersistentStoresAutomaticallyOption: true]
            _ = try MigratingModels.contents(.xml, at: url, MigratingModels.second(), options: options)
        }
        #expect(reason == "Can't find model for source store")
    }

    @Test("Of a missing mapping")
    func missing() {
        let reason = reasonOfError {
            try NSMigrationManager(sourceModel: MigratingModels.first(), destinationModel: MigratingModels.second()).migrateStore(
                from: folder.file("old"), sourceType: NSBinaryStoreType, with: nil, toDestinationURL: folder.file("new"),
                destinationType: NSBinaryStoreType)
        }
        #expect(reason == "there is no mapping model")
        let opening = reasonOfError {
            let options = [NSMigratePersistentStoresAutomaticallyOption: true]
            _ = try MigratingModels.contents(.binary, at: folder.file("old"), MigratingModels.second(), options: options)
        }
        #expect(opening == "Can't find mapping model for migration")
    }
}
