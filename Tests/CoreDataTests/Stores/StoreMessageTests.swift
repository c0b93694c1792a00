import CoreData
import StrataTestSupport
import Testing

/// Each message of a store that is refused, and of a store of a registered class that answers wrongly.
@Suite("Messages of stores", .serialized)
struct StoreMessageTests {
    @Test("Of an address or a type that no store has")
    func opening() {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: customStoreModel())
        func reason(_ type: String) -> String? {
            reasonOfError {
                try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: URL(string: "https://example.org/store"))
            }
        }
        #expect(reason(NSXMLStoreType) == "a store needs the URL of a file, not https://example.org/store")
        #expect(reason("Cloud") == "there are no stores of the type 'Cloud'")
    }

    @Test("Of a store that was removed, and of metadata that are no property list")
    func files() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: customStoreModel())
        let store = try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
        try coordinator.remove(store)
        #expect(reasonOfError { try coordinator.remove(store) } == "the store was removed from its coordinator")
        let folder = try MigratingModels.Folder()
        try MigratingModels.write(.binary, at: folder.file("store"))
        let reason = reasonOfError {
            try NSPersistentStoreCoordinator.setMetadata(["a": NSObject()], type: .binary, at: folder.file("store"))
        }
        #expect(reason == "metadata hold property lists, not a value of type NSObject")
    }

    private static let type = "WronglyAnsweringStore"

    private static let answers: [(String, [String: any Sendable], @Sendable (NSManagedObjectContext) throws -> Void)] = [
        (
            "the store answered a fetch with a value of type String, and no array", ["answer": "text"],
            { _ = try $0.names("Pet") }
        ),
        (
            "the store gave a value of type …, which the attribute does not hold", ["name": 7],
            { _ = try $0.names("Owner") }
        ),
        (
            "the store gave no ID of its own for a new object", [:],
            { context in
                _ = context.add("Owner")
                try context.save()
            }
        ),
        (
            "a store of the type 'WronglyAnsweringStore' takes what a context saves, and nothing else", [:],
            { try $0.execute(NSBatchInsertRequest(entityName: "Owner", objects: [["name": "Ada"]])) }
        ),
    ]

    @Test("Of a store of a registered class", arguments: answers)
    func answer(
        _ message: String, _ options: [String: any Sendable], _ body: @Sendable (NSManagedObjectContext) throws -> Void
    ) throws {
        NSPersistentStoreCoordinator.registerStoreClass(WronglyAnsweringStore.self, forStoreType: StoreMessageTests.type)
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: customStoreModel())
        try coordinator.addPersistentStore(
            ofType: StoreMessageTests.type, configurationName: nil, at: URL(string: "https://example.org"), options: options)
        let context = customStoreContext(coordinator)
        let reason = context.performAndWait { reasonOfError { try body(context) } }
        #expect(masked(reason, message) == message)
    }
}

/// An incremental store with one object of each entity, whose answers are in its options.
private final class WronglyAnsweringStore: NSIncrementalStore, @unchecked Sendable {
    override func loadMetadata() throws {
        metadata = [NSStoreTypeKey: "WronglyAnsweringStore", NSStoreUUIDKey: "8A1D1C0E-0C5B-4E0B-9E0E-2B1C1F1E6D12"]
    }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
        if let answer = options?["answer"] { return answer }
        let entity = (request as? NSFetchRequest<any NSFetchRequestResult>)?.entity
        return entity.map { [newObjectID(for: $0, referenceObject: "one")] } ?? []
    }

    override func newValuesForObject(
        with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
        NSIncrementalStoreNode(objectID: objectID, withValues: ["name": options?["name"] ?? "Ada"], version: 1)
    }

    override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any { [NSManagedObjectID]() }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] { [] }
}
