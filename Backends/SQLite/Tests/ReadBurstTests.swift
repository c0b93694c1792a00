import FoundationEssentials
import StrataEvaluation
import StrataFiles
import StrataModel
import StrataPlatform
import StrataQuery
import StrataStore
import Testing

@testable import StrataSQLite

@Suite("Bursts of look-ups", .timeLimit(.minutes(60)))
struct ReadBurstTests {
    private let sandbox: Sandbox
    private let model: ManagedObjectModel

    init() throws {
        sandbox = try Sandbox()
        model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("balance", .integer64) }])
    }

    private func store(_ pragmas: [String: String] = [:]) throws -> SQLiteStore {
        try #require(try open(sandbox.path(), model, pragmas: pragmas) as? SQLiteStore)
    }

    private func balance(_ store: SQLiteStore) throws -> Value? {
        try store.row(root: 0, reference: 1).map { try value($0, "balance", model) }
    }

    private func set(_ balance: Int, _ store: SQLiteStore) throws {
        let version = try #require(try store.row(root: 0, reference: 1)).version
        var changes = ChangeSet()
        changes.updated = [
            RowUpdate(
                row: try row(model, "Account", 1, ["balance": .int(Int64(balance))], version: version + 1),
                changedSlots: try slots(model, "Account", "balance"))
        ]
        #expect(try store.save(changes).isEmpty)
    }

    /// Looks up until the store keeps a transaction open.
    private func burst(_ store: SQLiteStore) throws -> Bool {
        for _ in 0..<10_000 {
            _ = try balance(store)
            if try isInBurst(store) { return true }
        }
        return false
    }

    private func isInBurst(_ store: SQLiteStore) throws -> Bool {
        let connection = try #require(try store.pool.take())
        defer { store.pool.give(back: connection) }
        return connection.isInBurst
    }

    @Test("Every look-up of a burst sees what another opening of the store committed before")
    func commitsOfOthers() throws {
        let (reading, writing) = (try store(), try store())
        #expect(try writing.insert(try row(model, "Account", 1, ["balance": 0])).isEmpty)
        for round in 1...200 {
            #expect(try burst(reading))
            try set(round, writing)
            #expect(try balance(reading) == .int(Int64(round)))
            let rows = try reading.fetch(FetchPlan(model.entities[0]))
            #expect(try rows.map { try value($0, "balance", model) } == [.int(Int64(round))])
        }
        try reading.close()
        try writing.close()
    }

    @Test("A scope that follows a burst is a snapshot of its own time")
    func scopes() throws {
        let (reading, writing) = (try store(), try store())
        #expect(try writing.insert(try row(model, "Account", 1, ["balance": 1])).isEmpty)
        #expect(try burst(reading))
        try set(2, writing)
        try reading.read { reader in
            #expect(try reader.row(root: 0, reference: 1).map { try value($0, "balance", model) } == .int(2))
            try set(3, writing)
            #expect(try reader.row(root: 0, reference: 1).map { try value($0, "balance", model) } == .int(2))
        }
        #expect(try balance(reading) == .int(3))
    }

    @Test("While a store writes, its readers keep nothing open, and the log starts over")
    func ownWrites() throws {
        let store = try store(["wal_autocheckpoint": "10"])
        #expect(try store.insert(try row(model, "Account", 1, ["balance": 0])).isEmpty)
        #expect(try burst(store))
        let transaction = try store.beginWrite()
        #expect(try !isInBurst(store))
        for _ in 0..<100 { _ = try balance(store) }
        #expect(try !isInBurst(store))
        transaction.rollback()
        for round in 0..<300 {
            #expect(try burst(store))
            try set(round, store)
        }
        let log = try PosixFileSystem.shared.status(of: sandbox.path() + "-wal", followingLinks: true).size
        #expect(log < 300_000, "300 saves left a log of \(log) bytes")
    }

    @Test("An idle store keeps nothing open")
    func idle() throws {
        let store = try store()
        #expect(try store.insert(try row(model, "Account", 1, ["balance": 0])).isEmpty)
        #expect(try burst(store))
        var waits = 0
        while try raw(sandbox.path(), "PRAGMA wal_checkpoint(TRUNCATE)").first?.first != "0", waits < 1000 {
            waits += 1
            usleep(10_000)
        }
        #expect(try PosixFileSystem.shared.status(of: sandbox.path() + "-wal", followingLinks: true).size == 0)
        #expect(try balance(store) == .int(0))
    }

    @Test("A file without a log is read statement by statement")
    func withoutLog() throws {
        let store = try store(["journal_mode": "DELETE"])
        #expect(try store.insert(try row(model, "Account", 1, ["balance": 7])).isEmpty)
        for _ in 0..<1000 { #expect(try balance(store) == .int(7)) }
        #expect(try !isInBurst(store))
        #expect(sandbox.names == ["Store.sqlite"])
    }

    @Test("A store that is closed in a burst leaves one file")
    func closing() throws {
        let store = try store()
        #expect(try store.insert(try row(model, "Account", 1, ["balance": 7])).isEmpty)
        #expect(try burst(store))
        try store.close()
        #expect(sandbox.names == ["Store.sqlite"])
    }
}
