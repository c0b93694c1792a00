import Strata
import StrataModel
import StrataStore
import Testing

/// Stores with several writers at a time learn of conflicts at the commit.
@Suite("Conflicts that come at the commit")
struct CommitConflictTests {
    private let server = SimulatedServer("only")

    private func open() throws -> (PersistentStoreCoordinator, any PersistentStore) {
        let model = try ManagedObjectModel { Entity("Book") { Attribute("name", .string) } }
        let coordinator = PersistentStoreCoordinator(model: model)
        return (coordinator, try coordinator.addStore(StoreDescription(SimulatedDriver(server), at: server.location)))
    }

    private static let unserializable = StoreError(.serializationFailure, .save, "could not serialize access")

    private func books(_ coordinator: PersistentStoreCoordinator) throws -> [ManagedObject] {
        try ManagedObjectContext(coordinator).fetch(ObjectFetchRequest<ManagedObject>(entityName: "Book"))
    }

    @Test("A save that could not be serialized is tried again, in a new transaction, and inserts once")
    func retried() throws {
        let (coordinator, _) = try open()
        server.fail(.commit, with: Self.unserializable, Self.unserializable, Self.unserializable)
        let context = ManagedObjectContext(coordinator)
        try context.insert("Book").setValue("a", forKey: "name")
        try context.save()
        #expect(!context.hasChanges)
        #expect(try books(coordinator).count == 1)
        #expect(server.origins.count == 4)
    }

    @Test("After some attempts the failure reaches the caller, who may save again")
    func givenUp() throws {
        let (coordinator, _) = try open()
        for _ in 0..<7 { server.fail(.commit, with: Self.unserializable) }
        let context = ManagedObjectContext(coordinator)
        try context.insert("Book").setValue("a", forKey: "name")
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .serializationFailure)
        #expect(error?.recovery == .retryable)
        #expect(error?.cocoaCode == 133020)
        #expect(context.hasChanges)
        #expect(try books(coordinator).isEmpty)
        try context.save()
        #expect(try books(coordinator).count == 1)
    }

    @Test("A batch insert, whose source may be read once only, is tried again while the store has only its first rows")
    func batchInsert() throws {
        let (coordinator, _) = try open()
        let context = ManagedObjectContext(coordinator)
        let heard = Heard(coordinator)
        server.fail(.commit, with: Self.unserializable, Self.unserializable)
        let few = BatchInsertRequest(entityName: "Book", objects: [["name": "a"], ["name": "b"]])
        #expect(try context.execute(few).count == 2)
        #expect(try books(coordinator).count == 2)
        #expect(heard.events.map { $0.stores[0].inserted.count } == [2])
        server.fail(.commit, with: Self.unserializable)
        let many = BatchInsertRequest(entityName: "Book", objects: Array(repeating: ["name": "c"], count: 20_000))
        let error = #expect(throws: StoreError.self) { try context.execute(many) }
        #expect(error?.code == .serializationFailure)
        #expect(try books(coordinator).count == 2)
    }

    @Test("A batch update or delete that could not be serialized is tried again, and changes everything once")
    func batchChanges() throws {
        let (coordinator, _) = try open()
        let context = ManagedObjectContext(coordinator)
        try context.execute(BatchInsertRequest(entityName: "Book", objects: [["name": "a"], ["name": "b"]]))
        let heard = Heard(coordinator)
        server.fail(.commit, with: Self.unserializable, Self.unserializable)
        #expect(try context.execute(BatchUpdateRequest(entityName: "Book", set: ["name": "c"])).count == 2)
        #expect(try books(coordinator).map { try $0.value(forKey: "name") as? String } == ["c", "c"])
        server.fail(.commit, with: Self.unserializable, Self.unserializable)
        #expect(try context.execute(BatchDeleteRequest(entityName: "Book")).count == 2)
        #expect(try books(coordinator).isEmpty)
        #expect(heard.events.map { $0.stores[0].updated.count } == [2, 0])
        #expect(heard.events.map { $0.stores[0].deleted.count } == [0, 2])
    }

    @Test("A batch update or delete gives up after some attempts, with nothing changed")
    func batchChangesGivenUp() throws {
        let (coordinator, _) = try open()
        let context = ManagedObjectContext(coordinator)
        try context.execute(BatchInsertRequest(entityName: "Book", objects: [["name": "a"]]))
        for attempt in 0..<2 {
            for _ in 0..<7 { server.fail(.commit, with: Self.unserializable) }
            let error = #expect(throws: StoreError.self) {
                if attempt == 0 {
                    try context.execute(BatchUpdateRequest(entityName: "Book", set: ["name": "c"]))
                } else {
                    try context.execute(BatchDeleteRequest(entityName: "Book"))
                }
            }
            #expect(error?.code == .serializationFailure)
            #expect(try books(coordinator).map { try $0.value(forKey: "name") as? String } == ["a"])
        }
    }

    @Test("User info that could not be serialized with what others saved is set in another transaction")
    func userInfo() throws {
        // A save was tried again, and user info, which is set in a transaction too, was refused at the first failure.
        let (coordinator, store) = try open()
        server.fail(.commit, with: Self.unserializable, Self.unserializable)
        try coordinator.setUserInfo(["owner": .string("me")], of: store)
        #expect(try store.metadata().userInfo["owner"] == .string("me"))
        for _ in 0..<7 { server.fail(.commit, with: Self.unserializable) }
        let error = #expect(throws: StoreError.self) { try coordinator.setUserInfo([:], of: store) }
        #expect(error?.code == .serializationFailure)
        #expect(try store.metadata().userInfo["owner"] == .string("me"))
    }

    @Test("A row version conflict found at the commit names the object as the save's request does")
    func conflict() throws {
        let (coordinator, _) = try open()
        let context = ManagedObjectContext(coordinator)
        let book = try context.insert("Book")
        try context.save()
        try book.setValue("mine", forKey: "name")
        let found = StoreConflict(entity: 0, reference: book.objectID.reference, reason: .deleted)
        server.fail(.commit, with: StoreError(.conflict, .save, "the row is gone", conflicts: [found]))
        let error = #expect(throws: SaveConflictError.self) { try context.save() }
        #expect(error?.conflicts.map(\.objectID) == [book.objectID])
        #expect(context.hasChanges)
        try context.save()
        #expect(try books(coordinator).count == 1)
    }

    @Test("A transaction carries who saves")
    func origin() throws {
        let (coordinator, _) = try open()
        let origin = TransactionOrigin(author: "importer", contextName: "background")
        var request = SaveChangesRequest(origin)
        let heard = Heard(coordinator)
        let entity = try #require(coordinator.model.entity(named: "Book"))
        var writer = RowWriter()
        writer.begin(entity, reference: -1, version: 1)
        var changes = ChangeSet()
        changes.inserted = [writer.finish()]
        request.parts = [SaveChangesRequest.Part(storeID: try coordinator.storeForNewObjects(of: entity), changes)]
        _ = try coordinator.save(request)
        #expect(server.origins == [origin])
        #expect(heard.events.map(\.origin) == [origin])
    }
}
