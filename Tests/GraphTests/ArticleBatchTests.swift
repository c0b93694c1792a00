import Strata
import StrataTestModels
import StrataTestSupport
import Testing

/// The listings of the article that users of Core Data learn batch requests from, with what they print.
@Suite("The article's batch listings, on every store")
struct ArticleBatchTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func container(_ store: TestStore, withUsers: Bool = true) throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            Entity("User") {
                Attributes(["id": .string, "name": .string])
                Attribute("age", .integer16, default: 0)
                Unique("id")
            }
        }
        let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path)])
        guard withUsers else { return container }
        var request = BatchInsertRequest(
            entityName: "User",
            objects: [
                ["id": "0001", "name": "张三", "age": 2],
                ["id": "0002", "name": "张四", "age": 6],
                ["id": "0003", "name": "张五", "age": 8],
                ["id": "0004", "name": "张六", "age": 16],
                ["id": "0005", "name": "张七", "age": 18],
            ])
        request.resultType = .objectIDs
        #expect(try container.coordinator.execute(request).objectIDs.count == 5)
        return container
    }

    private func fetch(_ predicate: QueryPredicate?, _ context: ManagedObjectContext) throws -> [ManagedObject] {
        try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "User", predicate, sort: [QuerySort("id")]))
    }

    private func text(_ object: ManagedObject, _ key: String = "name") throws -> String? { try object.value(forKey: key) as? String }

    @Test("A batch insert of five users", arguments: TestStore.allCases)
    func insert(_ store: TestStore) throws {
        let context = ManagedObjectContext(try container(store).coordinator)
        let users = try fetch(nil, context)
        #expect(try users.map { try text($0) } == ["张三", "张四", "张五", "张六", "张七"])
        #expect(try users.map { try text($0, "id") } == ["0001", "0002", "0003", "0004", "0005"])
        #expect(try users.map { try $0.value(forKey: "age") as? Int } == [2, 6, 8, 16, 18])
    }

    @Test("An object that was deleted and saved has no ID to read", arguments: TestStore.allCases)
    func ordinaryDelete(_ store: TestStore) throws {
        let context = ManagedObjectContext(try container(store).coordinator)
        let user = try fetch(key("age") == 2, context)[0]
        context.delete(user)
        try context.save()
        #expect(try text(user, "id") == nil)
    }

    @Test("A batch delete leaves the context's object readable until it is merged", arguments: TestStore.allCases)
    func delete(_ store: TestStore) throws {
        let context = ManagedObjectContext(try container(store).coordinator)
        let users = try fetch(key("age") < 8, context)
        #expect(try users.map { try text($0, "id") } == ["0001", "0002"])
        var byRequest = BatchDeleteRequest(fetchRequest: ObjectFetchRequest<ManagedObject>(entityName: "User", key("id") == "0001"))
        byRequest.resultType = .objectIDs
        byRequest.mergesIntoContexts = false
        var byIDs = BatchDeleteRequest(objectIDs: [users[1].objectID])
        byIDs.resultType = .objectIDs
        byIDs.mergesIntoContexts = false
        let ids = try context.execute(byRequest).objectIDs + context.execute(byIDs).objectIDs
        #expect(try users.map { try text($0, "id") } == ["0001", "0002"])
        ManagedObjectContext.mergeChanges(fromRemoteContextSave: [.deleted: ids], into: [context])
        #expect(try users.map { try text($0, "id") } == [nil, nil])
        #expect(try fetch(nil, context).count == 3)
    }

    @Test("A batch update shows after it was merged", arguments: TestStore.allCases)
    func update(_ store: TestStore) throws {
        let context = ManagedObjectContext(try container(store).coordinator)
        let users = try fetch(key("age") < 10, context)
        #expect(try users.map { try text($0) } == ["张三", "张四", "张五"])
        var request = BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["name": "李四"])
        request.resultType = .objectIDs
        request.mergesIntoContexts = false
        let ids = try context.execute(request).objectIDs
        #expect(try users.map { try text($0) } == ["张三", "张四", "张五"])
        ManagedObjectContext.mergeChanges(fromRemoteContextSave: [.updated: ids], into: [context])
        #expect(try users.map { try text($0) } == ["李四", "李四", "李四"])
    }

    private static let outcomes: [(policy: MergePolicy, isRefused: Bool, name: String)] = [
        (.error, true, "张八"), (.mergeByPropertyStoreTrump, false, "张八"), (.mergeByPropertyObjectTrump, false, "张九"),
        (.overwrite, false, "张九"), (.rollback, false, "张八"),
    ]

    /// Two users of one ID, in as many requests as `objects` has lists.
    private func collide(_ store: TestStore, _ requests: [[[String: Value]]]) throws {
        for (index, outcome) in ArticleBatchTests.outcomes.enumerated() {
            let directory = try TemporaryDirectory()
            let model = try container(store, withUsers: false).model
            let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path, name: "\(index)")])
            let context = ManagedObjectContext(container.coordinator)
            context.mergePolicy = outcome.policy
            var error: BatchInsertError?
            for objects in requests {
                do { try context.execute(BatchInsertRequest(entityName: "User", objects: objects)) } catch let caught as BatchInsertError {
                    error = caught
                }
            }
            let stored = try fetch(nil, context)
            #expect(try stored.map { try text($0) } == [outcome.name], "\(outcome.policy)")
            #expect((error != nil) == outcome.isRefused, "\(outcome.policy)")
            #expect(error.map { $0.collisions.map(\.existing) == stored.map(\.objectID) } ?? true)
            #expect(error.map { $0.collisions.map { $0.values["name"] } == [.string("张九")] } ?? true)
        }
    }

    private static let first: [String: Value] = ["id": "0006", "name": "张八", "age": 16]
    private static let second: [String: Value] = ["id": "0006", "name": "张九", "age": 18]

    @Test("The table of merge policies, where the first user is stored before the second comes", arguments: TestStore.allCases)
    func policiesOverRequests(_ store: TestStore) throws { try collide(store, [[Self.first], [Self.second]]) }

    @Test("The table of merge policies, where both users are in one request", arguments: TestStore.allCases)
    func policiesWithinRequest(_ store: TestStore) throws { try collide(store, [[Self.first, Self.second]]) }
}
