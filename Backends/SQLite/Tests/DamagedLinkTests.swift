import Strata
import StrataSQLite
import StrataTestModels
import StrataTestSupport
import Testing

@Suite("Links to objects of other entities")
struct DamagedLinkTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel {
            Entity("Animal") { Attribute("name", .string) }
            Entity("Bird", parent: "Animal") {
                Relationships(["friends": .toMany("Bird.friends"), "owner": .toOne("Keeper.birds")])
            }
            Entity("Fish", parent: "Animal")
            Entity("Keeper", attributes: ["name": .string], relationships: ["birds": .toMany("Bird.owner")])
        }
    }

    @Test("A relationship whose objects are not of its destination entity is damage", arguments: ["Animal", "Fish"])
    func otherEntity(_ name: String) throws {
        // The objects were related all the same: setting their inverse, which such an entity does not have, trapped in the next save.
        let directory = try TemporaryDirectory()
        let model = try model()
        let description = StoreDescription(.sqlite, path: "\(directory.path)/zoo.sqlite")
        let coordinator = PersistentStoreCoordinator(model: model)
        let context = ManagedObjectContext(coordinator)
        let store = try coordinator.addStore(description)
        let birds = try (0..<3).map { _ in try context.insert("Bird") }
        let keeper = try context.insert("Keeper")
        try birds[0].setValue(Set([birds[1], birds[2]]), forKey: "friends")
        for bird in birds { try bird.setValue(keeper, forKey: "owner") }
        try context.save()
        try coordinator.remove(store)
        let entity = try #require(model.entity(named: name)).index.rawValue + 1
        let bird = try #require(model.entity(named: "Bird")).index.rawValue + 1
        _ = try raw("\(directory.path)/zoo.sqlite", "UPDATE ZANIMAL SET Z_ENT = \(entity) WHERE Z_PK > 1 AND Z_ENT = \(bird)")

        let reopened = PersistentStoreCoordinator(model: model)
        let reader = ManagedObjectContext(reopened)
        let damaged = try reopened.addStore(description)
        let found = try #require(try reader.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Bird")).first)
        let owner = try #require(try reader.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Keeper")).first)
        for (object, key) in [(found, "friends"), (owner, "birds")] {
            let error = #expect(throws: StoreError.self) { try object.value(forKey: key) }
            #expect(error?.code == .corrupt)
            #expect(error?.entity == "Bird")
            #expect(error?.key == key)
        }
        #expect(throws: StoreError.self) {
            try found.setValue(Set<ManagedObject>(), forKey: "friends")
            try reader.save()
        }
        #expect(try !reopened.verify(damaged).isEmpty)
    }
}
