import CLMDB
import Glibc
import StrataFiles
import StrataStore
import Synchronization

/// The LMDB files that this process has open.
enum EnvironmentRegistry {
    /// How a file is opened.
    struct Options: Sendable {
        var isReadOnly = false
        var creates = false
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

    /// Opens a file, or shares it where it is open already; each call needs one of ``release(_:)``.
    static func acquire(_ path: String, _ options: Options) throws -> LMDBEnvironment {
        let path = try files.resolvingLinks(path)
        return try entries.withLock { entries in
            if let identity = try identity(of: path), let entry = entries[identity], entry.environment.isOfThisProcess {
                guard options.isReadOnly || !entry.environment.isReadOnly else {
                    throw StoreError(.locked, "open", "the file is open for reading only in this process", path: path)
                }
                if options.isDurable { entry.environment.makeDurable() }
                entries[identity]?.holders += 1
                return entry.environment
            }
            let environment = try open(path, options)
            entries[environment.identity] = Entry(environment: environment, holders: 1)
            return environment
        }
    }

    /// Gives a file back; the last to do so closes it.
    static func release(_ environment: LMDBEnvironment) {
        entries.withLock { entries in
            guard var entry = entries[environment.identity], entry.environment === environment else { return }
            entry.holders -= 1
            // What is still in use stays, so that the file is not opened a second time beside it.
            let isClosed = entry.holders == 0 && environment.close()
            entries[environment.identity] = isClosed ? nil : entry
        }
    }

    /// Runs `body` while neither this process nor another one has, or gets, the file open.
    static func whileClosed<T>(_ path: String, _ operation: String, _ body: (String) throws -> T) throws -> T {
        let path = try files.resolvingLinks(path)
        return try entries.withLock { entries in
            if let identity = try identity(of: path), let entry = entries[identity], entry.environment.isOfThisProcess {
                throw StoreError(.locked, operation, "the store is open", path: path)
            }
            guard let lock = try FileLock.tryLock(LockFile.inUse.path(beside: path), .exclusive) else {
                throw StoreError(.locked, operation, "another process has the store open", path: path)
            }
            defer { lock.unlock() }
            return try body(path)
        }
    }

    private static func identity(of path: String) throws -> FileIdentity? {
        try files.statusIfPresent(of: path).map { FileIdentity(device: $0.device, inode: $0.inode) }
    }

    private static func open(_ path: String, _ options: Options) throws -> LMDBEnvironment {
        let status = try files.statusIfPresent(of: path)
        let isNew = (status?.size ?? 0) == 0
        if isNew {
            guard try files.statusIfPresent(of: PathName.parent(of: path))?.isDirectory == true else {
                throw StoreError(.missing, "open", "the directory does not exist", path: path)
            }
            guard options.creates, status == nil || status?.kind == .regular else {
                throw StoreError(status == nil ? .missing : .foreign, "open", "there is no store", path: path)
            }
        }
        if !isNew { try MetaPages.check(path) }
        let inUse = try lockInUse(path, options)
        let size = max(options.initialMapSize, (status?.size ?? 0).multipliedReportingOverflow(by: 4).partialValue)
        do {
            let handle = try openHandle(path, options, mapSize: size)
            do {
                if isNew { try files.synchronizeDirectory(PathName.parent(of: path)) }
                var descriptor: mdb_filehandle_t = 0
                try LMDBStatus.check(mdb_env_get_fd(handle, &descriptor), "mdb_env_get_fd")
                var file = stat()
                guard fstat(descriptor, &file) == 0 else { throw LMDBStatus(code: errno, call: "fstat") }
                let environment = LMDBEnvironment(
                    handle: handle,
                    path: path,
                    isReadOnly: options.isReadOnly,
                    identity: FileIdentity(
                        device: UInt64(truncatingIfNeeded: file.st_dev),
                        inode: UInt64(truncatingIfNeeded: file.st_ino)
                    ),
                    inUse: inUse
                )
                environment.clearStaleReaders()
                return environment
            } catch {
                mdb_env_close(handle)
                throw error
            }
        } catch {
            inUse?.unlock()
            if status == nil {
                for left in [path, path + "-lock"] { try? files.removeIfPresent(left) }
            }
            throw error
        }
    }

    private static func openHandle(_ path: String, _ options: Options, mapSize: Int) throws -> OpaquePointer {
        var created: OpaquePointer?
        try LMDBStatus.check(mdb_env_create(&created), "mdb_env_create")
        guard let handle = created else { throw LMDBStatus(code: ENOMEM, call: "mdb_env_create") }
        do {
            try LMDBStatus.check(mdb_env_set_maxdbs(handle, UInt32(max(256, options.databases + 64))), "mdb_env_set_maxdbs")
            try LMDBStatus.check(mdb_env_set_maxreaders(handle, 510), "mdb_env_set_maxreaders")
            try LMDBStatus.check(mdb_env_set_mapsize(handle, mapSize), "mdb_env_set_mapsize")
            // NOTLS ties a reader to its transaction rather than to a thread. Neither WRITEMAP nor NOSYNC nor NOLOCK, ever.
            var flags = MDB_NOSUBDIR | MDB_NOTLS
            if options.isReadOnly { flags |= MDB_RDONLY }
            if !options.isDurable { flags |= MDB_NOMETASYNC }
            try LMDBStatus.check(mdb_env_open(handle, path, UInt32(flags), 0o644), "mdb_env_open")
            return handle
        } catch {
            mdb_env_close(handle)
            throw error
        }
    }

    private static func lockInUse(_ path: String, _ options: Options) throws -> FileLock? {
        do {
            let seconds = Duration.seconds(min(max(options.timeout, 0), 1))
            return try FileLock.lock(LockFile.inUse.path(beside: path), .shared, timeout: seconds)
        } catch {
            // Whoever may not write the directory can neither remove the file.
            if error.isDenied && options.isReadOnly { return nil }
            throw error
        }
    }
}

/// The lock files beside a store.
enum LockFile: String, CaseIterable {
    /// Shared while the store is open; alone to remove or replace it.
    case inUse = "in-use"
    /// Held while the store is written.
    case writing = "writing"

    func path(beside path: String) -> String {
        PathName.joining(PathName.parent(of: path), ".\(PathName.last(of: path)).\(rawValue)")
    }
}
