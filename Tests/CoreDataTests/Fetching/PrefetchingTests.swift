import CoreData
import Testing

/// What a fetch brought along waited for its faults as rows, so that objects were faults, and made anew, where Core Data has the objects.
struct PrefetchingTests {
    private let context: NSManagedObjectContext

    init() throws {
        context = try OwnersModel.makeContext()
        let ada = context.make("Owner", "Ada")
        for name in ["Rex", "Tom"] { context.make("Pet", name).setValue(ada, forKey: "owner") }
        context.make("Visit", "First").setValue(ada, forKey: "owner")
        try context.save()
        context.reset()
    }

    @Test("Prefetched destinations are no faults, and retained by their owner, which stays one") func toMany() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Owner")
        request.relationshipKeyPathsForPrefetching = ["pets", "visits"]
        let ada = try #require(try context.fetch(request).first)
        #expect(ada.isFault)
        #expect(context.registeredObjects.filter { !$0.isFault }.count == 3)
        #expect(ada.names("pets") == ["Rex", "Tom"])
    }

    @Test("So are those at the end of a path of to-one relationships") func paths() throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Pet")
        request.relationshipKeyPathsForPrefetching = ["owner.visits"]
        let pets = try context.fetch(request)
        #expect(pets.count == 2)
        #expect(pets.allSatisfy { $0.isFault })
        #expect(context.registeredObjects.filter { !$0.isFault }.compactMap(\.entity.name).sorted() == ["Owner", "Visit"])
    }
}
