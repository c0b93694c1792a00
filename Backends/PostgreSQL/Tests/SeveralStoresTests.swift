import Strata
import StrataModel
import StrataQuery
import StrataStore
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: changes of several stores", .server, .timeLimit(.minutes(60)))
struct SeveralStoresTests {
    // What was to be changed was read on another connection while the transactions were open: with one each, the request locked itself out.
    @Test("Batch requests over several stores need one connection to each")
    func oneConnection() throws {
        let scratches = try (0..<2).map { _ in try Scratch() }
        let coordinator = PersistentStoreCoordinator(model: try Sample.model())
        for scratch in scratches {
            var description = StoreDescription.postgreSQL(scratch.url, schema: scratch.schema, connections: 1)
            description.options.timeout = 1
            try coordinator.addStore(description)
        }
        let context = ManagedObjectContext(coordinator)
        for store in coordinator.stores {
            for name in ["a", "b", "c"] {
                let person = try context.insert("Person")
                try person.setValue(name, forKey: "name")
                try context.assign(person, to: store)
            }
        }
        try context.save()
        func people(_ condition: String) throws -> [String] {
            try scratches.flatMap { try $0.run("SELECT name FROM \($0.schema).person WHERE \(condition) ORDER BY name") }
        }
        let early = try QueryPredicate(format: "name < 'c'")
        #expect(try context.execute(BatchUpdateRequest(entityName: "Person", early, set: ["age": Value.int(7)])).count == 4)
        #expect(try people("age = 7") == ["a", "b", "a", "b"])
        #expect(try context.execute(BatchDeleteRequest(entityName: "Person", early)).count == 4)
        #expect(try people("true") == ["c", "c"])
        let ids = try context.fetch(ObjectFetchRequest<ManagedObject>(entityName: "Person")).map(\.objectID)
        #expect(try context.execute(BatchDeleteRequest(objectIDs: ids)).count == 2)
        #expect(try people("true") == [])
    }
}
