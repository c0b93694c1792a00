import CoreData
import Testing

@Suite("Query generations with Core Data's names")
struct QueryGenerationTests {
    private let coordinator: NSPersistentStoreCoordinator

    init() throws {
        coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: OneEntityModel.make("Person", "name", .stringAttributeType))
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    }

    private func context() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    private func add(_ name: String, _ context: NSManagedObjectContext) throws {
        NSEntityDescription.insertNewObject(forEntityName: "Person", into: context).setValue(name, forKey: "name")
        try context.save()
    }

    private func count(_ context: NSManagedObjectContext) throws -> Int {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Person"))
    }

    /// The key was never posted.
    @Test("The save of a pinned context reports the generation, and that of another reports none") func telling() throws {
        let (pinned, other) = (context(), context())
        try pinned.performAndWait { try pinned.setQueryGenerationFrom(.current) }
        for (context, isPinned) in [(pinned, true), (other, false)] {
            try context.performAndWait {
                let log = ContextLog(context)
                try add("Ada", context)
                let saved = try #require(zip(log.entries, log.infos).first { $0.0.kind == "didSave" }).1
                #expect((saved[NSManagedObjectContextQueryGenerationKey] is NSQueryGenerationToken) == isPinned)
            }
        }
    }

    @Test("A context reads the generation that it is pinned to, and so does another with its token") func pinning() throws {
        let (writer, reader, other) = (context(), context(), context())
        try writer.performAndWait { try add("Ada", writer) }
        #expect(reader.queryGenerationToken == nil)
        try reader.performAndWait {
            try reader.setQueryGenerationFrom(.current)
            #expect(reader.queryGenerationToken === NSQueryGenerationToken.current)
            #expect(try count(reader) == 1)
        }
        let token = try #require(reader.queryGenerationToken)
        #expect(token != .current)
        #expect(token.copy() as? NSQueryGenerationToken == token)
        try writer.performAndWait { try add("Bea", writer) }
        #expect(try reader.performAndWait { try count(reader) } == 1)
        try other.performAndWait {
            try other.setQueryGenerationFrom(token)
            #expect(other.queryGenerationToken == token)
            #expect(try count(other) == 1)
            try other.setQueryGenerationFrom(nil)
            #expect(try count(other) == 2)
        }
        reader.performAndWait { reader.reset() }
        #expect(try reader.performAndWait { try count(reader) } == 2)
    }

    @Test("A child cannot be pinned") func child() throws {
        let (parent, child) = (context(), NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType))
        child.parent = parent
        let error = #expect(throws: (any Error).self) { try child.performAndWait { try child.setQueryGenerationFrom(.current) } }
        #expect((error as NSError?)?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
}
