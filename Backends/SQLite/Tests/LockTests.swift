import FoundationEssentials
import Glibc
import StrataModel
import StrataStore
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
            descriptor = Glibc.open(path, O_RDWR)
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
}
