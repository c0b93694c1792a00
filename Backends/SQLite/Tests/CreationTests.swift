import CStrataSQLite
import FoundationEssentials
import StrataFiles
import StrataModel
import StrataPlatform
import StrataSQLite
import StrataStore
import Testing

// A kill, an error or a full disk while a store was made left its first page alone in the file, which was somebody else's database from then
// on, for ever.
@Suite("Making a store")
struct CreationTests {
    private let sandbox: Sandbox
    private let model: ManagedObjectModel

    init() throws {
        sandbox = try Sandbox()
        model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("balance", .integer64) }])
    }

    private func isUsable() throws -> Bool {
        let store = try open(sandbox.path(), model)
        defer { try? store.close() }
        guard try store.insert(row(model, "Account", 1, ["balance": 1])).isEmpty else { return false }
        return try store.fetch(FetchPlan(#require(model.entity(named: "Account")))).count == 1
    }

    @Test("What an interrupted creation left is no store, and becomes one")
    func firstPage() throws {
        try raw(sandbox.path(), "PRAGMA auto_vacuum = INCREMENTAL")
        try #require(try PosixFileSystem.shared.status(of: sandbox.path()).size > 0)
        #expect(code { _ = try SQLiteDriver.sqlite.metadata(at: sandbox.path()) } == .missing)
        #expect(try isUsable())
        #expect(try raw(sandbox.path(), "PRAGMA auto_vacuum") == [["2"]])
    }

    @Test("A new store is incrementally vacuumed, in pages of 4096 bytes")
    func settings() throws {
        try open(sandbox.path(), model).close()
        #expect(try raw(sandbox.path(), "PRAGMA auto_vacuum") == [["2"]])
        #expect(try raw(sandbox.path(), "PRAGMA page_size") == [["4096"]])
        #expect(try raw(sandbox.path(), "PRAGMA journal_mode") == [["wal"]])
    }

    @Test("A database that says whose it is, or has a table, stays as it is", arguments: ["PRAGMA user_version = 7", "CREATE TABLE t (a)"])
    func foreign(_ sql: String) throws {
        try raw(sandbox.path(), sql)
        let before = try PosixFileSystem.shared.contents(of: sandbox.path())
        #expect(code { _ = try open(sandbox.path(), model) } == .foreign)
        #expect(code { try SQLiteDriver.sqlite.destroy(at: sandbox.path()) } == .foreign)
        #expect(code { _ = try SQLiteDriver.sqlite.metadata(at: sandbox.path()) } == .foreign)
        let source = sandbox.path("Source.sqlite")
        try open(source, model).close()
        #expect(code { try SQLiteDriver.sqlite.replace(at: sandbox.path(), withStoreAt: source) } == .foreign)
        #expect(code { try SQLiteDriver.sqlite.replace(at: source, withStoreAt: sandbox.path()) } == .foreign)
        #expect(try PosixFileSystem.shared.contents(of: sandbox.path()) == before)
        #expect(sandbox.names == ["Source.sqlite", "Store.sqlite"])
    }

    @Test("A transaction that was cut off while it made the store is undone", arguments: [false, true])
    func hotJournal(isPageLost: Bool) throws {
        // The state that a power loss leaves: pages in the file, and the journal that takes them out again.
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        try #require(sqlite3_open_v2(sandbox.path("Making"), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK)
        let sql = "PRAGMA cache_size = 1; BEGIN; PRAGMA auto_vacuum = 2; CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(100000))"
        try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
        try #require(sqlite3_db_cacheflush(handle) == SQLITE_OK)
        var pages = try PosixFileSystem.shared.contents(of: sandbox.path("Making"))
        try #require(pages.count > 4096)
        if isPageLost { pages.replaceSubrange(..<4096, with: [UInt8](repeating: 0, count: 4096)) }
        try Data(pages).write(to: URL(filePath: sandbox.path()))
        let journal = try PosixFileSystem.shared.contents(of: sandbox.path("Making-journal"))
        try #require(!journal.isEmpty)
        try Data(journal).write(to: URL(filePath: sandbox.path("Store.sqlite-journal")))
        #expect(try isUsable())
    }

    @Test("Logs and journals of a removed store are not those of the next")
    func staleLogs() throws {
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(row(model, "Account", 1, ["balance": 1])).isEmpty)
        let log = try PosixFileSystem.shared.contents(of: sandbox.path("Store.sqlite-wal"))
        try #require(!log.isEmpty)
        try store.close()
        try SQLiteDriver.sqlite.destroy(at: sandbox.path())
        try Data(log).write(to: URL(filePath: sandbox.path("Store.sqlite-wal")))
        #expect(try isUsable())
        try SQLiteDriver.sqlite.destroy(at: sandbox.path())
        let source = sandbox.path("Source.sqlite")
        try open(source, model).close()
        try Data(log).write(to: URL(filePath: sandbox.path("Store.sqlite-wal")))
        try SQLiteDriver.sqlite.replace(at: sandbox.path(), withStoreAt: source)
        #expect(try isUsable())
    }

    @Test("What writers that ended left beside a store goes when it is opened")
    func leftovers() throws {
        try open(sandbox.path(), model).close()
        // No process has the greatest number.
        try Data([1]).write(to: URL(filePath: sandbox.path(".Store.sqlite.\(Int32.max).1.tmp")))
        try open(sandbox.path(), model).close()
        #expect(sandbox.names == ["Store.sqlite"])
    }

    @Test("A store that damage makes unreadable can be destroyed")
    func damaged() throws {
        try open(sandbox.path(), model).close()
        var bytes = try PosixFileSystem.shared.contents(of: sandbox.path())
        // The page that the catalogue begins on.
        for index in 100..<112 { bytes[index] = 0xFF }
        try Data(bytes).write(to: URL(filePath: sandbox.path()))
        try #require(code { _ = try open(sandbox.path(), model) } == .corrupt)
        try SQLiteDriver.sqlite.destroy(at: sandbox.path())
        #expect(sandbox.names.isEmpty)
    }

    // SQLite does not wait for whoever reads, or switches too, while a file is switched to a log: one of several was told that the database
    // is locked.
    @Test("Many who make one store at once make one")
    func together() async throws {
        let model = model
        for round in 0..<40 {
            let path = sandbox.path("\(round).sqlite")
            let storeIDs = try await withThrowingTaskGroup(of: StoreID.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        let store = try open(path, model)
                        defer { try? store.close() }
                        return store.id
                    }
                }
                return try await group.reduce(into: Set<StoreID>()) { $0.insert($1) }
            }
            #expect(storeIDs.count == 1)
        }
    }
}
