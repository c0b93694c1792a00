import CStrataLMDB
import Foundation
import StrataEngine
import StrataModel
import StrataPlatform
import StrataStore
import Synchronization
import Testing

@testable import StrataLMDB

@Suite("LMDB: lock files, and reading without them", .timeLimit(.minutes(60)))
struct LockFileTests: SampleSuite {
    let sample: SampleStores

    init() throws { sample = try SampleStores() }

    private func open(isReadOnly: Bool = false) throws -> any StoreBackend {
        try LMDBDriver().open(Sample.description(scratch.file()) { $0.isReadOnly = isReadOnly }, model: model)
    }

    // LMDB made the file as a hole, and a write into it on a full disk was a bus error.
    @Test("The table of readers has its place on disk before LMDB writes to it", arguments: [false, true])
    func reservedTable(isReadOnly: Bool) throws {
        try open().close()
        try FileManager.default.removeItem(atPath: scratch.file() + "-lock")
        let store = try open(isReadOnly: isReadOnly)
        var file = stat()
        #expect(stat(scratch.file() + "-lock", &file) == 0)
        #expect(file.st_size == 32 << 10, "\(file.st_blocks) blocks for \(file.st_size) bytes")
        #expect(file.st_blocks * 512 >= file.st_size, "\(file.st_blocks) blocks for \(file.st_size) bytes")
        try store.close()
    }

    // LMDB has to write its lock file also to read, which failed where nobody may.
    @Test("A store in a directory that may not be written opens for reading", arguments: [false, true])
    func readOnlyDirectory(hasLockFiles: Bool) throws {
        let store = try open()
        try store.insert([try maker.row("Person", 1, ["name": "a"])])
        try store.close()
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path) where name != "Store.lmdb" && !hasLockFiles {
            try FileManager.default.removeItem(atPath: scratch.path + "/" + name)
        }
        let before = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
        for name in before { chmod(scratch.path + "/" + name, 0o444) }
        chmod(scratch.path, 0o555)
        defer { chmod(scratch.path, 0o755) }
        let outcome = asNobody {
            let store = try open(isReadOnly: true)
            defer { try? store.close() }
            let denied = code { _ = try LMDBDriver().open(Sample.description(scratch.file("New.lmdb")), model: model) }
            return "\(try store.fetch(try maker.plan("Person")).count) \(denied.map(\.description) ?? "") \(try store.metadata().type)"
        }
        #expect(outcome == "1 denied LMDB")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == before)
    }

    // No writer knows of a reader without a lock, and may use the pages of its snapshot again.
    @Test("A read without a lock that a second save overtook is an error that can be retried, not another value")
    func overtaken() throws {
        let store = try open()
        try store.insert([try maker.row("Person", 1, ["name": "a"])])
        let options = EnvironmentRegistry.Options(isReadOnly: true)
        let handle = try EnvironmentRegistry.openHandle(scratch.file(), options, mapSize: 64 << 20, flags: MDB_RDONLY | MDB_NOLOCK)
        let reader = try LMDBEnvironment(handle: handle, path: scratch.file(), inUse: nil)
        defer { _ = reader.end() }
        #expect(reader.isUnlocked)
        func save(_ reference: Int64) throws { try store.insert([try maker.row("Person", reference, ["name": "b"])]) }
        try reader.read(.fetch) { _ in try save(2) }
        do {
            try reader.read(.fetch) { _ in
                try save(3)
                try save(4)
            }
            Issue.record("the read was taken for a good one")
        } catch let error as StoreError {
            #expect(error.code == .locked)
            #expect(error.message == "the store was saved to while it was read without a lock, which its directory does not allow")
            #expect(error.recovery == .retryable)
        }
        try reader.read(.fetch) { _ in }
    }

    // LMDB maps its lock file: beyond the end of a truncated one the next transaction was a bus error, and so was closing the store.
    @Test(
        "A lock file that is changed while the store is open is noticed, and the store opens again",
        arguments: ["truncated", "shorter", "removed", "overwritten"])
    func changedLockFile(_ change: String) throws {
        let store = try open()
        try store.insert([try maker.row("Person", 1, ["name": "a"])])
        let snapshot = try #require(try store.holdSnapshot())
        let path = scratch.file() + "-lock"
        switch change {
        case "truncated": #expect(truncate(path, 0) == 0)
        case "shorter": #expect(truncate(path, 4096) == 0)
        case "removed": try FileManager.default.removeItem(atPath: path)
        default: try Data(repeating: 0xA5, count: 8192).write(to: URL(fileURLWithPath: path))
        }
        // Reads look at the file once in each tick of the system's clock.
        usleep(50_000)
        let message = "the lock file was removed, replaced or overwritten since it was opened; open the store again"
        let attempts: [() throws -> Void] = [
            { _ = try store.fetch(try maker.plan("Person")) }, { try store.insert([try maker.row("Person", 2, ["name": "b"])]) },
        ]
        for attempt in attempts {
            let error = #expect(throws: StoreError.self) { try attempt() }
            #expect(error?.code == .replaced)
            #expect(error?.message == message)
            #expect(error?.recovery == .reopen)
        }
        #expect(code { try snapshot.read { _ in } } == .replaced)
        try store.close()
        let again = try open()
        try again.insert([try maker.row("Person", 2, ["name": "b"])])
        #expect(try again.fetch(try maker.plan("Person")).map(\.reference) == [1, 2])
        try again.close()
    }

    // Writers with another table of readers reuse the pages of the read: it returned objects of two saves, or threw that the file is damaged.
    @Test("A read during which the lock file is replaced fails, whatever it read or threw", arguments: [true, false])
    func replacedDuringRead(_ fails: Bool) throws {
        let store = try open()
        try store.insert([try maker.row("Person", 1, ["name": "a"])])
        let snapshot = try #require(try store.holdSnapshot())
        let path = scratch.file() + "-lock"
        let read = { (_: any StoreReader) in
            try Data(repeating: 0, count: 8192).write(to: URL(fileURLWithPath: path + "x"))
            #expect(rename(path + "x", path) == 0)
            if fails { throw StoreError(.corrupt, .fetch, "checksum mismatch") }
            // The next tick of the system's clock.
            usleep(50_000)
        }
        #expect(code { try store.read(read) } == .replaced)
        #expect(code { try snapshot.read { _ in } } == .replaced)
        try store.close()
    }

    @Test("A lock file that was cut to nothing does not end the process when the store is closed")
    func closingWithoutTable() throws {
        let store = try open()
        try store.insert([try maker.row("Person", 1, ["name": "a"])])
        let snapshot = try store.holdSnapshot()
        #expect(truncate(scratch.file() + "-lock", 0) == 0)
        try store.close()
        withExtendedLifetime(snapshot) {}
        #expect(try open().fetch(try maker.plan("Person")).count == 1)
    }

    // The save threw an error without a recovery, though opening again was one.
    @Test("An overwritten mutex in the lock file is an error whose recovery is to open the store again")
    func invalidMutex() {
        let status = LMDBStatus(code: EINVAL, call: "mdb_txn_begin")
        let error = StoreError(status, .save, path: nil)
        #expect(error.code == .closed)
        #expect(error.recovery == .reopen)
        #expect(StoreError(LMDBStatus(code: EINVAL, call: "mdb_put"), .save, path: nil).code == .io)
    }

    /// Runs `body` on a thread that has no more rights to files than anybody.
    private func asNobody(_ body: @escaping () throws -> String) -> String {
        nonisolated(unsafe) let body = body
        let answer = Mutex("")
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            // Of this thread alone; who is no superuser has no such rights anyway.
            if geteuid() == 0, let symbol = dlsym(nil, "setfsuid") {
                _ = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> Int32).self)(65534)
            }
            let text: String
            do { text = try body() } catch { text = "\(error)" }
            answer.withLock { $0 = text }
            done.signal()
        }
        thread.start()
        done.wait()
        return answer.withLock { $0 }
    }
}
