import Dispatch
import Foundation
import Strata
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataPostgreSQL

@Suite("The pool of a store's connections", .server, .timeLimit(.minutes(60)))
struct PoolTests {
    private static let people = ObjectFetchRequest<ManagedObject>(entityName: "Person")

    private static func container(
        _ scratch: Scratch, connections: Int, _ change: (inout StoreOptions) -> Void = { _ in }
    ) throws -> PersistentContainer {
        var store = StoreDescription.postgreSQL(scratch.url, schema: scratch.schema, connections: connections)
        change(&store.options)
        return try PersistentContainer(model: Sample.model(), stores: [store])
    }

    @Test("500 tasks that write and 500 that read share four connections, and all end")
    func manyTasks() async throws {
        let scratch = try Scratch()
        let container = try Self.container(scratch, connections: 4) { $0.timeout = 600 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask(priority: number % 2 == 0 ? .high : .background) {
                    try await container.write { try $0.insert("Person").setValue("\(number)", forKey: "name") }
                }
                group.addTask { _ = try await container.read { try $0.count(for: Self.people) } }
            }
            try await group.waitForAll()
        }
        #expect(try await container.read { try $0.count(for: Self.people) } == 500)
        let pool = try #require(container.coordinator.health.first?.condition.pools.first)
        #expect(pool.used == 0)
        #expect(pool.idle <= 4)
        try container.close()
    }

    @Test("500 threads that fetch at once without the container's blocks share two connections, and all get their answer")
    func manyThreads() throws {
        let scratch = try Scratch()
        let container = try Self.container(scratch, connections: 2) { $0.timeout = 600 }
        let waits = (0..<500).map { _ in
            apart { try container.newContext(isolation: nil).count(for: Self.people) }
        }
        for wait in waits { #expect(try wait() == 0) }
        #expect(container.coordinator.health.first?.condition.pools.first?.timeouts == 0)
        try container.close()
    }

    @Test("A fetch that waits for a connection longer than connectionTimeout gets the error busy")
    func busy() throws {
        let scratch = try Scratch()
        let container = try Self.container(scratch, connections: 1) { $0.connectionTimeout = 0.05 }
        let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let wait = apart {
            try container.coordinator.withSnapshot {
                // The transaction begins with its first statement.
                _ = try container.newContext(isolation: nil).count(for: Self.people)
                isHeld.signal()
                gate.wait()
            }
        }
        isHeld.wait()
        try expectError(.busy, message: "all connections of the store are in use") {
            _ = try container.newContext(isolation: nil).count(for: Self.people)
        }
        let health = try #require(container.coordinator.health.first)
        #expect(health.condition.pools.map(\.used) == [1])
        #expect(health.condition.pools.map(\.timeouts) == [1])
        gate.signal()
        try wait()
        #expect(try container.newContext(isolation: nil).count(for: Self.people) == 0)
        try container.close()
        #expect(container.coordinator.health.isEmpty)
    }
}
