import Strata
import StrataTestSupport
import Testing

private final class Bird: ManagedObject {
    static let wings = Key<Int>("wings")
    static let song = Key<String>("song")
}

@Suite("IDs that name an entity beside the object's own")
struct OtherEntityTests {
    @Test("Such an ID identifies no object", arguments: TestStore.allCases)
    func beside(_ store: TestStore) throws {
        // The row was taken for one of the ID's entity, and typed keys read its slots as they lie there, or behind the end of the row.
        let directory = try TemporaryDirectory()
        let model = try ManagedObjectModel {
            Entity("Animal") { Attribute("name", .string) }
            Entity("Bird", parent: "Animal", class: Bird.self) {
                Attribute(Bird.wings, .integer16)
                Attribute(Bird.song, .string)
            }
            Entity("Fish", parent: "Animal")
        }
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(store.description(in: directory.path))
        let context = ManagedObjectContext(coordinator)
        let fish = try context.insert("Fish")
        try context.save()
        let id = try #require(coordinator.objectID(forURI: "\(fish.objectID)".replacing("/Fish/", with: "/Bird/")))
        #expect(id.entity.name == "Bird")

        let other = ManagedObjectContext(coordinator)
        let error = #expect(throws: StoreError.self) { try other.existingObject(with: id) }
        #expect(error?.code == .notFound)
        let bird = try #require(other.object(with: id) as? Bird)
        #expect(bird[Bird.wings] == nil)
        #expect(bird[Bird.song] == nil)
        #expect(bird.isDeleted)
        #expect(try other.existingObjects(with: [id]).isEmpty)
        // An ancestor's name leads to the object.
        let animal = try #require(coordinator.objectID(forURI: "\(fish.objectID)".replacing("/Fish/", with: "/Animal/")))
        #expect(try other.existingObject(with: animal).entity.name == "Fish")
    }
}
