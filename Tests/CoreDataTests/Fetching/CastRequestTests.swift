import CoreData
import Testing

/// A request that a class gives was of a class of its own, and code that casts it to one for the class's objects got nothing.
struct CastRequestTests {
    final class Venue: NSManagedObject {}

    private func context() throws -> NSManagedObjectContext {
        let model = OneEntityModel.make("Venue", "name", .stringAttributeType)
        try model.entity("Venue").managedObjectClassName = NSStringFromClass(Venue.self)
        model.setFetchRequestTemplate(NSFetchRequest<Venue>(entityName: "Venue"), forName: "all")
        let context = try MemoryStack.context(of: model)
        context.performAndWait { _ = Venue(context: context) }
        return context
    }

    private func request<T: NSManagedObject>(for type: T.Type) -> NSFetchRequest<T>? {
        type.fetchRequest() as AnyObject as? NSFetchRequest<T>
    }

    @Test("What a class gives is a request for its objects as well as for any results") func classes() throws {
        let context = try context()
        try context.performAndWait {
            let request = Venue.fetchRequest()
            #expect(try context.fetch(request).count == 1)
            #expect(try context.count(for: unsafeBitCast(request, to: NSFetchRequest<Venue>.self)) == 1)
            let own = try #require(self.request(for: Venue.self))
            let venues: [Venue] = try context.fetch(own)
            #expect(venues.count == 1)
            request.resultType = .dictionaryResultType
            request.propertiesToFetch = ["name"]
            try context.save()
            #expect(try context.fetch(request) as? [NSDictionary] == [[:]])
        }
    }

    @Test("So is a template of the model") func templates() throws {
        let context = try context()
        try context.performAndWait {
            let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
            let template = try #require(model.fetchRequestTemplate(forName: "all") as AnyObject as? NSFetchRequest<Venue>)
            let venues: [Venue] = try context.fetch(template)
            #expect(venues.count == 1)
            #expect(
                model.fetchRequestFromTemplate(withName: "all", substitutionVariables: [:]) as AnyObject is NSFetchRequest<Venue>)
        }
    }
}
