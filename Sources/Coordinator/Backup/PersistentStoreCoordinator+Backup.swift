import StrataFiles
import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Copies all stores to a directory, as they are at one moment, while others read and save.
    ///
    /// A save over several stores is in all copies or in none, also one of another coordinator or process. For that
    /// moment, which is short, the write locks of all stores are held; what was saved before it is in the backup. Each
    /// copy is then written with the files of its large values, read whole and verified, and at last a manifest
    /// replaces that of an earlier backup in the directory, atomically: a backup that was interrupted, or failed,
    /// leaves the earlier one as it was, and removes or ignores what it wrote itself. The earlier copies are removed
    /// afterwards: the directory needs space for both.
    ///
    /// Stores that keep nothing are left out. A store that is open read-only is copied as it is at about the moment.
    /// Cancelling the task ends the backup.
    ///
    /// - Parameters:
    ///   - path: The path of the directory, which is made; one that is there has to be empty, or a backup's.
    ///   - progress: Receives the progress, on the calling thread; an error that it throws cancels the backup.
    /// - Returns: The backup.
    /// - Throws: `StoreError` with `exists` where there is a file, or a directory with other files; `missing` where the
    ///   parent of the directory is; `locked` where another backup to it is under way, or a store is locked for longer
    ///   than its time-out; `unsupported` where a store cannot be copied, as one on a server, or there is none;
    ///   `corrupt` where a copy is not sound, as its original is not; `cancelled`; `full`, `denied`, `io`.
    /// - Complexity: O(n log n) in the stores; a store that is loaded as a whole takes memory for its rows.
    @discardableResult
    public func backUp(to path: String, progress: ((BackupProgress) throws -> Void)? = nil) throws -> StoreBackup {
        let directory = try BackupDirectory(lockingForBackup: path)
        defer { directory.unlock() }
        let id = UUID().uuidString
        do {
            let folder = try directory.makeFolder(id)
            var copies = try beginCopies()
            let report = BackupReport(path, storeCount: copies.count, progress)
            var targets: [StoreDescription] = []
            for index in copies.indices {
                targets.append(try copies[index].write(to: folder, index, report))
                // Its store need not keep the state any longer.
                copies[index].copy = nil
            }
            var stores: [BackupManifest.Store] = []
            for (index, (begun, target)) in zip(copies, targets).enumerated() {
                stores.append(try verified(begun.entry, target, index, report))
            }
            let manifest = BackupManifest(id: id, time: Date().timeIntervalSince1970, stores: stores)
            try StoreError.naming(.backUp, path: path) {
                try RecoveryFiles.fileSystem.synchronizeDirectory(folder)
                try RecoveryFiles.fileSystem.synchronizeDirectory(path)
                try manifest.write(directory.manifestPath)
            }
            // Copies that stay behind are removed by the next backup.
            try? directory.removeFolders(but: BackupManifest.folder(id))
            return manifest.backup(at: path)
        } catch {
            // The manifest may have been replaced where that is unknown.
            if (error as? StoreError)?.recovery != .reopen { directory.abandon(id) }
            throw error
        }
    }

    /// Begins copies of all stores that keep anything, of one moment: with the write locks of all held, in the order in
    /// which saves acquire them.
    private func beginCopies() throws -> [BegunCopy] {
        while true {
            let entries = entries.withLock { $0 }.filter(\.isDurable)
            if entries.isEmpty { throw StoreError(.unsupported, .backUp, "the coordinator has no store that keeps anything") }
            var locks: [any StoreTransaction] = []
            defer { for lock in locks.reversed() { lock.rollback() } }
            do {
                for entry in entries.sorted(by: { $0.store.id < $1.store.id }) {
                    if entry.store.isReadOnly {
                        try entry.store.refresh()
                    } else {
                        locks.append(try entry.beginWrite(model, TransactionOrigin()))
                    }
                }
                return try entries.map { entry in
                    guard entry.store.path != nil, let copy = try entry.store.beginCopy() else {
                        throw StoreError(
                            .unsupported, .backUp, "a store of type \(entry.store.type) cannot be copied while it is used",
                            path: entry.store.path)
                    }
                    return BegunCopy(entry: entry, copy: copy)
                }
            } catch is StoreEntry.Replaced {
                // Converted while its write lock was waited for.
            } catch let error as StoreError { throw error.during(.backUp) }
        }
    }

    /// Reads a copy whole, and returns it for the manifest.
    private func verified(_ entry: StoreEntry, _ copy: StoreDescription, _ index: Int, _ report: BackupReport) throws
        -> BackupManifest.Store
    {
        let (store, path) = (entry.store, copy.path ?? "")
        try report.update(.verifying, store.id, at: index, 0)
        let problems = try StoreError.naming(.backUp, path: path) {
            try PersistentStoreCoordinator.verifyStore(copy, model: model, limit: 1)
        }
        if let problem = problems.first {
            throw StoreError(
                .corrupt, .backUp, "the copy is not sound: \(problem)", path: store.path, entity: problem.entity, key: problem.key)
        }
        return try StoreError.naming(.backUp, path: path) {
            let folder = PathName.parent(of: path)
            let files = RecoveryFiles.fileSystem
            // Opening it made files of locks, which need not be there.
            for name in try files.names(inDirectory: folder)
            where name != PathName.last(of: path) && !name.hasSuffix(BackupManifest.valuesSuffix) {
                try files.removeTree(PathName.joining(folder, name))
            }
            try files.synchronizeDirectory(folder)
            let (count, checksum) = try BackupManifest.checksum(ofFile: path)
            try report.update(.verifying, store.id, at: index, 1)
            let file = [PathName.last(of: PathName.parent(of: folder)), PathName.last(of: folder), PathName.last(of: path)]
            return BackupManifest.Store(
                id: store.id.rawValue, type: store.type.rawValue, configuration: entry.description.configuration,
                originalPath: try entry.filePath(), file: file.joined(separator: "/"), byteCount: count, checksum: checksum,
                valuesChecksum: try BackupManifest.checksum(ofValuesBeside: path))
        }
    }
}

/// A begun copy of a store; `nil` once it is written.
private struct BegunCopy {
    let entry: StoreEntry
    var copy: (any PendingCopy)?

    /// Writes the copy into a folder of its own; returns its description.
    func write(to folder: String, _ index: Int, _ report: BackupReport) throws -> StoreDescription {
        let store = entry.store
        let path = try entry.filePath()
        var description = entry.description
        let target = PathName.joining(PathName.joining(folder, "\(index + 1)"), PathName.last(of: path))
        description.path = target
        try report.update(.copying, store.id, at: index, 0)
        try StoreError.naming(.backUp, path: path) {
            try RecoveryFiles.fileSystem.makeDirectory(PathName.parent(of: target), permissions: 0o700)
            try copy?.write(to: target) { done, total in
                try report.update(.copying, store.id, at: index, Double(done) / Double(max(1, total)))
            }
        }
        try report.update(.copying, store.id, at: index, 1)
        return description
    }
}
