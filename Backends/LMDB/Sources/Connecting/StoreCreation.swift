import CStrataLMDB
import StrataFiles
import StrataPlatform
import StrataStore

/// Makes a new store beside its place, whole and on disk, and puts it there: so that none is ever found half made.
struct StoreCreation {
    let path: String
    let options: EnvironmentRegistry.Options
    /// Makes what the store holds.
    let filling: (LMDBEnvironment) throws -> Void

    /// Makes the store, unless somebody else has meanwhile.
    ///
    /// - Throws: `StoreError`, `FileError`, ``LMDBStatus``; what was at the path is still there then.
    func run() throws {
        let files = PosixFileSystem.shared
        // Those who make the same store wait for each other; the first one's is everybody's.
        let lock = try FileLock.lock(LockFile.writing.path(beside: path), timeout: .seconds(min(max(options.timeout, 0), 1e6)))
        defer { lock.unlock() }
        let isNew = try files.statusIfPresent(of: path) == nil
        guard try isNew || MetaPages.check(path) == .unfilled else { return }
        let replacement = try AtomicReplacement.prepare(path: path, newFilePermissions: 0o644, makingFile: make)
        do {
            try isNew ? replacement.commitNew() : replacement.commit()
        } catch {
            // A program that is none of ours was faster.
            guard error.isExisting else { throw error }
        }
    }

    /// Makes the store at a path that nobody knows of, hence without locks.
    private func make(_ path: String) throws {
        let handle = try unsafe EnvironmentRegistry.openHandle(path, options, mapSize: options.initialMapSize, flags: MDB_NOLOCK)
        let environment: LMDBEnvironment
        do { environment = try unsafe LMDBEnvironment(handle: handle, path: path, isReadOnly: false, inUse: nil) } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
        defer { _ = environment.end() }
        try filling(environment)
    }
}
