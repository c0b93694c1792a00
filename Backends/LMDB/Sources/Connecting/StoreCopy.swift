import CStrataLMDB
import StrataEngine

/// Replaces a store by a compact copy of an open one, or creates it.
struct StoreCopy {
    let environment: LMDBEnvironment
    let destination: String
    let replaced: ExternalValuesOfStore?

    /// Returns the temporary path of the copy; the next copy removes leftovers of a crash.
    static func path(beside path: String) -> String {
        PathName.joining(PathName.parent(of: path), ".\(PathName.last(of: path)).copy")
    }

    /// Copies the large values first, then renames the copy of the file, then removes the values of the
    /// replaced store: a crash leaves one of the stores complete.
    func run(_ beforeCommit: () throws -> Void) throws {
        let files = PosixFileSystem.shared
        // The write lock keeps the values that the copy references unchanged.
        let writeLock = environment.isReadOnly ? nil : try FileWriteLock(environment, .replace, until: Deadline(after: 10))
        defer { withExtendedLifetime(writeLock) {} }
        let copy = StoreCopy.path(beside: destination)
        try files.removeIfPresent(copy)
        do {
            _ = try ExternalValuesOfStore(environment, .replace)
            // A read transaction keeps the files that it references, and those that other processes add.
            let values = try environment.read(.replace) { _ in
                try unsafe LMDBStatus.check(mdb_env_copy2(environment.handle, copy, UInt32(MDB_CP_COMPACT)), "mdb_env_copy2")
                var values = try ExternalValuesOfStore(environment, .replace)
                if writeLock == nil { try values.addOwned() }
                try values.copy(forStoreAt: destination)
                return values
            }
            try beforeCommit()
            try StoreCopy.replace(destination, by: copy)
            replaced?.remove(keeping: values)
        } catch {
            try? files.removeIfPresent(copy)
            throw error
        }
    }

    /// Replaces a file that no process has open by a compact copy of itself.
    static func compact(_ path: String) throws {
        let files = PosixFileSystem.shared
        let copy = StoreCopy.path(beside: path)
        try files.removeIfPresent(copy)
        do {
            let options = EnvironmentRegistry.Options(isReadOnly: true)
            let size = max(options.initialMapSize, try files.status(of: path).size)
            // Without LMDB's own lock file, as the caller keeps other processes out.
            let handle = try unsafe EnvironmentRegistry.openHandle(path, options, mapSize: size, flags: MDB_RDONLY | MDB_NOLOCK)
            let status = unsafe mdb_env_copy2(handle, copy, UInt32(MDB_CP_COMPACT))
            unsafe mdb_env_close(handle)
            try LMDBStatus.check(status, "mdb_env_copy2")
            try replace(path, by: copy)
        } catch {
            try? files.removeIfPresent(copy)
            throw error
        }
    }

    private static func replace(_ path: String, by copy: String) throws {
        let files = PosixFileSystem.shared
        let file = try files.open(copy, .readWrite)
        try file.synchronize()
        try file.close()
        try files.removeIfPresent(path + "-lock")
        try files.rename(copy, to: path)
        try files.synchronizeDirectory(PathName.parent(of: path))
    }
}
