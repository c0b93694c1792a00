import Foundation
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataSQLite

@Suite("SQLite: cancelled reads", .timeLimit(.minutes(60)))
struct CancellingTests {
    /// A statement that never ends.
    private static let endless: StaticString = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    private let sandbox: Sandbox
    private let store: SQLiteStore

    init() throws {
        sandbox = try Sandbox()
        let model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("balance", .integer64) }])
        store = try #require(try open(sandbox.path(), model) as? SQLiteStore)
        #expect(try store.insert(try row(model, "Account", 1, ["balance": 7])).isEmpty)
    }

    private func expectCancelled(_ cancellation: StoreCancellation) throws {
        StoreCancellation.$current.withValue(cancellation) {
            let error = #expect(throws: StoreError.self) {
                try store.withConnection { connection in try connection.execute(CancellingTests.endless, .fetch) }
            }
            #expect(error?.code == .cancelled)
            #expect(error?.message == "the task that waits for the answer was cancelled")
        }
        #expect(try store.row(root: 0, reference: 1) != nil)
    }

    @Test("A statement ends when its task is cancelled, and the store is read as before")
    func running() throws {
        let cancellation = StoreCancellation()
        Thread.detachNewThread {
            usleep(50_000)
            cancellation.cancel()
        }
        try expectCancelled(cancellation)
    }

    @Test("A statement of a task that was cancelled before ends soon")
    func before() throws {
        let cancellation = StoreCancellation()
        cancellation.cancel()
        try expectCancelled(cancellation)
    }

    @Test("A read of a held snapshot is cancelled, too")
    func snapshot() throws {
        let cancellation = StoreCancellation()
        cancellation.cancel()
        let snapshot = try #require(try store.holdSnapshot())
        StoreCancellation.$current.withValue(cancellation) {
            let error = #expect(throws: StoreError.self) {
                try snapshot.read { reader in
                    try (reader as? SQLiteReader)?.connection.execute(CancellingTests.endless, .fetch)
                }
            }
            #expect(error?.code == .cancelled)
        }
    }
}
