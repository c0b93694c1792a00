import Foundation
import Strata
import StrataModelFiles
import StrataSQLite
import StrataTestSupport
import Synchronization
import Testing

@Suite("The guide to migration")
struct MigrationGuideTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("Its examples are the code below")
    func text() throws {
        #expect(try PageExamples.ofGuide("Migration") == (10, []))
    }

    @Test("The second version of the guide has what was saved with the first")
    func migrating() throws {
        let first = try ManagedObjectModel {
            Entity("Person") {
                Attribute("name", .string)
                Attribute("age", .integer16)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
            }
            Entity("Pet") {
                Attribute("name", .string)
                Relationship("owner", to: "Person", inverse: "pets")
            }
        }
        var description = StoreDescription(.sqlite, path: directory.file("store.sqlite"))
        do {
            let coordinator = PersistentStoreCoordinator(model: first)
            let store = try coordinator.addStore(description)
            let context = ManagedObjectContext(coordinator)
            let person = try context.insert("Person")
            try person.setValue("Ada", forKey: "name")
            try person.setValue(Set([try context.insert("Pet")]), forKey: "pets")
            try context.save()
            try coordinator.remove(store)
        }
        let second = try ManagedObjectModel {
            Entity("Person") {
                Attribute("fullName", .string).renamed(from: "name")
                Attribute("age", .integer32)
                Attribute("level", .integer16, default: 1).required
                Relationship("pets", to: "Animal", inverse: "owners", .toMany)
            }
            Entity("Animal") {
                Attribute("name", .string)
                Relationship("owners", to: "Person", inverse: "pets", .toMany).renamed(from: "owner")
            }.with { $0.renamingIdentifier = "Pet" }
        }
        description.earlierModels = [first]
        if let plan = try PersistentStoreCoordinator.migrationPlan(for: description, to: second) {
            print(plan)
            guard !plan.losesData else { return }
        }
        description.shouldMigrateStoreAutomatically = false
        try PersistentStoreCoordinator.migrateStore(description, to: second)
        let coordinator = PersistentStoreCoordinator(model: second)
        try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        let people = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person"))
        #expect(try people.map { try $0.value(forKey: "fullName") as? String } == ["Ada"])
        #expect(try people.map { try $0.value(forKey: "level") as? Int } == [1])
        #expect(try people.map { (try $0.value(forKey: "pets") as? Set<ManagedObject>)?.count } == [1])
        let error = try #require(throws: StoreError.self) { try PersistentStoreCoordinator(model: first).addStore(description) }
        #expect(error.code == .incompatibleModel)
    }

    final class BadgePolicy: EntityMigrationPolicy {
        override func createDestinationInstances(
            forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
        ) throws {
            try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
            let level = try source.value(forKey: "level") as? Int ?? 0
            for badge in manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [source]) {
                try badge.setValue(level > 5 ? "gold" : "silver", forKey: "color")
            }
        }
    }

    @Test("The mapping of the guide makes badges, reports its progress, and can be cancelled")
    func mapping() throws {
        func pet() -> Entity {
            Entity("Pet") { Relationship("owner", to: "Person", inverse: "pets") }
        }
        let third = try ManagedObjectModel {
            Entity("Person") {
                Attribute("familyName", .string)
                Attribute("level", .integer16)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
            }
            pet()
        }
        let fourth = try ManagedObjectModel {
            Entity("Person") {
                Attribute("familyName", .string)
                Attribute("label", .string)
                Attribute("petCount", .integer32)
                Relationship("pets", to: "Pet", inverse: "owner", .toMany)
                Relationship("badge", to: "Badge", inverse: "holder")
            }
            Entity("Badge") {
                Attribute("color", .string)
                Relationship("holder", to: "Person", inverse: "badge")
            }
            pet()
        }
        var description = StoreDescription(.sqlite, path: directory.file("mapped.sqlite"))
        do {
            let coordinator = PersistentStoreCoordinator(model: third)
            let store = try coordinator.addStore(description)
            let context = ManagedObjectContext(coordinator)
            for (name, level) in [("Lovelace", 9), ("Byron", 0)] {
                let person = try context.insert("Person")
                try person.setValue(name, forKey: "familyName")
                try person.setValue(level, forKey: "level")
                try person.setValue(Set([try context.insert("Pet")]), forKey: "pets")
            }
            try context.save()
            try coordinator.remove(store)
        }
        let mapping = try MappingModel(from: third, to: fourth) {
            EntityMapping(from: "Person", to: "Person") {
                PropertyMapping("label", "uppercase:($source.familyName)")
                PropertyMapping("petCount", "$source.pets.@count")
            }
            EntityMapping(from: "Person", to: "Badge", where: "level > 0", policy: "BadgePolicy") {
                PropertyMapping("holder", "$source", mappedBy: "PersonToPerson")
            }
        }
        let isCancelled = Atomic(true)
        description.migrationProgress = { progress in
            print("\(Int(progress.fractionCompleted * 100)) % \(progress.entity ?? "")")
            if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        }
        let error = try #require(throws: StoreError.self) {
            try PersistentStoreCoordinator.migrateStore(
                description, to: fourth, mapping: mapping, policies: ["BadgePolicy": BadgePolicy.self])
        }
        #expect(error.code == .cancelled)
        isCancelled.store(false, ordering: .relaxed)
        try PersistentStoreCoordinator.migrateStore(
            description, to: fourth, mapping: mapping, policies: ["BadgePolicy": BadgePolicy.self])
        let coordinator = PersistentStoreCoordinator(model: fourth)
        try coordinator.addStore(description)
        let context = ManagedObjectContext(coordinator)
        let people = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person", sort: [QuerySort("familyName")]))
        #expect(try people.map { try $0.value(forKey: "label") as? String } == ["BYRON", "LOVELACE"])
        #expect(try people.map { try $0.value(forKey: "petCount") as? Int } == [1, 1])
        let badges = try people.map { try $0.value(forKey: "badge") as? ManagedObject }
        #expect(try badges.map { try $0?.value(forKey: "color") as? String } == [nil, "gold"])
    }

    @Test("The mapping model in a file says what the guide's does")
    func file() throws {
        let path = directory.file("Shop 3-Shop 4.xcmappingmodel")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try MappingText.named.write(toFile: path + "/xcmapping.xml", atomically: true, encoding: .utf8)
        func model(_ name: String) throws -> ManagedObjectModel {
            try ManagedObjectModel { Entity("Person") { Attribute(name, .string) } }
        }
        let (third, fourth) = (try model("name"), try model("label"))
        let file = try MappingFile(contentsOf: path)  // "Shop 3-Shop 4.xcmappingmodel"
        let mapping = try file.mapping(from: third, to: fourth)
        #expect(mapping.plan.description.contains("compute Person.label as FUNCTION($entityPolicy, \"labelOf:\", $source.name)"))
    }

    @Test("The stages of the guide fill what they say")
    func stages() throws {
        func model(_ attributes: Attribute...) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [Entity("Person") { attributes }])
        }
        let first = try model(Attribute("name", .string))
        let second = try model(Attribute("fullName", .string).renamed(from: "name"))
        let third = try model(Attribute("familyName", .string))
        let description = StoreDescription(.sqlite, path: directory.file("staged.sqlite"))
        do {
            let coordinator = PersistentStoreCoordinator(model: first)
            let store = try coordinator.addStore(description)
            let context = ManagedObjectContext(coordinator)
            try context.insert("Person").setValue("Ada Lovelace", forKey: "name")
            try context.save()
            try coordinator.remove(store)
        }
        let stages: [MigrationStage] = [
            .lightweight(to: second),
            .custom(to: third) { old, new in
                let (before, after) = (ManagedObjectContext(old), ManagedObjectContext(new))
                for person in try after.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")) {
                    guard let id = old.objectID(forURI: person.objectID.uriRepresentation) else { continue }
                    let name = try before.existingObject(with: id).value(forKey: "fullName") as? String
                    try person.setValue(name?.split(separator: " ").last.map(String.init), forKey: "familyName")
                }
                try after.save()
            },
        ]
        let container = try PersistentContainer(model: third, stores: [description], stages: stages)
        let context = ManagedObjectContext(container.coordinator)
        let people = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person"))
        #expect(try people.map { try $0.value(forKey: "familyName") as? String } == ["Lovelace"])
    }
}
