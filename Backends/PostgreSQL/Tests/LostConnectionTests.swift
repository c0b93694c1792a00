import Dispatch
import Strata
import StrataModel
import StrataPlatform
import StrataSQL
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: reads whose connection is lost", .server, .timeLimit(.minutes(60)))
struct LostConnectionTests {
    let server: PostgreSQLServer
    let scratch: Scratch
    let store: PostgreSQLStore
    let plan: FetchPlan

    /// A store with one person, on a server of its own.
    init() throws {
        server = try PostgreSQLServer()
        scratch = try Scratch(on: server)
        let model = try Sample.model()
        store = try #require(try openStore(scratch.description, model: model) as? PostgreSQLStore)
        plan = FetchPlan(try #require(model.entity(named: "Person")), .count)
        try scratch.run("INSERT INTO \(scratch.schema).person (_id, _entity, _version, name) VALUES (1, 1, 1, 'a')")
    }

    private func count() throws -> Int { try store.read { try count($0) } }

    private func count(_ reader: any StoreReader) throws -> Int {
        guard case .count(let count) = try reader.answer(plan) else { return -1 }
        return count
    }

    /// Has as many connections idle.
    private func keepIdle(_ count: Int) throws {
        let connections = try (0..<count).map { _ in try store.pool.take(.fetch) { _ in } }
        for connection in connections { store.pool.give(back: connection) }
    }

    private func endSessions() throws {
        let condition = "backend_type = 'client backend' AND pid <> pg_backend_pid()"
        try scratch.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(condition)")
    }

    /// Waits until a session waits for a lock, and computes something about it.
    private func forWaiting(_ expression: String) throws {
        for _ in 0..<3_000 {
            let condition = "wait_event_type = 'Lock' AND pid <> pg_backend_pid()"
            if try !scratch.run("SELECT \(expression) FROM pg_stat_activity WHERE \(condition)").isEmpty { return }
            usleep(10_000)
        }
        Issue.record("nobody waits")
    }

    private func endWaiting() throws { try forWaiting("pg_terminate_backend(pid)") }

    @Test("Sessions that the server ended between two reads cause no error")
    func ended() throws {
        try keepIdle(8)
        try endSessions()
        for _ in 0..<8 { #expect(try count() == 1) }
        try keepIdle(8)
        try endSessions()
        #expect(try store.metadata().type == .postgreSQL)
        try endSessions()
        #expect(try store.preparedSaves().isEmpty)
    }

    @Test("A server that is restarted between two reads causes no error")
    func restarted() throws {
        try keepIdle(8)
        try server.restart()
        for _ in 0..<8 { #expect(try count() == 1) }
        try keepIdle(8)
        try server.crash()
        let reads = (0..<8).map { _ in apart { try count() } }
        usleep(200_000)
        try server.start()
        for read in reads { #expect(try read() == 1) }
    }

    @Test("A read that was not answered yet is begun again, once on a new connection, and then fails")
    func repeated() throws {
        let locking = try scratch.connection()
        try scratch.run("BEGIN; LOCK TABLE \(scratch.schema).person IN ACCESS EXCLUSIVE MODE", on: locking)
        try keepIdle(1)
        let answered = apart { try count() }
        for _ in 0..<2 { try endWaiting() }
        try scratch.run("ROLLBACK", on: locking)
        #expect(try answered() == 1)
        try scratch.run("BEGIN; LOCK TABLE \(scratch.schema).person IN ACCESS EXCLUSIVE MODE", on: locking)
        let failed = apart { try count() }
        for _ in 0..<3 { try endWaiting() }
        let error = try expectError(.io) { _ = try failed() }
        #expect(error.recovery == .retryable)
        try scratch.run("ROLLBACK", on: locking)
        #expect(try count() == 1)
    }

    @Test("A read of whose snapshot something was seen, or which others were told to be of the same state as, fails")
    func seen() throws {
        try expectError(.io) {
            try store.read { reader in
                #expect(try count(reader) == 1)
                try endSessions()
                _ = try count(reader)
            }
        }
        try expectError(.io) {
            try store.read { reader in
                try reader.takeSnapshot()
                try endSessions()
                _ = try count(reader)
            }
        }
        #expect(try count() == 1)
    }

    @Test("Sessions that the server ended between two saves, which are sent at once with all they do, cause no error")
    func saves() throws {
        let coordinator = PersistentStoreCoordinator(model: store.model)
        try coordinator.addStore(scratch.description)
        let context = ManagedObjectContext(coordinator)
        for name in ["b", "c", "d"] {
            for part in ["1", "2"] {
                try context.insert("Pet").setValue(name + part, forKey: "name")
                try context.save()
            }
            try endSessions()
            try context.obtainPermanentIDs(for: [try context.insert("Pet")])
            try endSessions()
            try context.execute(BatchInsertRequest(entityName: "Pet", objects: [["name": .string(name)]]))
            try endSessions()
        }
        try server.restart()
        _ = try context.insert("Pet")
        try context.save()
        #expect(try scratch.run("SELECT count(*) FROM \(scratch.schema).pet") == ["13"])
    }

    @Test("A transaction whose session ends before its first statement can be repeated")
    func beginning() throws {
        func begun() throws -> PostgreSQLTransaction {
            while true {
                _ = try count()
                let transaction = try #require(try store.beginWrite() as? PostgreSQLTransaction)
                // What begins it waits only on a connection that was used just now.
                if !transaction.connection.postponed.isEmpty { return transaction }
                transaction.rollback()
            }
        }
        let transaction = try begun()
        try endSessions()
        let changes = ChangeSet(inserted: [try Sample.person(2, "b", store.model)])
        try expectError(.serializationFailure, message: "the connection was lost before the transaction began") {
            _ = try transaction.apply(changes)
            try transaction.commit()
        }
        transaction.rollback()
        let again = try store.beginWrite()
        #expect(try again.apply(changes).isEmpty)
        try again.commit()
        #expect(try count() == 2)
    }

    @Test("A read whose task was cancelled is not begun again")
    func cancelled() throws {
        let cancellation = StoreCancellation()
        var times = 0
        try StoreCancellation.$current.withValue(cancellation) {
            try expectError(.io) {
                _ = try store.pool.ask(.fetch, isRepeatable: true) { connection in
                    times += 1
                    cancellation.cancel()
                    try endSessions()
                    try connection.run(SQLText(verbatim: "SELECT 1"), .fetch)
                }
            }
        }
        #expect(times == 1)
    }
}
