import CStrataSQLite
import FoundationEssentials
import StrataFiles
import StrataModel
import StrataPlatform
import StrataStore
import StrataTestSupport
import Testing

@testable import StrataSQLite

@Suite("Locks of a store")
struct LockTests {
    /// The locks that anyone holds on a file, this process too.
    ///
    /// A descriptor that is closed takes all locks of the process with it, so this one is closed last of all.
    private final class LockProbe {
        private let descriptor: Int32

        init(_ path: String) throws {
            descriptor = StrataPlatform.open(path, O_RDWR)
            try #require(descriptor >= 0)
        }

        deinit { close(descriptor) }

        var findsLocks: Bool {
            // Locks that belong to the open file, unlike those of the process, conflict with the process's own.
            let getLockOfOpenFile: Int32 = 36
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            return fcntl(descriptor, getLockOfOpenFile, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
        }
    }

    // Who looked at the first bytes of an open store's file by a descriptor of its own lost the store's locks with it: to another process the
    // store was not in use, and it removed the log under it, with all that was saved from then on.
    @Test("Looking at a store that is open leaves its locks")
    func looking() throws {
        let sandbox = try Sandbox()
        let model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("balance", .integer64) }])
        let store = try open(sandbox.path(), model)
        let probe = try LockProbe(sandbox.path())
        #expect(probe.findsLocks)
        _ = try SQLiteDriver.sqlite.metadata(at: sandbox.path())
        #expect(probe.findsLocks)
        try open(sandbox.path(), model).close()
        #expect(probe.findsLocks)
        try SQLiteDriver.sqlite.replace(at: sandbox.path("Copy.sqlite"), withStoreAt: sandbox.path())
        #expect(probe.findsLocks)
        #expect(throws: StoreError.self) { try SQLiteDriver.sqlite.destroy(at: sandbox.path()) }
        #expect(throws: StoreError.self) { try SQLiteDriver.sqlite.replace(at: sandbox.path(), withStoreAt: sandbox.path("Copy.sqlite")) }
        #expect(probe.findsLocks)
        #expect(try store.insert(try row(model, "Account", 1, ["balance": 1])).isEmpty)
        try store.close()
    }

    // Each of these opened the file and closed it again, and the store's locks were gone with that.
    @Test("Whatever else looks at a store that is open leaves its locks")
    func otherDrivers() throws {
        let sandbox = try Sandbox()
        let model = try ManagedObjectModel(entities: [Entity("Account") { Attribute("balance", .integer64) }])
        let store = try open(sandbox.path(), model)
        #expect(try store.insert(try row(model, "Account", 1, ["balance": 1])).isEmpty)
        let (probe, indexProbe) = (try LockProbe(sandbox.path()), try LockProbe(sandbox.path("Store.sqlite-shm")))
        try #require(link(sandbox.path(), sandbox.path("hard")) == 0)
        try #require(symlink(sandbox.path(), sandbox.path("soft")) == 0)
        func descriptors() throws -> Int {
            try PosixFileSystem.shared.names(inDirectory: "/proc/self/fd")
                .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
                .filter { $0.hasPrefix(sandbox.directory) }.count
        }
        let before = try descriptors()
        for name in ["Store.sqlite", "hard", "soft", "Store.sqlite-shm"] {
            let path = sandbox.path(name)
            for kind in TestStore.durable where kind != .sqlite {
                var description = kind.description(in: sandbox.directory)
                description.path = path
                let driver = description.driver
                for _ in 0..<20 { #expect(throws: StoreError.self) { try driver.metadata(at: path) } }
                #expect(throws: StoreError.self) { try driver.setMetadata(try store.metadata(), at: path) }
                #expect(throws: StoreError.self) { try openStore(description, model: model) }
                #expect(throws: StoreError.self) { try driver.destroy(at: path) }
                #expect(throws: StoreError.self) { try driver.replace(at: sandbox.path("copy"), withStoreAt: path) }
                #expect(probe.findsLocks, "\(kind) lost the locks of \(name)")
                #expect(indexProbe.findsLocks, "\(kind) lost the locks of \(name)")
            }
            _ = try PosixFileSystem.shared.contents(of: path)
            _ = try PosixFileSystem.shared.map(path)
            #expect(probe.findsLocks, "reading \(name) lost the locks")
            #expect(indexProbe.findsLocks, "reading \(name) lost the locks")
        }
        // What is kept is a few, not one for each look.
        let after = try descriptors()
        #expect(after < before + 60, "\(before) before, \(after) after")
        try store.close()
        #expect(!probe.findsLocks)
    }

    @Test("Looking at a database that other code has open leaves its locks")
    func otherCode() throws {
        let sandbox = try Sandbox()
        try raw(sandbox.path(), "CREATE TABLE t (a)")
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        try #require(sqlite3_open_v2(sandbox.path(), &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
        try #require(sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        let probe = try LockProbe(sandbox.path())
        try #require(probe.findsLocks)
        for kind in TestStore.durable {
            #expect(throws: StoreError.self) { try kind.description(in: "").driver.metadata(at: sandbox.path()) }
        }
        #expect(probe.findsLocks)
    }
}
