import CStrataLMDB
import StrataFiles

/// Creates a new store beside its path, complete and on disk, and renames it: so that it is never found incomplete.
struct StoreCreation {
    let path: String
    let options: EnvironmentRegistry.Options
    /// Writes the content of the store.
    let filling: (LMDBEnvironment) throws -> Void

    /// Creates the store, unless another process has meanwhile.
    ///
    /// - Throws: `StoreError`, `FileError`, ``LMDBStatus``; the file at the path is unchanged then.
    func run() throws {
        let files = PosixFileSystem.shared
        // Processes that create the same store wait for each other; all use the first one's.
        let lock = try FileLock.lock(LockFile.writing.path(beside: path), timeout: .seconds(min(max(options.timeout, 0), 1e6)))
        defer { lock.unlock() }
        let isNew = try files.statusIfPresent(of: path) == nil
        guard try isNew || MetaPages.check(path) == .unfilled else { return }
        let replacement = try AtomicReplacement.prepare(path: path, newFilePermissions: 0o644, makingFile: make)
        do {
            try isNew ? replacement.commitNew() : replacement.commit()
        } catch {
            // Another program was faster.
            guard error.isExisting else { throw error }
        }
    }

    /// Creates the store at a temporary path, hence without locks.
    private func make(_ path: String) throws {
        let handle = try unsafe EnvironmentRegistry.openHandle(path, options, mapSize: options.initialMapSize, flags: MDB_NOLOCK)
        let environment: LMDBEnvironment
        do { environment = try unsafe LMDBEnvironment(handle: handle, path: path, inUse: nil) } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
        defer { _ = environment.end() }
        try filling(environment)
    }
}
