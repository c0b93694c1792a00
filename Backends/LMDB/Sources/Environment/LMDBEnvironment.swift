import CLMDB
import Glibc
import StrataFiles
import StrataModel
import StrataStore
import Synchronization

/// An LMDB file that this process has open, once for all its stores: LMDB forbids opening a file twice in a process.
// Unchecked: the handle is made for several threads, and everything else guards itself.
final class LMDBEnvironment: @unchecked Sendable {
    let handle: OpaquePointer
    let path: String
    let isReadOnly: Bool
    let identity: FileIdentity
    let gate = Gate()
    let turn = Turn()
    private let process = getpid()
    private let inUse: FileLock?
    private let idleReaders = Mutex<[ReadTransaction]>([])
    private let state = Mutex(State())

    private struct State {
        var databases: [String: MDB_dbi] = [:]
        var failure: StoreError?
        var isClosed = false
        var saves = 0
    }

    /// The flags of a database and whether it is made where it is missing.
    struct DatabaseKind: Sendable {
        let flags: Int32
        /// Byte keys, one value each.
        static let records = DatabaseKind(flags: 0)
        /// References as keys, one value each.
        static let rows = DatabaseKind(flags: MDB_INTEGERKEY)
        /// Byte keys, sorted references as values.
        static let index = DatabaseKind(flags: MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
        /// References as keys, sorted references as values.
        static let inverse = DatabaseKind(flags: MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP)
        /// References as keys, sorted byte strings of one length as values.
        static let links = DatabaseKind(flags: MDB_INTEGERKEY | MDB_DUPSORT | MDB_DUPFIXED)
    }

    init(
        handle: OpaquePointer,
        path: String,
        isReadOnly: Bool,
        identity: FileIdentity,
        inUse: FileLock?
    ) {
        self.handle = handle
        self.path = path
        self.isReadOnly = isReadOnly
        self.identity = identity
        self.inUse = inUse
    }

    /// Whether this process opened the file, rather than the one that it was forked from.
    var isOfThisProcess: Bool { getpid() == process }

    /// Throws `closed` where no transaction may start.
    func checkUsable(_ operation: String) throws {
        guard isOfThisProcess else {
            throw StoreError(.closed, operation, "the store was opened before the process was forked; open it again", path: path)
        }
        if let failure = state.withLock({ $0.isClosed ? StoreError.closed(operation, path: path) : $0.failure }) { throw failure }
    }

    /// Refuses everything from now on, after a failure that leaves the state of the file unknown.
    func poison(_ error: any Error) {
        let failure = StoreError(
            .closed,
            "open",
            "an earlier write failed in a way that leaves the file's state unknown; open the store again",
            path: path,
            underlying: error,
            recovery: .reopen
        )
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    /// Promises that finished saves survive a loss of power, whoever opened the file first.
    func makeDurable() { mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), 0) }

    // MARK: - Reading

    /// Runs `body` over a snapshot.
    func read<T>(_ operation: String, _ body: (ReadTransaction) throws -> T) throws -> T {
        let reader = try startReading(operation)
        defer {
            mdb_txn_reset(reader.handle)
            idleReaders.withLock { $0.append(reader) }
            gate.leave()
        }
        return try body(reader)
    }

    private func startReading(_ operation: String) throws -> ReadTransaction {
        var attempts = 0
        while true {
            gate.enter()
            do {
                try checkUsable(operation)
                if let idle = idleReaders.withLock({ $0.popLast() }) {
                    do {
                        try LMDBStatus.check(mdb_txn_renew(idle.handle), "mdb_txn_renew")
                        return idle
                    } catch {
                        mdb_txn_abort(idle.handle)
                        throw error
                    }
                }
                var new: OpaquePointer?
                try LMDBStatus.check(mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &new), "mdb_txn_begin")
                guard let new else { throw LMDBStatus(code: EINVAL, call: "mdb_txn_begin") }
                return ReadTransaction(new)
            } catch {
                gate.leave()
                attempts += 1
                guard attempts < 4, let status = error as? LMDBStatus else { throw error }
                switch status.code {
                case MDB_MAP_RESIZED: try changeMapSize(to: 0, until: Deadline(after: 10))
                case MDB_READERS_FULL: clearStaleReaders()
                default: throw error
                }
            }
        }
    }

    /// Frees the places of readers whose process has ended.
    func clearStaleReaders() {
        var dead: Int32 = 0
        mdb_reader_check(handle, &dead)
    }

    /// Counts a save, and looks for stale readers now and then.
    func countSave() {
        if state.withLock({ state in
            state.saves &+= 1
            return state.saves & 255 == 0
        }) {
            clearStaleReaders()
        }
    }

    // MARK: - Size of the map

    var mapSize: Int {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        return Int(info.me_mapsize)
    }

    /// Doubles the map; no transaction of the caller may be under way.
    func grow(until deadline: Deadline) throws {
        let (doubled, overflow) = mapSize.multipliedReportingOverflow(by: 2)
        guard !overflow else { throw StoreError(.full, "save", "the file is as large as can be", path: path) }
        try changeMapSize(to: doubled, until: deadline)
    }

    /// Changes the size of the map once no transaction is under way; 0 for the size that another process has given the file.
    func changeMapSize(to size: Int, until deadline: Deadline) throws {
        guard gate.close(until: deadline) else {
            throw StoreError(.locked, "save", "the file has to grow, and a long read keeps it from that", path: path)
        }
        defer { gate.open() }
        try LMDBStatus.check(mdb_env_set_mapsize(handle, size), "mdb_env_set_mapsize")
    }

    /// LMDB may leave pages at the end unwritten that its head counts; the check at the next opening goes by the head.
    func extendFileToLastPage() {
        var info = MDB_envinfo()
        var statistics = MDB_stat()
        var descriptor: mdb_filehandle_t = 0
        var file = stat()
        guard mdb_env_info(handle, &info) == 0, mdb_env_stat(handle, &statistics) == 0, mdb_env_get_fd(handle, &descriptor) == 0,
            fstat(descriptor, &file) == 0
        else { return }
        let needed = (Int(info.me_last_pgno) + 1) * Int(statistics.ms_psize)
        if Int(file.st_size) < needed { _ = ftruncate(descriptor, off_t(needed)) }
    }

    /// Whether the file system has no room left worth mentioning.
    var isDiskFull: Bool {
        var descriptor: mdb_filehandle_t = 0
        var system = statvfs()
        guard mdb_env_get_fd(handle, &descriptor) == 0, fstatvfs(descriptor, &system) == 0 else { return false }
        return UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize)).partialValue < 64 << 10
    }

    // MARK: - Databases

    /// The handle of a database that was opened before.
    func knownDatabase(_ name: String) -> MDB_dbi? { state.withLock { $0.databases[name] } }

    /// Opens a database within a transaction that its caller commits before it lets others use the handle.
    ///
    /// - Returns: `nil` where it does not exist and is not to be made.
    func openDatabase(_ name: String, _ kind: DatabaseKind, in transaction: OpaquePointer, creating: Bool) throws -> MDB_dbi? {
        if let known = knownDatabase(name) { return known }
        var database: MDB_dbi = 0
        let flags = UInt32(kind.flags | (creating ? MDB_CREATE : 0))
        return try LMDBStatus.found(mdb_dbi_open(transaction, name, flags, &database), "mdb_dbi_open") ? database : nil
    }

    /// Remembers handles once the transaction that opened them was committed.
    func remember(_ databases: [String: MDB_dbi]) {
        state.withLock { $0.databases.merge(databases) { first, _ in first } }
    }

    /// Ends all work; the registry calls it when the last store is closed.
    ///
    /// - Returns: False where a transaction is still under way: nothing is closed then.
    func close() -> Bool {
        guard isOfThisProcess, gate.close(until: Deadline(after: 1)) else { return false }
        state.withLock { $0.isClosed = true }
        for reader in idleReaders.withLock({ readers in
            defer { readers = [] }
            return readers
        }) { mdb_txn_abort(reader.handle) }
        mdb_env_close(handle)
        inUse?.unlock()
        gate.open()
        return true
    }
}

/// A file, whatever paths lead to it.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}

/// A read transaction, used by one thread at a time and kept for the next one.
// Unchecked: the environment hands it to one thread at a time.
final class ReadTransaction: @unchecked Sendable {
    let handle: OpaquePointer
    /// What makes rows of the map's bytes, kept for the store that read last.
    var rows: MappedRows?

    init(_ handle: OpaquePointer) { self.handle = handle }
}
