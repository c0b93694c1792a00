import CStrataLMDB
import StrataEngine
import StrataPlatform
import Synchronization

/// An LMDB file that this process has open, once for all its stores: LMDB forbids opening a file twice in a process.
// Unchecked: LMDB's handle is thread-safe, and all other state is guarded.
@safe final class LMDBEnvironment: @unchecked Sendable {
    let handle: OpaquePointer
    let path: String
    /// LMDB's flags at the opening.
    private let flags: UInt32
    let file: OpenedFile
    let readerTable: ReaderTable?
    let writers: Writers
    let gate = Gate()
    private let process = ProcessGeneration.current
    private let inUse: FileLock?
    // Set while the environment has no users: it is closed after the last transaction.
    private let isRetiring = Atomic(false)
    private let idleReaders = Mutex<[ReadTransaction]>([])
    private let state = Mutex(State())

    /// What the writers of the file share.
    struct Writers: ~Copyable {
        let lock = WriteLock()
        /// The path of the lock file, by which processes exclude each other.
        let lockFile: String
        /// Whether the last save left the map more than half full.
        let needsGrowth = Atomic(false)

        init(path: String) { lockFile = LockFile.writing.path(beside: path) }
    }

    private struct State {
        var databases: [String: MDB_dbi] = [:]
        var failure: StoreError?
        var isClosed = false
        var saves = 0
    }

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

    /// Takes ownership of an open handle.
    init(handle: OpaquePointer, path: String, inUse: FileLock?, readerTable: ReaderTable? = nil) throws {
        unsafe self.handle = handle
        self.path = path
        self.inUse = inUse
        var flags: UInt32 = 0
        try unsafe LMDBStatus.check(mdb_env_get_flags(handle, &flags), "mdb_env_get_flags")
        self.flags = flags
        writers = Writers(path: path)
        self.readerTable = readerTable
        file = try unsafe OpenedFile(handle, path)
    }

    var identity: FileIdentity { file.identity }
    var isReadOnly: Bool { flags & UInt32(MDB_RDONLY) != 0 }
    /// Whether LMDB has no reader slot for this process: writers do not see its readers.
    var isUnlocked: Bool { flags & UInt32(MDB_NOLOCK) != 0 }

    /// Whether this process opened the file, rather than its parent before a fork.
    var isOfThisProcess: Bool { ProcessGeneration.current == process }

    /// Throws `closed` if no transaction may start.
    func checkUsable(_ operation: StoreError.Operation) throws {
        if let failure = state.withLock({ $0.isClosed ? StoreError.closed(operation, path: path) : $0.failure }) { throw failure }
    }

    // MARK: - Transactions

    /// Starts a transaction in the gate, which ends with ``leave()``; throws `closed`, and as ``checkFiles(_:)``.
    func enter(_ operation: StoreError.Operation) throws {
        // First: a thread that no longer exists may have held the gate at the fork.
        guard isOfThisProcess else {
            throw StoreError(.closed, operation, "the store was opened before the process was forked; open it again", path: path)
        }
        guard gate.enter() else { throw StoreError.closed(operation, path: path) }
        do {
            try checkUsable(operation)
            try checkFiles(operation)
        } catch {
            leave()
            throw error
        }
    }

    func leave() { if gate.leave() && isRetiring.load(ordering: .acquiring) { EnvironmentRegistry.retire(self) } }

    /// Runs `body` while no transaction of this process is in progress; throws `locked` and `closed`.
    func alone<T>(_ operation: StoreError.Operation, until deadline: Deadline, _ body: () throws -> T) throws -> T {
        guard isOfThisProcess else {
            throw StoreError(.closed, operation, "the store was opened before the process was forked; open it again", path: path)
        }
        switch gate.close(until: deadline) {
        case .closed: break
        case .ended: throw StoreError.closed(operation, path: path)
        case .late: throw StoreError(.locked, operation, "a read or save of this process keeps the file busy", path: path)
        }
        defer { gate.open() }
        try checkUsable(operation)
        try checkFiles(operation)
        return try body()
    }

    /// Rejects all operations from now on, after a failure that leaves the state of the file unknown.
    func poison(_ error: any Error) {
        let failure = StoreError(
            .closed, .open, "an earlier write failed in a way that leaves the file's state unknown; open the store again", path: path,
            underlying: error, recovery: .reopen)
        state.withLock { $0.failure = $0.failure ?? failure }
    }

    /// Makes all operations fail with an error from now on.
    func refuse(
        _ code: StoreError.Code, _ operation: StoreError.Operation, _ message: String, underlying: (any Error)? = nil
    ) -> StoreError {
        let failure = StoreError(code, operation, message, path: path, underlying: underlying, recovery: .reopen)
        state.withLock { $0.failure = $0.failure ?? failure }
        return failure
    }

    /// Makes finished saves survive a loss of power, whichever store opened the file first.
    func makeDurable() { unsafe mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), 0) }

    // MARK: - Reading

    func read<T>(_ operation: StoreError.Operation, _ body: (ReadTransaction) throws -> T) throws -> T {
        let reader = try startReading(operation)
        defer {
            unsafe mdb_txn_reset(reader.handle)
            idleReaders.withLock { $0.append(reader) }
            leave()
        }
        guard isUnlocked else { return try keepingSnapshot(operation) { try body(reader) } }
        let snapshot = unsafe mdb_txn_id(reader.handle)
        let result = Result { try body(reader) }
        // Pages of a snapshot that no writer knows of are reused from the second save on.
        guard headNumber <= snapshot + 1 else {
            throw StoreError(
                .locked, operation, "the store was saved to while it was read without a lock, which its directory does not allow",
                path: path)
        }
        return try result.get()
    }

    /// Starts a read transaction within the gate, which ends with ``leave()``.
    func startReading(_ operation: StoreError.Operation) throws -> ReadTransaction {
        var attempts = 0
        while true {
            try enter(operation)
            do { return try beginReading(operation) } catch {
                attempts += 1
                let code = attempts < 4 ? (error as? LMDBStatus)?.code : nil
                if code == MDB_READERS_FULL { clearStaleReaders() }
                leave()
                switch code {
                case MDB_READERS_FULL: continue
                case MDB_MAP_RESIZED: try followGrowth(until: Deadline(after: 10))
                default: throw error
                }
            }
        }
    }

    private func beginReading(_ operation: StoreError.Operation) throws -> ReadTransaction {
        let reader: ReadTransaction
        if let idle = idleReaders.withLock({ $0.popLast() }) {
            do {
                try unsafe LMDBStatus.check(mdb_txn_renew(idle.handle), "mdb_txn_renew")
            } catch {
                unsafe mdb_txn_abort(idle.handle)
                throw error
            }
            reader = idle
        } else {
            reader = try unsafe ReadTransaction(beginTransaction(handle, MDB_RDONLY))
        }
        // LMDB takes a snapshot's number from the lock file and its head from the file: an overwritten file's is older,
        // and an overwritten lock file has no valid one.
        guard unsafe isUnlocked || isCommitted(mdb_txn_id(reader.handle)) else {
            unsafe mdb_txn_abort(reader.handle)
            throw replaced(operation)
        }
        return reader
    }

    /// Frees the slots of readers whose process has ended.
    func clearStaleReaders() {
        var dead: Int32 = 0
        unsafe mdb_reader_check(handle, &dead)
    }

    func countSave() {
        if state.withLock({ state in
            state.saves &+= 1
            return state.saves & 255 == 0
        }) {
            clearStaleReaders()
        }
    }

    // MARK: - Databases

    /// Returns the handle of a database that was opened before.
    func knownDatabase(_ name: String) -> MDB_dbi? { state.withLock { $0.databases[name] } }

    /// Opens a database within a transaction that its caller commits before others use it; `nil` if it does not exist.
    func openDatabase(_ name: String, _ kind: DatabaseKind, in transaction: OpaquePointer, creating: Bool) throws -> MDB_dbi? {
        if let known = knownDatabase(name) { return known }
        var database: MDB_dbi = 0
        let flags = UInt32(kind.flags | (creating ? MDB_CREATE : 0))
        return try unsafe LMDBStatus.found(mdb_dbi_open(transaction, name, flags, &database), "mdb_dbi_open") ? database : nil
    }

    /// Stores handles once the transaction that opened them was committed.
    func remember(_ databases: [String: MDB_dbi]) {
        state.withLock { $0.databases.merge(databases) { first, _ in first } }
    }

    // MARK: - Closing

    /// Closes the file without users; false while a transaction is in progress, which calls the registry at its end.
    func end() -> Bool {
        isRetiring.store(true, ordering: .releasing)
        guard isOfThisProcess, gate.end() else { return false }
        state.withLock { $0.isClosed = true }
        // LMDB writes to the table while it closes.
        readerTable?.restoreLength()
        for reader in idleReaders.withLock({ readers in
            defer { readers = [] }
            return readers
        }) { unsafe mdb_txn_abort(reader.handle) }
        unsafe mdb_env_close(handle)
        readerTable?.close()
        inUse?.unlock()
        return true
    }

    /// Records that the file has a user again.
    func resume() { isRetiring.store(false, ordering: .releasing) }
}

/// A read transaction, used by one thread at a time and reused.
// Unchecked: the environment passes it to one thread at a time.
@safe final class ReadTransaction: @unchecked Sendable {
    let handle: OpaquePointer
    /// The row reader over the map, kept for the store that read last.
    var rows: MappedRows?

    init(_ handle: OpaquePointer) { unsafe self.handle = handle }
}

/// Distinguishes a process from its parent after a fork, without a system call each time.
enum ProcessGeneration {
    private static let counter = Atomic(0)
    private static let isWatching: Bool = pthread_atfork(nil, nil) { ProcessGeneration.counter.add(1, ordering: .relaxed) } == 0

    /// A number that changes with a fork.
    static var current: Int { isWatching ? counter.load(ordering: .relaxed) : Int(getpid()) }
}
