import Foundation
import Strata
import StrataSQLite
import StrataTestSupport
import Testing

@Suite("The guide to migration")
struct MigrationGuideTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("Its examples are the code below")
    func text() throws {
        let examples = try PageExamples(onPage: "Sources/Strata/Documentation.docc/Guides/Migration.md").all
        #expect(examples.count == 5)
        let missing = try PageExamples.lines(of: examples, missingIn: #filePath)
        #expect(missing.isEmpty)
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
