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
    func run() throws {
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
            let file = try files.open(copy, .readWrite)
            try file.synchronize()
            try file.close()
            try files.removeIfPresent(destination + "-lock")
            try files.rename(copy, to: destination)
            try files.synchronizeDirectory(PathName.parent(of: destination))
            replaced?.remove(keeping: values)
        } catch {
            try? files.removeIfPresent(copy)
            throw error
        }
    }
}
