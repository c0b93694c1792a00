import CStrataLMDB
import StrataEngine
import StrataPlatform
import Synchronization

enum EnvironmentRegistry {
    struct Options: Sendable {
        var isReadOnly = false
        var isDurable = true
        var databases = 0
        var initialMapSize = 64 << 20
        var timeout = 10.0
    }

    private struct Entry {
        let environment: LMDBEnvironment
        var holders: Int
    }

    private static let entries = Mutex<[FileIdentity: Entry]>([:])
    private static let files = PosixFileSystem.shared

    /// Opens a file, or shares it if it is open already; each call needs one of ``release(_:)``.
    ///
    /// - Parameter filling: Writes the content of a new store, in one transaction; `nil` requires the file.
    static func acquire(_ path: String, _ options: Options, filling: ((LMDBEnvironment) throws -> Void)? = nil) throws -> LMDBEnvironment {
        let path = try files.resolvingLinks(path)
        return try entries.withLock { entries in
            if let identity = try identity(of: path), let entry = entries[identity], entry.environment.isOfThisProcess {
                guard options.isReadOnly || !entry.environment.isReadOnly else {
                    throw StoreError(.locked, .open, "the file is open for reading only in this process", path: path)
                }
                if options.isDurable { entry.environment.makeDurable() }
                entries[identity]?.holders += 1
                entry.environment.resume()
                return entry.environment
            }
            // Opened twice by one process, LMDB's table of readers would be reinitialized while in use.
            if let table = try identity(of: ReaderTable.path(beside: path)),
                entries.values.contains(where: { $0.environment.isOfThisProcess && $0.environment.readerTable?.identity == table })
            {
                throw StoreError(
                    .locked, .open, "the file that was at this path is still open in this process; close its stores first", path: path)
            }
            let environment = try open(path, options, filling)
            entries[environment.identity] = Entry(environment: environment, holders: 1)
            return environment
        }
    }

    /// Releases a file.
    ///
    /// The last release closes it: immediately, or with the last transaction in progress.
    ///
    /// - Returns: Whether it stays open for others, or is closed.
    @discardableResult
    static func release(_ environment: LMDBEnvironment) -> Bool {
        entries.withLock { entries in
            guard var entry = entries[environment.identity], entry.environment === environment else { return true }
            entry.holders -= 1
            entries[environment.identity] = entry
            return entry.holders > 0 || close(environment, &entries)
        }
    }

    /// Closes a file without users after its last transaction.
    static func retire(_ environment: LMDBEnvironment) {
        entries.withLock { entries in
            guard let entry = entries[environment.identity], entry.environment === environment, entry.holders == 0 else { return }
            _ = close(environment, &entries)
        }
    }

    private static func close(_ environment: LMDBEnvironment, _ entries: inout [FileIdentity: Entry]) -> Bool {
        // A file in use stays registered, so that it is not opened a second time.
        guard environment.end() else { return false }
        entries[environment.identity] = nil
        return true
    }

    /// Runs `body` while neither this process nor another one has the file open; this one waits before it opens any file.
    static func whileClosed<T>(_ path: String, _ operation: StoreError.Operation, _ body: (String) throws -> T) throws -> T {
        try entries.withLock { entries in
            let (path, lock) = try lockClosed(path, operation, entries)
            defer { lock.unlock() }
            return try body(path)
        }
    }

    /// Locks a file that neither this process nor another one has open, so that opening it throws `locked`; returns its path.
    static func lockClosed(_ path: String, _ operation: StoreError.Operation) throws -> (path: String, lock: FileLock) {
        try entries.withLock { try lockClosed(path, operation, $0) }
    }

    private static func lockClosed(
        _ path: String, _ operation: StoreError.Operation, _ entries: [FileIdentity: Entry]
    ) throws -> (path: String, lock: FileLock) {
        let path = try files.resolvingLinks(path)
        if let identity = try identity(of: path), let entry = entries[identity], entry.environment.isOfThisProcess {
            throw StoreError(.locked, operation, "the store is open", path: path)
        }
        do {
            // A forked child process holds this one's locks until it executes its program.
            return (path, try FileLock.lock(LockFile.inUse.path(beside: path), .exclusive, timeout: .milliseconds(200)))
        } catch  where error.isTimeout {
            throw StoreError(.locked, operation, "another process has the store open", path: path)
        }
    }

    static func isOpen(_ identity: FileIdentity) -> Bool {
        entries.withLock { $0[identity]?.environment.isOfThisProcess ?? false }
    }

    static func identity(of path: String) throws(FileError) -> FileIdentity? {
        try files.statusIfPresent(of: path).map(\.identity)
    }

    private static func open(_ path: String, _ options: Options, _ filling: ((LMDBEnvironment) throws -> Void)?) throws -> LMDBEnvironment {
        let filling = options.isReadOnly ? nil : filling
        let status = try files.statusIfPresent(of: path)
        let isEmpty = try status == nil || MetaPages.check(path) == .unfilled
        if isEmpty && filling == nil { throw StoreError.missingStore(.open, at: path) }
        let inUse = try lockInUse(path, options)
        do {
            if let filling {
                try AtomicReplacement.removeLeftovers(of: path)
                if isEmpty { try StoreCreation(path: path, options: options, filling: filling).run() }
            }
            let size = try files.status(of: path).size.multipliedReportingOverflow(by: 4).partialValue
            return try openEnvironment(path, options, mapSize: max(options.initialMapSize, size), inUse)
        } catch {
            inUse?.unlock()
            if status == nil { files.removeUnusedLocks(LockFile.allCases.map { $0.path(beside: path) }, ofMissing: path) }
            throw error
        }
    }

    private static func openEnvironment(_ path: String, _ options: Options, mapSize: Int, _ inUse: FileLock?) throws -> LMDBEnvironment {
        var flags = options.isReadOnly ? MDB_RDONLY : 0
        if !options.isDurable { flags |= MDB_NOMETASYNC }
        var table: Int32?
        do { table = try ReaderTable.reserve(beside: path) } catch {
            // Without write access to the table, it reads without one.
            guard options.isReadOnly, error.isDenied || error.isFull else { throw error }
            flags |= MDB_NOLOCK
        }
        do {
            let handle = try unsafe openHandle(path, options, mapSize: mapSize, flags: flags)
            do {
                let environment = try unsafe LMDBEnvironment(
                    handle: handle, path: path, inUse: inUse, readerTable: try table.map(ReaderTable.init))
                environment.clearStaleReaders()
                return environment
            } catch {
                unsafe mdb_env_close(handle)
                throw error
            }
        } catch {
            if let table { StrataPlatform.close(table) }
            throw error
        }
    }

    static func openHandle(_ path: String, _ options: Options, mapSize: Int, flags: Int32) throws -> OpaquePointer {
        var created: OpaquePointer?
        try unsafe LMDBStatus.check(mdb_env_create(&created), "mdb_env_create")
        guard let handle = unsafe created else { throw LMDBStatus(code: ENOMEM, call: "mdb_env_create") }
        do {
            try unsafe LMDBStatus.check(mdb_env_set_maxdbs(handle, UInt32(max(1024, options.databases * 2 + 64))), "mdb_env_set_maxdbs")
            try unsafe LMDBStatus.check(mdb_env_set_maxreaders(handle, ReaderTable.slotCount), "mdb_env_set_maxreaders")
            try unsafe LMDBStatus.check(mdb_env_set_mapsize(handle, mapSize), "mdb_env_set_mapsize")
            // NOTLS ties a reader to its transaction rather than to a thread. Neither WRITEMAP nor NOSYNC, ever.
            let status = unsafe mdb_env_open(handle, path, UInt32(flags | MDB_NOSUBDIR | MDB_NOTLS), 0o644)
            // LMDB takes an interrupted read for a foreign file.
            let isCutShort = try status == MDB_INVALID && MetaPages.check(path) == .sound
            try LMDBStatus.check(isCutShort ? EIO : status, "mdb_env_open")
            return unsafe handle
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
    }

    private static func lockInUse(_ path: String, _ options: Options) throws -> FileLock? {
        do {
            let seconds = Duration.seconds(min(max(options.timeout, 0), 1))
            return try FileLock.lock(LockFile.inUse.path(beside: path), .shared, timeout: seconds)
        } catch {
            // A process that may not write the directory cannot remove the file either.
            if error.isDenied || error.isFull, options.isReadOnly { return nil }
            throw error
        }
    }
}
