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
            let (folder, earlier) = try directory.makeFolder(id)
            var copies = try beginCopies().enumerated().map { index, begun in
                try BackupCopy(begun, to: PathName.joining(folder, "\(index + 1)"), after: earlier, in: path)
            }
            let report = BackupReport(path, storeCount: copies.count, progress)
            // The copies of changed stores first: as long as those are being written, their stores keep the state.
            let order = copies.indices.filter { !copies[$0].mayBeUnchanged } + copies.indices.filter { copies[$0].mayBeUnchanged }
            for (position, index) in order.enumerated() { try copies[index].write(position, report) }
            var stores: [BackupManifest.Store] = []
            for (position, copy) in copies.enumerated() { stores.append(try copy.verified(model, position, report)) }
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
                for entry in entries.sorted(by: { $0.store.id < $1.store.id }) where !entry.store.isReadOnly {
                    locks.append(try entry.beginWrite(model, TransactionOrigin()))
                }
                return try entries.map { try BegunCopy($0) }
            } catch is StoreEntry.Replaced {
                // Converted while its write lock was waited for.
            } catch let error as StoreError { throw error.during(.backUp) }
        }
    }
}
