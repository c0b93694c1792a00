/// The file of an atomic store and its companions: locks, external values, leftovers of interrupted writers.
struct AtomicFile: Sendable {
    /// The path with resolved symbolic links.
    let path: String
    let fileSystem: any FileSystem

    init(_ path: String, _ fileSystem: any FileSystem, _ operation: StoreError.Operation) throws(StoreError) {
        do {
            self.path = try fileSystem.resolvingLinks(path)
        } catch { throw StoreError(error, operation, path: path) }
        self.fileSystem = fileSystem
    }

    var directory: String { PathName.parent(of: path) }
    /// Locked exclusively for replacing the file, shared for loading it.
    var lockPath: String { PathName.joining(directory, ".\(PathName.last(of: path)).lock") }
    /// Locked shared by each process that has the store open.
    var usersPath: String { PathName.joining(directory, ".\(PathName.last(of: path)).users") }

    /// Returns the values in files of their own.
    ///
    /// They are durable whatever the store's durability: a file that names a value may reach the disk first.
    func externalData(storeID: StoreID? = nil) -> ExternalDataDirectory {
        ExternalDataDirectory(storePath: path, storeID: storeID?.rawValue, fileSystem: fileSystem)
    }

    /// Acquires one of the locks; throws `StoreError` with `locked` after the time-out.
    func lock(_ path: String, _ mode: FileLock.Mode, timeout: Double, _ operation: StoreError.Operation) throws(StoreError) -> FileLock {
        do {
            return try FileLock.lock(path, mode, timeout: .seconds(Deadline(after: timeout).remaining), fileSystem: fileSystem)
        } catch {
            guard error.isTimeout else { throw StoreError(error, operation, path: self.path) }
            throw StoreError(.locked, operation, "another coordinator or process uses the store", path: self.path, underlying: error)
        }
    }

    /// Acquires one of the locks shared; returns `nil` where the process may not even read the lock's file.
    func lockToRead(_ path: String, timeout: Double, _ operation: StoreError.Operation) throws(StoreError) -> FileLock? {
        do { return try lock(path, .shared, timeout: timeout, operation) } catch {
            guard error.code == .denied || error.code == .missing else { throw error }
            return nil
        }
    }

    /// Removes the lock files of a store that could not be created, unless another process is creating it.
    func removeUnusedLocks() { fileSystem.removeUnusedLocks([usersPath, lockPath], ofMissing: path) }

    /// Returns the status of the file; `nil` where there is none.
    func status(_ operation: StoreError.Operation) throws(StoreError) -> FileStatus? {
        do { return try fileSystem.statusIfPresent(of: path) } catch { throw StoreError(error, operation, path: path) }
    }

    func existingStatus(_ operation: StoreError.Operation) throws(StoreError) -> FileStatus {
        let status = try status(operation)
        // A pipe has no length either.
        try status?.requireRegularFile(operation, path: path)
        guard let status, status.size > 0 else { throw StoreError.missingStore(operation, at: path) }
        return status
    }
}

extension StoreOptions.Durability {
    /// The synchronization of a rewritten file that the durability requires: it is read whole in any case.
    var forcing: Forcing { self == .full ? .everything : .content }
}
