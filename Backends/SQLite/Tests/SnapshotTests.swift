import FoundationEssentials
import StrataEngine
import StrataFiles
import StrataModel
import StrataSQLite
import StrataStore
import Testing

@Suite("SQLite: snapshots that are held", .timeLimit(.minutes(60)))
struct SnapshotTests {
    private let sandbox: Sandbox
    private let model: ManagedObjectModel

    init() throws {
        sandbox = try Sandbox()
        model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("note", .string) }])
    }

    private func account(_ number: Int64) throws -> Row {
        try row(model, "Account", number, ["note": .string(String(repeating: "n", count: 3000))])
    }

    private func count(_ snapshot: any StoreSnapshot) throws -> Int {
        let plan = try FetchPlan(#require(model.entity(named: "Account")))
        return try snapshot.read { reader in
            guard case .rows(let rows, _) = try reader.execute(plan) else { return -1 }
            return rows.count
        }
    }

    @Test("Later saves are not in it, and stay in the log until the snapshot is released")
    func log() throws {
        let store = try open(sandbox.path(), model)
        func logSize() throws -> Int { try PosixFileSystem.shared.status(of: sandbox.path() + "-wal").size }
        for number in Int64(1)...10 { #expect(try store.insert(account(number)).isEmpty) }
        var snapshot = try store.holdSnapshot()
        for number in Int64(11)...100 { #expect(try store.insert(account(number)).isEmpty) }
        #expect(try count(#require(snapshot)) == 10)
        #expect(try raw(sandbox.path(), "PRAGMA wal_checkpoint(TRUNCATE)").first?.first == "1")
        #expect(try logSize() > 90 * 3000)
        snapshot = nil
        #expect(try raw(sandbox.path(), "PRAGMA wal_checkpoint(TRUNCATE)").first?.first == "0")
        #expect(try logSize() == 0)
        try store.close()
    }

    @Test("It ends with its store, and without a log there is none")
    func ends() throws {
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(account(1)).isEmpty)
        let snapshot = try #require(try store.holdSnapshot())
        try store.close()
        #expect { try count(snapshot) } throws: { ($0 as? StoreError)?.code == .closed }
        try SQLiteDriver.sqlite.destroy(at: .file(sandbox.path()))
        let description = StoreDescription(SQLiteDriver(pragmas: ["journal_mode": "DELETE"]), path: sandbox.path("Plain.sqlite"))
        let plain = try openStore(description, model: model)
        #expect(try plain.holdSnapshot() == nil)
        #expect(try plain.insert(account(1)).isEmpty)
        try plain.close()
    }
}
