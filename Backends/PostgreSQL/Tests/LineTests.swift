import Foundation
import Strata
import StrataModel
import StrataPlatform
import StrataSQL
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: the line to the server fails", .server, .timeLimit(.minutes(60)))
struct LineTests {
    let scratch: Scratch
    let line: FaultyLine
    let model: ManagedObjectModel

    init() throws {
        scratch = try Scratch()
        line = try FaultyLine(to: PostgreSQLServer.shared.get())
        model = try Sample.model()
    }

    private func description(statementTimeout: Double? = nil) -> StoreDescription {
        .postgreSQL(line.url + "&connect_timeout=2", schema: scratch.schema, statementTimeout: statementTimeout)
    }

    private func store(statementTimeout: Double? = nil) throws -> PostgreSQLStore {
        let description = description(statementTimeout: statementTimeout)
        return try #require(try openStore(description, model: model) as? PostgreSQLStore)
    }

    private func context(statementTimeout: Double? = nil) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(model: model)
        try coordinator.addStore(description(statementTimeout: statementTimeout))
        return ManagedObjectContext(coordinator)
    }

    private func names() throws -> [String] { try scratch.run("SELECT name FROM \(scratch.schema).person ORDER BY name") }

    /// Has the line fail for a moment, and then cuts what it carried.
    private func disturb(_ fault: FaultyLine.Fault) {
        line.set(fault)
        Thread.detachNewThread { [line] in
            usleep(300_000)
            line.set(.none)
            line.cut()
        }
    }

    @Test("A save whose acknowledgement was lost is found to have taken effect, and is made once")
    func lostAcknowledgement() throws {
        let store = try store()
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try Sample.person(1, "a", model)]
        #expect(try transaction.apply(changes).isEmpty)
        disturb(.lostAnswers)
        try transaction.commit()
        #expect(try names() == ["a"])
    }

    @Test("A save that did not reach the server is found not to have taken effect, and may be made again")
    func lostCommit() throws {
        let store = try store()
        var changes = ChangeSet()
        changes.inserted = [try Sample.person(1, "a", model)]
        let transaction = try store.beginWrite()
        #expect(try transaction.apply(changes).isEmpty)
        disturb(.silence)
        let error = try expectError(.io) { try transaction.commit() }
        #expect(error.recovery == .retryable)
        #expect(try names() == [])
        let again = try store.beginWrite()
        #expect(try again.apply(changes).isEmpty)
        try again.commit()
        #expect(try names() == ["a"])
    }

    @Test("A session that still works on the commit is terminated before the save is reported as failed")
    func lateCommit() throws {
        let store = try store()
        var changes = ChangeSet()
        changes.inserted = [try Sample.person(1, "a", model)]
        let transaction = try store.beginWrite()
        #expect(try transaction.apply(changes).isEmpty)
        // Who has the log locked keeps the commit waiting.
        let other = try scratch.connection()
        try scratch.run("BEGIN; LOCK TABLE \(scratch.schema).strata_changes IN EXCLUSIVE MODE", on: other)
        disturb(.none)
        try expectError(.io) { try transaction.commit() }
        try scratch.run("ROLLBACK", on: other)
        #expect(try names() == [])
    }

    @Test("A save whose outcome cannot be queried is in doubt, and its error says how to find out")
    func doubt() throws {
        let server = try PostgreSQLServer()
        let own = try Scratch(on: server)
        var description = own.description
        description.options.timeout = 0.5
        let store = try openStore(description, model: model)
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try Sample.person(1, "a", model)]
        #expect(try transaction.apply(changes).isEmpty)
        try server.crash()
        let message = "the connection was lost during the commit: the save … took effect if the table strata_changes names it"
        let error = try expectError(.inDoubt, message: message) { try transaction.commit() }
        #expect(error.recovery == .reopen)
    }

    @Test("A server that is silent is given up some time after the statement should have ended, and is asked again when it answers")
    func silence() throws {
        let context = try context(statementTimeout: 2)
        try context.insert("Person").setValue("a", forKey: "name")
        try context.save()
        line.set(.silence)
        try expectError(.io) { _ = try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Person")) }
        line.set(.none)
        #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Person")) == 1)
    }

    // Only for an answer was a time set: a save that was being sent to a server that took no more of it never came back.
    @Test("A server that takes nothing more of a large save is given up")
    func stall() throws {
        let store = try store(statementTimeout: 2)
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        let name = String(repeating: "x", count: 100_000)
        changes.inserted = try (1...400).map { try Sample.person($0, name, model) }
        line.set(.delay(1_000))
        let isOver = Atomic(false)
        let watching = apart { [line] in
            usleep(300_000)
            line.set(.stall)
            // Where the save still waits long after that, it goes on.
            for _ in 0..<600 where !isOver.load(ordering: .acquiring) { usleep(100_000) }
            line.set(.none)
        }
        try expectError(.io) { _ = try transaction.apply(changes) }
        isOver.store(true, ordering: .releasing)
        try watching()
        transaction.rollback()
        #expect(try names() == [])
    }

    @Test("A statement that takes longer than it may is ended by the server")
    func slowStatements() throws {
        let store = try store(statementTimeout: 0.2)
        let connection = try store.pool.openApart(.fetch)
        let error = try expectError(.locked) { try connection.run(SQLText(verbatim: "SELECT pg_sleep(60)"), .fetch) }
        #expect(error.recovery == .retryable)
        #expect(try connection.run(SQLText(verbatim: "SELECT 1"), .fetch).text(0, 0) == "1")
    }

    @Test("A slow line is none that fails")
    func delay() throws {
        line.set(.delay(5_000))
        let context = try context()
        try context.insert("Person").setValue("a", forKey: "name")
        try context.save()
        #expect(try names() == ["a"])
    }

    @Test("A server of a version that is not supported is refused with the version")
    func version() throws {
        line.set(.version("12"))
        try expectError(.unsupportedVersion, message: "the server is PostgreSQL 12, and versions before 13 are not supported") {
            _ = try store()
        }
    }

    @Test("Lines that are cut between two statements are replaced")
    func cut() throws {
        let context = try context()
        for name in ["a", "b", "c"] {
            try context.insert("Person").setValue(name, forKey: "name")
            try context.save()
            line.cut()
            usleep(20_000)
            #expect(try context.count(for: ObjectFetchRequest<ManagedObject>(entityName: "Person")) == names().count)
        }
    }

    @Test("The caller that waits longest for a connection gets the next, and one that waits too long an error")
    func fairness() throws {
        let parameters = try ServerLocation(scratch.location, .open).parameters
        let pool = ConnectionPool(bound: 1, timeout: 10) { try Connection(parameters, SessionSettings(), $0) }
        let first = try pool.take(.fetch) { _ in }
        let order = Order()
        for number in 0..<8 {
            let isWaiting = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                isWaiting.signal()
                guard let connection = try? pool.take(.fetch, { _ in }) else { return }
                order.add(number)
                pool.give(back: connection)
            }
            isWaiting.wait()
            usleep(20_000)
        }
        pool.give(back: first)
        #expect(order.wait(for: 8) == Array(0..<8))
        let small = ConnectionPool(bound: 1, timeout: 0.05) { try Connection(parameters, SessionSettings(), $0) }
        let taken = try small.take(.fetch) { _ in }
        // On another thread: this one would not wait for itself.
        let error = try expectError(.busy, message: "all connections of the store are in use") {
            try apart { small.give(back: try small.take(.fetch) { _ in }) }()
        }
        #expect(error.recovery == .retryable)
        small.give(back: taken)
        small.give(back: try small.take(.fetch) { _ in })
    }

    private final class Order: Sendable {
        private let numbers = Mutex<[Int]>([])

        func add(_ number: Int) { numbers.withLock { $0.append(number) } }

        func wait(for count: Int) -> [Int] {
            for _ in 0..<60_000 where numbers.withLock({ $0.count }) < count { usleep(10_000) }
            return numbers.withLock { $0 }
        }
    }
}
