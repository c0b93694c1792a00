import FoundationEssentials
import StrataFiles
import StrataModel
import StrataPlatform
import StrataSQLite
import StrataStore
import StrataTestModels
import Testing

// A store whose file was deleted or replaced went on saving into the file that was gone, and its log was played over the file that replaced it.
@Suite("A file that changes under an open store", .timeLimit(.minutes(60)))
struct FileChangeTests {
    private let sandbox: Sandbox
    private let model: ManagedObjectModel
    private let store: any StoreBackend

    /// A store with 20 accounts, a backup of it as it was with 10, and saves after the backup in the log.
    init() throws {
        sandbox = try Sandbox()
        model = try ManagedObjectModel(entities: [
            Entity("Account") { Attributes(["balance": .integer64, "note": .string]) }
        ])
        store = try open(sandbox.path(), model)
        for number in 1...10 { #expect(try store.insert(account(Int64(number))).isEmpty) }
        try SQLiteDriver.sqlite.replace(at: sandbox.path("Backup.sqlite"), withStoreAt: sandbox.path())
        for number in 11...20 { #expect(try store.insert(account(Int64(number))).isEmpty) }
    }

    // Whoever had not read before was told of an I/O error.
    @Test("A directory that replaced it is reported as one to the first who reads, too")
    func directory() throws {
        let path = sandbox.path("Fresh.sqlite")
        let fresh = try open(path, model)
        try #require(rename(path, path + ".away") == 0)
        try #require(mkdir(path, 0o700) == 0)
        let error = #expect(throws: StoreError.self) { try fresh.fetch(FetchPlan(#require(model.entity(named: "Account")))) }
        #expect(error?.code == .replaced, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.recovery == .reopen)
        try fresh.close()
    }

    private func account(_ number: Int64) throws -> Row {
        try row(model, "Account", number, ["balance": .int(number), "note": .string(String(repeating: "n", count: 3000))])
    }

    private func count(_ path: String) throws -> Int {
        let store = try open(path, model)
        defer { try? store.close() }
        #expect(try raw(path, "PRAGMA integrity_check") == [["ok"]])
        return try store.fetch(FetchPlan(#require(model.entity(named: "Account")))).count
    }

    /// Expects that the next save is refused, and everything after it.
    private func expectRefusal(_ code: StoreError.Code, _ message: String) throws {
        let error = #expect(throws: StoreError.self) { try store.insert(account(21)) }
        #expect(error?.message == message)
        #expect(error?.code == code, "\(error.map { "\($0)" } ?? "no error")")
        #expect(error?.recovery == .reopen, "\(error.map { "\($0)" } ?? "no error")")
        #expect(error?.path == sandbox.path(), "\(error.map { "\($0)" } ?? "no error")")
        let next = #expect(throws: StoreError.self) { try store.insert(account(21)) }
        #expect(next?.code == code)
        #expect(next?.recovery == .reopen)
        let plan = try FetchPlan(#require(model.entity(named: "Account")))
        let read = #expect(throws: StoreError.self) { try store.fetch(plan) }
        #expect(read?.code == code)
        #expect(read?.operation == .fetch)
        try store.close()
    }

    @Test("Deleted: nothing more is acknowledged, and the path is free for a new store")
    func deleted() throws {
        #expect(unlink(sandbox.path()) == 0)
        try expectRefusal(.missing, "the file was removed or moved while the store was open; open the store again")
        #expect(try count(sandbox.path()) == 0)
    }

    @Test("Moved away: what was saved is in the file that was moved")
    func moved() throws {
        #expect(rename(sandbox.path(), sandbox.path("Moved.sqlite")) == 0)
        try expectRefusal(.missing, "the file was removed or moved while the store was open; open the store again")
        #expect(try count(sandbox.path("Moved.sqlite")) == 20)
        #expect(try count(sandbox.path()) == 0)
    }

    @Test("A backup moved to its path is what opens, without the log of what was there")
    func replaced() throws {
        #expect(rename(sandbox.path("Backup.sqlite"), sandbox.path()) == 0)
        try expectRefusal(.replaced, "the file was replaced by another while the store was open; open the store again")
        #expect(try count(sandbox.path()) == 10)
    }

    @Test("A backup copied over it is what opens, without the log of what was there")
    func overwritten() throws {
        let backup = try PosixFileSystem.shared.contents(of: sandbox.path("Backup.sqlite"))
        let file = try PosixFileSystem.shared.open(sandbox.path(), .readWrite)
        try file.truncate(to: 0)
        try file.write(backup, at: 0)
        try file.close()
        try expectRefusal(.replaced, "the file was overwritten while the store was open; open the store again")
        #expect(try count(sandbox.path()) == 10)
    }

    @Test("Cut off: nothing more is acknowledged, and what was saved is not lost from the log")
    func truncated() throws {
        // Everything so far goes to the file, then one save to the log.
        try store.close()
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(account(21)).isEmpty)
        let file = try PosixFileSystem.shared.open(sandbox.path(), .readWrite)
        try file.truncate(to: 8192)
        try file.close()
        let error = #expect(throws: StoreError.self) { try store.insert(account(22)) }
        #expect(error?.code == .corrupt)
        #expect(error?.message == "the file was truncated while the store was open; open the store again")
        #expect(error?.recovery == .reopen)
        try store.close()
        #expect(try PosixFileSystem.shared.status(of: sandbox.path("Store.sqlite-wal")).size > 0)
    }

    @Test("Touched: the store is opened again, and has everything")
    func touched() throws {
        usleep(20_000)
        #expect(utimensat(AT_FDCWD, sandbox.path(), nil, 0) == 0)
        try expectRefusal(.replaced, "the file was changed by other means than SQLite while the store was open; open the store again")
        #expect(try count(sandbox.path()) == 20)
    }

    // Saves were acknowledged into a log without a name, and were gone with the process.
    @Test(
        "Without its log nothing more is acknowledged, and what was saved is in the file at once", arguments: [["-wal"], ["-wal", "-shm"]])
    func logRemoved(suffixes: [String]) throws {
        for suffix in suffixes { #expect(unlink(sandbox.path() + suffix) == 0) }
        #expect(throws: StoreError.self) { try store.insert(account(21)) }
        // What a process that is killed leaves.
        let left = try PosixFileSystem.shared.contents(of: sandbox.path())
        let file = try PosixFileSystem.shared.open(sandbox.path("Left.sqlite"), .create(permissions: 0o644))
        try file.write(left, at: 0)
        try file.close()
        #expect(try count(sandbox.path("Left.sqlite")) == 20)
        try expectRefusal(.replaced, "the write-ahead log was removed or replaced while the store was open; open the store again")
        #expect(try count(sandbox.path()) == 20)
    }

    // Another process would have made an index of its own, and written to the log at the same time.
    @Test("Without the index of the log nothing more is acknowledged, and nothing is lost")
    func indexRemoved() throws {
        #expect(unlink(sandbox.path("Store.sqlite-shm")) == 0)
        let error = #expect(throws: StoreError.self) { try store.verify(limit: 1) }
        #expect(error?.code == .replaced)
        try expectRefusal(.replaced, "the write-ahead log was removed or replaced while the store was open; open the store again")
        #expect(try count(sandbox.path()) == 20)
    }

    @Test("A log that is removed and not saved to is not lost by closing")
    func logRemovedBeforeClosing() throws {
        #expect(unlink(sandbox.path("Store.sqlite-wal")) == 0)
        try store.close()
        #expect(try count(sandbox.path()) == 20)
    }

    @Test("The log of another process stays as it is, and no other log is copied over its file")
    func logOfAnotherProcess() throws {
        let before = try PosixFileSystem.shared.contents(of: sandbox.path())
        let log = sandbox.path("Store.sqlite-wal")
        #expect(unlink(log) == 0)
        let file = try PosixFileSystem.shared.open(log, .create(permissions: 0o644))
        try file.write([1, 2, 3], at: 0)
        try file.close()
        try expectRefusal(.replaced, "the write-ahead log was removed or replaced while the store was open; open the store again")
        #expect(try PosixFileSystem.shared.contents(of: log) == [1, 2, 3])
        #expect(try PosixFileSystem.shared.contents(of: sandbox.path()) == before)
    }

    @Test("A database without a log is saved to as ever")
    func withoutLog() throws {
        let plain = try open(sandbox.path("Plain.sqlite"), model, pragmas: ["journal_mode": "DELETE"])
        for number in 1...3 { #expect(try plain.insert(account(Int64(number))).isEmpty) }
        try plain.close()
        #expect(try count(sandbox.path("Plain.sqlite")) == 3)
    }

    @Test("A replaced file is noticed after the commit as well")
    func duringSave() throws {
        let transaction = try store.beginWrite()
        var changes = ChangeSet()
        changes.inserted = [try account(21)]
        #expect(try transaction.apply(changes).isEmpty)
        #expect(rename(sandbox.path("Backup.sqlite"), sandbox.path()) == 0)
        let error = #expect(throws: StoreError.self) { try transaction.commit() }
        #expect(error?.code == .replaced)
        #expect(error?.recovery == .reopen)
        try store.close()
        #expect(try count(sandbox.path()) == 10)
    }

    @Test("A reader that needs another connection does not read the file that came")
    func reading() throws {
        let plan = try FetchPlan(#require(model.entity(named: "Account")))
        #expect(try store.fetch(plan).count == 20)
        #expect(rename(sandbox.path("Backup.sqlite"), sandbox.path()) == 0)
        try store.read { first in
            _ = try first.execute(plan)
            // The second of two readers at once gets a connection of its own.
            let error = #expect(throws: StoreError.self) { try store.read { try $0.execute(plan) } }
            #expect(error?.recovery == .reopen)
        }
        try store.close()
    }

    @Test("Checkpoints, this process's or another connection's, are no change from outside")
    func checkpoints() throws {
        for number in 21...60 {
            #expect(try store.insert(account(Int64(number))).isEmpty)
            if number % 5 == 0 { try raw(sandbox.path(), "PRAGMA wal_checkpoint(\(number % 2 == 0 ? "TRUNCATE" : "PASSIVE"))") }
        }
        try store.close()
        #expect(try count(sandbox.path()) == 60)
    }
}
