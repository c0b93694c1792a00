import Dispatch
import Foundation
import Strata
import StrataSQL
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataPostgreSQL

@Suite("PostgreSQL: prepared saves", .server, .timeLimit(.minutes(60)))
struct PreparedSaveTests {
    /// A prepared save of nothing, whose coordinator is on another machine, and the name of its transaction.
    private func prepareElsewhere(_ scratch: Scratch) throws -> (store: any PreparingStore, id: String, transaction: String) {
        var description = scratch.description
        description.configuration = "items"
        description.options.timeout = 0.2
        let store = try #require(
            try openStore(description, model: try WorkerModel.model.get()) as? any PreparingStore)
        let transaction = try #require(try store.beginWrite() as? any PreparingTransaction)
        let id = UUID().uuidString
        try transaction.prepare(as: PreparedSave(id: id, decidingStoreID: StoreID("another"), decidingStore: .file("/nowhere")))
        return (store, id, try #require(try scratch.run("SELECT gid FROM pg_prepared_xacts WHERE gid LIKE '%\(id)%'").first))
    }

    // The log did not name a prepared save that had changed nothing: one that another process had committed was in doubt.
    @Test("is known to be committed by another process, also where it changed nothing")
    func committedByAnother() throws {
        let scratch = try Scratch()
        let prepared = try prepareElsewhere(scratch)
        try scratch.run("COMMIT PREPARED '\(prepared.transaction)'")
        try prepared.store.commitPrepared(prepared.id)
        #expect(throws: StoreError.self) { try prepared.store.commitPrepared(UUID().uuidString) }
    }

    // Ending a prepared transaction failed for good where another session was ending it at the same time.
    @Test("is locked as long as another session ends it, and committed then")
    func endedByAnother() throws {
        let server = try PostgreSQLServer()
        defer { withExtendedLifetime(server) {} }
        let scratch = try Scratch(on: server)
        let prepared = try prepareElsewhere(scratch)
        func setStandby(_ name: String) throws {
            try scratch.run("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
            try server.reload()
            while try scratch.run("SHOW synchronous_standby_names") != [name] { usleep(5_000) }
        }
        // The other session's commit waits for a standby that is not there.
        try setStandby("missing")
        let isOver = DispatchSemaphore(value: 0)
        let thread = Thread { [transaction = prepared.transaction] in
            _ = try? scratch.run("COMMIT PREPARED '\(transaction)'")
            isOver.signal()
        }
        thread.start()
        while try scratch.run("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'").isEmpty { usleep(5_000) }
        let message = "another session is ending the prepared transaction of save \(prepared.id)"
        let error = try expectError(.locked, message: message) { try prepared.store.commitPrepared(prepared.id) }
        #expect(error.recovery == .retryable)
        try setStandby("")
        isOver.wait()
        try prepared.store.commitPrepared(prepared.id)
    }

    // A server lost its decision with the power, while another one kept what the decision had it commit.
    @Test("waits for the disk where its commit decides, whatever the durability of the store")
    func durableDecision() throws {
        let scratch = try Scratch()
        var description = scratch.description
        description.configuration = "items"
        description.options.durability = .relaxed
        let store = try openStore(description, model: try WorkerModel.model.get())
        let transaction = try #require(try store.beginWrite() as? PostgreSQLTransaction)
        func setting() throws -> String? {
            try transaction.connection.execute(SQLText("SHOW synchronous_commit"), .fetch).text(0, 0)
        }
        #expect(try setting() == "off")
        try transaction.decide(UUID().uuidString)
        #expect(try setting() == "on")
        transaction.rollback()
    }

    // A prepared save kept the table lock by which repeated transactions come one after the other: in doubt, it kept them all waiting.
    @Test("keeps no failed transaction from being repeated, where it is itself a repetition in doubt")
    func preparedRepetition() throws {
        let scratch = try Scratch()
        var description = scratch.description
        description.configuration = "items"
        description.options.timeout = 0.2
        let store = try #require(try openStore(description, model: try WorkerModel.model.get()) as? PostgreSQLStore)
        store.repetitions.noteConflict()
        let first = try #require(try store.beginWrite() as? PostgreSQLTransaction)
        #expect(try first.metadata().storeID == store.id)
        // One after the other.
        store.repetitions.noteConflict()
        try expectError(.locked) { _ = try store.beginWrite() }
        let id = UUID().uuidString
        try first.prepare(as: PreparedSave(id: id, decidingStoreID: StoreID("another"), decidingStore: .file("/nowhere")))
        for _ in 0..<2 {
            store.repetitions.noteConflict()
            let second = try store.beginWrite()
            #expect(try second.metadata().storeID == store.id)
            second.rollback()
        }
        #expect(try scratch.run("SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE '%\(id)%'") == ["1"])
        try store.rollbackPrepared(id)
    }

    // A machine that had lost its power held the lock of its prepared save for the two hours that the server's system took to miss it.
    @Test("are left by a machine that is lost: the server checks its sessions")
    func keepalives() throws {
        let server = try PostgreSQLServer()
        let port = Int.random(in: 20_000...30_000)
        let configuration = try #require(FileHandle(forWritingAtPath: server.dataDirectory + "/postgresql.conf"))
        try configuration.seekToEnd()
        try configuration.write(contentsOf: Data("\nlisten_addresses = '127.0.0.1'\nport = \(port)\n".utf8))
        try configuration.close()
        try server.restart()
        let location = StoreLocation.server(ServerAddress("postgresql://strata@127.0.0.1:\(port)/postgres", name: "a"))
        let connection = try Connection(ServerLocation(location, .open).parameters, SessionSettings(), .open)
        #expect(try connection.execute(SQLText("SHOW tcp_keepalives_idle"), .fetch).text(0, 0) == "10")
        #expect(try connection.execute(SQLText("SHOW tcp_keepalives_count"), .fetch).text(0, 0) == "3")
        withExtendedLifetime(server) {}
    }
}
