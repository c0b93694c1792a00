import CoreData
import Testing

@Suite("Migration managers")
struct MigrationManagerTests {
    private let folder: MigratingModels.Folder

    init() throws { folder = try MigratingModels.Folder() }

    /// Gives the last word of a name as the family name, and computes names in capitals.
    class SplitNamePolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
            let last = (sInstance.value(forKey: "name") as? String)?.split(separator: " ").last.map(String.init)
            for person in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance]) {
                person.setValue(last, forKey: "familyName")
            }
        }

        override func value(forSelector selector: String, arguments: [Any?], manager: NSMigrationManager) throws -> Any? {
            guard selector == "toUpper:" else {
                return try super.value(forSelector: selector, arguments: arguments, manager: manager)
            }
            return (arguments.first as? String)?.uppercased()
        }
    }

    final class FailingNamePolicy: NSEntityMigrationPolicy {
        override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws { throw CocoaError(.featureUnsupported) }
    }

    final class CancellingNamePolicy: NSEntityMigrationPolicy {
        override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
            manager.cancelMigrationWithError(CocoaError(.userCancelled))
        }
    }

    private func mapping(_ policy: String?) throws -> NSMappingModel {
        let mapping = try NSMappingModel.inferredMappingModel(
            forSourceModel: MigratingModels.first(), destinationModel: MigratingModels.second())
        mapping.entityMappingsByName["IEM_Transform_Person"]?.entityMigrationPolicyClassName = policy
        return mapping
    }

    private func manager() -> NSMigrationManager {
        NSMigrationManager(sourceModel: MigratingModels.first(), destinationModel: MigratingModels.second())
    }

    final class EmptyingNamePolicy: NSEntityMigrationPolicy {
        override func createDestinationInstances(
            forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
            sInstance.setValue("", forKey: "name")
            try manager.sourceContext.save()
        }
    }

    @Test("A property mapping without an expression may name a property that the destination does not have") func unknownProperty() throws {
        let (old, new) = (folder.file("old"), folder.file("new"))
        try MigratingModels.write(.sqlite, at: old)
        let mapping = try mapping("SplitNamePolicy")
        let person = try #require(mapping.entityMappingsByName["IEM_Transform_Person"])
        let property = NSPropertyMapping()
        property.name = "cover"
        person.relationshipMappings?.append(property)
        person.attributeMappings?.append(property)
        try manager().migrateStore(from: old, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
        #expect(FileManager.default.fileExists(atPath: new.path))
    }

    /// The source was opened for reading only, whatever the options were.
    @Test("A policy saves changes of the source if the options say that it is writable") func writableSource() throws {
        let (old, new) = (folder.file("old"), folder.file("new"))
        try MigratingModels.write(.sqlite, at: old)
        let policy = "EmptyingNamePolicy"
        #expect(throws: CocoaError.self) {
            try manager().migrateStore(from: old, type: .sqlite, mapping: try mapping(policy), to: new, type: .sqlite)
        }
        let options = [NSReadOnlyPersistentStoreOption: NSNumber(value: false)]
        try manager().migrateStore(
            from: old, sourceType: NSSQLiteStoreType, options: options, with: try mapping(policy), toDestinationURL: new,
            destinationType: NSSQLiteStoreType, destinationOptions: nil)
        #expect(try MigratingModels.contents(.sqlite, at: new, MigratingModels.second()).count == 1)
    }

    /// Two readings of one mapping model were different.
    @Test("Mapping models with equal mappings are equal") func equality() throws {
        let (first, second) = (try mapping(nil), try mapping(nil))
        #expect(first == second)
        #expect(first.hash == second.hash)
        second.entityMappings[0].attributeMappings?[0].valueExpression = NSExpression(forConstantValue: 1)
        #expect(first != second)
        #expect(try mapping("Policy") != first)
    }

    @Test("An inferred mapping is carried out by the store or object by object, with the same result", arguments: MigratingModels.types)
    func inferred(_ type: NSPersistentStore.StoreType) throws {
        try MigratingModels.write(type, at: folder.file("old"))
        for isSpecific in [true, false] {
            let manager = manager()
            manager.usesStoreSpecificMigrationManager = isSpecific
            let new = folder.file("new-\(isSpecific)")
            try manager.migrateStore(from: folder.file("old"), type: type, mapping: try mapping(nil), to: new, type: type)
            #expect(try MigratingModels.contents(type, at: new, MigratingModels.second()) == ["Ada Lovelace, 36, -, Puff"])
            #expect(manager.migrationProgress == 1)
        }
    }

    @Test("A second migration adds to the destination")
    func appending() throws {
        try MigratingModels.write(.sqlite, at: folder.file("old"))
        let (manager, mapping) = (manager(), try mapping(nil))
        for count in 1...2 {
            try manager.migrateStore(from: folder.file("old"), type: .sqlite, mapping: mapping, to: folder.file("new"), type: .xml)
            #expect(try MigratingModels.contents(.xml, at: folder.file("new"), MigratingModels.second()).count == count)
        }
    }

    @Test("A policy is found by its name and makes the objects, and answers expressions", arguments: MigratingModels.types)
    func policy(_ type: NSPersistentStore.StoreType) throws {
        try MigratingModels.write(type, at: folder.file("old"))
        let mapping = try mapping("SomeApp.SplitNamePolicy")
        let name = mapping.entityMappingsByName["IEM_Transform_Person"]?.attributeMappings?.first { $0.name == "name" }
        name?.valueExpression = NSExpression(format: "FUNCTION($entityPolicy, 'toUpper:', $source.name)")
        try manager().migrateStore(from: folder.file("old"), type: type, mapping: mapping, to: folder.file("new"), type: type)
        let contents = try MigratingModels.contents(type, at: folder.file("new"), MigratingModels.second())
        #expect(contents == ["ADA LOVELACE, 36, Lovelace, Puff"])
    }

    // The fetch that Xcode writes for a mapping was refused as a text, and not carried out for the manager's own selector.
    @Test("The sources are what a fetch gives that is written in the format language")
    func fetchedSources() throws {
        try MigratingModels.write(.sqlite, at: folder.file("old"))
        for (condition, count) in [("name BEGINSWITH 'Ada'", 1), ("name == 'Bea'", 0)] {
            let mapping = try mapping(nil)
            mapping.entityMappingsByName["IEM_Transform_Person"]?.sourceExpression = NSExpression(
                format: "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", \"Person\", \"\(condition)\"), "
                    + "$manager.sourceContext, NO)")
            let manager = manager()
            manager.usesStoreSpecificMigrationManager = false
            let new = folder.file("new-\(count)")
            try manager.migrateStore(from: folder.file("old"), type: .sqlite, mapping: mapping, to: new, type: .sqlite)
            #expect(try MigratingModels.contents(.sqlite, at: new, MigratingModels.second()).count == count)
        }
    }

    @Test("What a policy throws, or cancels with, ends the migration and leaves no destination", arguments: MigratingModels.types)
    func failing(_ type: NSPersistentStore.StoreType) throws {
        try MigratingModels.write(type, at: folder.file("old"))
        for (policy, code) in [("FailingNamePolicy", 134_170), ("CancellingNamePolicy", 3072), ("NobodysPolicy", 134_110)] {
            let error = #expect(throws: (any Error).self) {
                try manager().migrateStore(
                    from: folder.file("old"), type: type, mapping: try mapping(policy), to: folder.file("new"), type: type)
            }
            #expect((error as NSError?)?.code == code)
            #expect(!FileManager.default.fileExists(atPath: folder.file("new").path))
        }
        #expect(try MigratingModels.contents(type, at: folder.file("old"), MigratingModels.first()) == ["Ada Lovelace, 36, -, Puff"])
    }

    @Test("A change that loses values cannot be inferred")
    func lossy() throws {
        let changed = MigratingModels.first()
        try changed.entity("Person").attributesByName["age"]?.attributeType = .dateAttributeType
        let error = #expect(throws: (any Error).self) {
            try NSMappingModel.inferredMappingModel(forSourceModel: MigratingModels.first(), destinationModel: changed)
        }
        #expect((error as NSError?)?.code == NSInferredMappingModelError)
    }

    /// Finds the sources by a request for any results, and computes names.
    final class FindingManager: NSMigrationManager {
        func requestForAll(_ entity: String) -> NSFetchRequest<any NSFetchRequestResult> { NSFetchRequest(entityName: entity) }
    }

    final class CallingPolicy: NSEntityMigrationPolicy {
        func repeated(_ text: String, times: Int) -> String { String(repeating: text, count: times) }
    }

    /// As the plugin writes it for methods with `@objc`; without the table no policy answers.
    @Test("Methods of policies and managers are called by their selectors, with arguments of their types") func methods() throws {
        try MigratingModels.write(.sqlite, at: folder.file("old"))
        let mapping = try mapping("CallingPolicy")
        let person = try #require(mapping.entityMappingsByName["IEM_Transform_Person"])
        person.sourceExpression = NSExpression(
            format: "FETCH(FUNCTION($manager, \"requestForAll:\", \"Person\"), $manager.sourceContext, NO)")
        let name = person.attributeMappings?.first { $0.name == "name" }
        name?.valueExpression = NSExpression(format: "FUNCTION($entityPolicy, 'repeated:times:', $source.name, 2)")
        let manager = FindingManager(sourceModel: MigratingModels.first(), destinationModel: MigratingModels.second())
        try manager.migrateStore(from: folder.file("old"), type: .sqlite, mapping: mapping, to: folder.file("new"), type: .sqlite)
        let contents = try MigratingModels.contents(.sqlite, at: folder.file("new"), MigratingModels.second())
        #expect(contents.first?.hasPrefix("Ada LovelaceAda Lovelace,") == true)
        name?.valueExpression = NSExpression(format: "FUNCTION($entityPolicy, 'repeated:times:', $source.name, $source)")
        #expect(throws: (any Error).self) {
            try manager.migrateStore(from: folder.file("old"), type: .sqlite, mapping: mapping, to: folder.file("other"), type: .sqlite)
        }
    }
}

public nonisolated enum _ManagedMembers: ManagedMemberTable {
    public static func _members(of owner: NSManagedObject.Type) -> [ManagedMember] { [] }

    public static func _functions(of owner: AnyClass) -> [ManagedFunction] {
        if owner == MigrationManagerTests.FindingManager.self {
            return [
                ManagedFunction(MigrationManagerTests.FindingManager.self, "requestForAll:") {
                    try $0.requestForAll(_managedArgument($1, 0))
                }
            ]
        }
        guard owner == MigrationManagerTests.CallingPolicy.self else { return [] }
        return [
            ManagedFunction(MigrationManagerTests.CallingPolicy.self, "repeated:times:") {
                try $0.repeated(_managedArgument($1, 0), times: _managedArgument($1, 1))
            }
        ]
    }
}
