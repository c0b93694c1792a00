import StrataFiles
import StrataStore

/// The directory of a backup: its manifest, the folder of copies that the manifest names, and, while a backup is being
/// made, another folder.
struct BackupDirectory {
    let path: String
    private let files = RecoveryFiles.fileSystem
    /// Whether this made the directory.
    private let isNew: Bool
    private let lock: FileLock

    private static let lockName = ".backup.lock"
    var manifestPath: String { PathName.joining(path, BackupManifest.name) }

    /// Makes the directory where there is none, and locks it against other backups.
    ///
    /// - Throws: `StoreError` with `exists` where there is something else, `missing` without a parent, `locked` where
    ///   another backup to it is under way, `denied`, `full`, `io`.
    init(lockingForBackup path: String) throws {
        self.path = path
        (isNew, lock) = try StoreError.naming(.backUp, path: path) { [files] in
            if path.isEmpty || path.utf8.contains(0) {
                throw StoreError(
                    .missing, .backUp, path.isEmpty ? "the path of the backup is empty" : "the path of the backup has a NUL character")
            }
            let status = try files.statusIfPresent(of: path)
            if let status, !status.isDirectory {
                throw StoreError(.exists, .backUp, "there is a file at the path of the backup", path: path)
            }
            if status == nil {
                let parent = PathName.parent(of: path)
                guard try files.statusIfPresent(of: parent)?.isDirectory == true else {
                    throw StoreError(.missing, .backUp, "the directory does not exist: \(parent)", path: path)
                }
                try files.makeDirectory(path, permissions: 0o700)
                try files.synchronizeDirectory(parent)
            } else {
                try BackupDirectory.requireBackup(path, files)
            }
            guard let lock = try files.tryLock(PathName.joining(path, BackupDirectory.lockName), .exclusive) else {
                throw StoreError(.locked, .backUp, "another backup to the directory is under way", path: path)
            }
            return (status == nil, lock)
        }
    }

    /// Throws where a directory has other files and no backup.
    private static func requireBackup(_ path: String, _ files: any FileSystem) throws {
        let names = try files.names(inDirectory: path)
        if names.contains(BackupManifest.name) { return }
        let other = names.first { name in
            name != lockName && name != "lost+found" && !BackupManifest.isFolder(name) && !name.hasPrefix(".\(BackupManifest.name).")
        }
        if let other { throw StoreError(.exists, .backUp, "the directory has other files and no backup: \(other)", path: path) }
    }

    /// Locks the directory of a finished backup against the next one, which removes it; nothing is locked where that is
    /// impossible, as on a medium that is only read.
    static func lockForReading(_ path: String) throws -> FileLock? {
        do {
            guard let lock = try RecoveryFiles.fileSystem.tryLock(PathName.joining(path, lockName), .shared) else {
                throw StoreError(.locked, .restore, "a backup to the directory is under way", path: path)
            }
            return lock
        } catch let error as FileError {
            if error.isDenied || error.isMissing || error.isFull { return nil }
            throw StoreError(error, .restore, path: path)
        }
    }

    /// Removes the folders of interrupted backups, and makes that of a new one; returns its path, and the manifest of the
    /// backup before.
    func makeFolder(_ id: String) throws -> (path: String, earlier: BackupManifest?) {
        try StoreError.naming(.backUp, path: path) {
            try AtomicReplacement.removeLeftovers(of: manifestPath, fileSystem: files)
            // Where the manifest is damaged, the folder that it names is unknown.
            let earlier: BackupManifest?? = try? manifest()
            if let earlier { try removeFolders(but: earlier.map { BackupManifest.folder($0.id) }) }
            let folder = PathName.joining(path, BackupManifest.folder(id))
            try files.makeDirectory(folder, permissions: 0o700)
            return (folder, earlier ?? nil)
        }
    }

    /// Returns the manifest; `nil` where there is none.
    private func manifest() throws -> BackupManifest? {
        do { return try BackupManifest.read(manifestPath) } catch let error as StoreError where error.code == .missing { return nil }
    }

    func removeFolders(but kept: String?) throws {
        for name in try files.names(inDirectory: path) where BackupManifest.isFolder(name) && name != kept {
            try files.removeTree(PathName.joining(path, name))
        }
    }

    /// Removes what a failed backup left, as far as possible.
    func abandon(_ id: String) {
        try? files.removeTree(PathName.joining(path, BackupManifest.folder(id)))
        guard isNew, (try? files.names(inDirectory: path)) == [BackupDirectory.lockName] else { return }
        try? files.unlink(PathName.joining(path, BackupDirectory.lockName))
        try? files.removeDirectory(path)
    }

    func unlock() { lock.unlock() }
}
