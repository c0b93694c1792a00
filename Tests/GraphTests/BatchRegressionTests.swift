import Foundation
import Strata
import StrataTestModels
import StrataTestSupport
import Testing

private final class User: ManagedObject {
    static let id = Key<String>("id")
    static let name = Key<String>("name")
    static let age = Key<Int>("age")
}

/// Each test opens with what went wrong once.
@Suite("Batch requests that went wrong once")
struct BatchRegressionTests {
    private func container(_ store: TestStore, _ directory: TemporaryDirectory, ages: [Int] = []) throws -> PersistentContainer {
        let model = try ManagedObjectModel {
            Entity("User", class: User.self) {
                Attributes(["id": .string, "name": .string, "age": .integer64])
                Unique("id")
            }
        }
        let container = try PersistentContainer(model: model, stores: [store.description(in: directory.path)])
        let objects = ages.map { ["id": Value.string("user \($0)"), "age": .int(Int64($0))] }
        _ = try container.coordinator.execute(BatchInsertRequest(entityName: "User", objects: objects))
        return container
    }

    private func objects(_ ids: [String]) -> AsyncStream<[String: Value]> {
        AsyncStream { stream in
            for id in ids { stream.yield(["id": .string(id)]) }
            stream.finish()
        }
    }

    @Test("The error of an asynchronous insert names every object that is in", arguments: TestStore.allCases)
    func asynchronousCollisions(_ store: TestStore) async throws {
        // Only the chunks with a collision were heard of, unless IDs had been asked for.
        for type in [BatchResultType.statusOnly, .count, .objectIDs] {
            let directory = try TemporaryDirectory()
            let container = try container(store, directory)
            var request = AsyncBatchInsertRequest(entityName: "User", objects: objects(["a", "b", "c", "a", "d", "e"]))
            request.chunkSize = 2
            request.resultType = type
            do {
                try await container.coordinator.execute(request)
                Issue.record("the second a is in")
            } catch let error as BatchInsertError {
                #expect(error.collisions.map(\.index) == [3])
                let context = ManagedObjectContext(container.coordinator)
                let names = try error.inserted.map { try context.existingObject(with: $0).value(forKey: "id") as? String }
                #expect(names == ["a", "b", "c", "d", "e"])
            }
            var more = AsyncBatchInsertRequest(entityName: "User", objects: objects(["f", "g", "h"]))
            more.chunkSize = 2
            more.resultType = type
            let result = try await container.coordinator.execute(more)
            #expect(result.count == 3)
            #expect(result.objectIDs.count == (type == .objectIDs ? 3 : 0))
            #expect(result.changes.inserted == result.objectIDs)
        }
    }

    @Test("Contexts insert asynchronous sequences under their merge policy", arguments: TestStore.allCases)
    func asynchronousPolicies(_ store: TestStore) async throws {
        // Only the coordinator executed them.
        let directory = try TemporaryDirectory()
        let container = try container(store, directory)
        let context = ManagedObjectContext(container.coordinator)
        context.mergePolicy = .mergeByPropertyStoreTrump
        #expect(try await context.execute(AsyncBatchInsertRequest(entityName: "User", objects: objects(["a", "b", "a"]))).count == 2)
        let background = BackgroundContext(container.coordinator)
        try await background.perform { $0.mergePolicy = .mergeByPropertyStoreTrump }
        #expect(try await background.execute(AsyncBatchInsertRequest(entityName: "User", objects: objects(["b", "c"]))).count == 1)
        await #expect(throws: BatchInsertError.self) {
            var strict = AsyncBatchInsertRequest(entityName: "User", objects: objects(["c", "d"]))
            strict.mergePolicy = .error
            try await background.execute(strict)
        }
        #expect(try context.count(for: ObjectFetchRequest<User>()) == 4)
    }

    @Test("The listing of batch updates is the code below")
    func listing() throws {
        // It did not compile.
        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(
            contentsOf: root.appendingPathComponent("Sources/Coordinator/Batches/BatchUpdateRequest.swift"), encoding: .utf8)
        let listing = try #require(source.components(separatedBy: "/// ```swift\n").dropFirst().first).components(separatedBy: "/// ```")[0]
        let lines = listing.split(separator: "\n").map { $0.dropFirst(4).drop { $0 == " " } }
        let code = Set(try String(contentsOf: here, encoding: .utf8).split(separator: "\n").map { $0.drop { $0 == " " } })
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { code.contains($0) })
    }

    @Test("A batch update takes constants, and what operators make", arguments: TestStore.allCases)
    func operators(_ store: TestStore) throws {
        // The initialisers took whole expressions only, and no operator makes one.
        let directory = try TemporaryDirectory()
        let context = ManagedObjectContext(try container(store, directory, ages: [5, 20, 30]).coordinator)
        func users() throws -> [String] {
            try context.fetchDictionaries(ObjectFetchRequest<User>(sort: [User.age.ascending]).fetching("name", "age"))
                .map { "\($0[User.name] ?? "nil") \($0[User.age] ?? 0)" }
        }
        try context.execute(BatchUpdateRequest(entityName: "User", key("age") < 10, set: ["name": "Li Si", "age": 10]))
        #expect(try users() == ["Li Si 10", "nil 20", "nil 30"])
        try context.execute(BatchUpdateRequest(entityName: "User", User.age >= 10, set: ["age": User.age + 1]))
        #expect(try users() == ["Li Si 11", "nil 21", "nil 31"])
        try context.execute(
            BatchUpdateRequest(entityName: "User", set: ["name": QueryExpression.constant("Li Si"), "age": key("age") + 1]))
        #expect(try users() == ["Li Si 12", "Li Si 22", "Li Si 32"])
    }
}
