import Strata
import StrataStore
import Testing

@Suite("Batch requests of a context over another coordinator")
struct BatchExecutorTests {
    @Test("A context whose coordinator has no stores refuses each kind of request")
    func refusal() throws {
        let context = ManagedObjectContext(try Zoo.coordinator())
        let requests: [(StoreError.Operation, () throws -> BatchResult)] = [
            (.batchInsert, { try context.execute(BatchInsertRequest(entityName: "Person", objects: [])) }),
            (.batchUpdate, { try context.execute(BatchUpdateRequest(entityName: "Person", set: [:] as [String: Value])) }),
            (.batchDelete, { try context.execute(BatchDeleteRequest(entityName: "Person")) }),
        ]
        for (operation, execute) in requests {
            let error = #expect(throws: StoreError.self) { _ = try execute() }
            #expect(error?.code == .unsupported)
            #expect(error?.operation == operation)
            #expect(error?.description.contains("the coordinator does not execute batch requests") == true)
        }
    }
}
