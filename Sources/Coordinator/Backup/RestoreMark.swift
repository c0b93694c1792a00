import StrataFiles
import StrataStore

/// A file beside a store that is being restored together with others: as long as it is there, the store is not opened,
/// as it may be of another moment than they are.
struct RestoreMark {
    private let path: String
    private let storePath: String
    private let files = RecoveryFiles.fileSystem

    init(besideStoreAt path: String) throws(FileError) {
        storePath = try RecoveryFiles.fileSystem.resolvingLinks(path)
        self.path = PathName.joining(
            PathName.parent(of: storePath), PathName.shortened("." + PathName.last(of: storePath), over: 240, keeping: 200) + ".restoring")
    }

    /// Throws `StoreError` with `inDoubt` for a store whose restoring was interrupted.
    static func requireNone(_ location: StoreLocation) throws {
        guard case .file(let path) = location, location != .null, !path.utf8.contains(0) else { return }
        let backup: String
        do {
            let mark = try RestoreMark(besideStoreAt: path)
            guard try mark.files.statusIfPresent(of: mark.path, followingLinks: false) != nil else { return }
            backup = String(decoding: try mark.files.contents(of: mark.path, limit: 1 << 20), as: UTF8.self)
        } catch {
            // Opening the store names what is wrong with its path.
            if error.isMissing || error.isLoop || error.isNoFile || error.isInTheWay { return }
            throw StoreError(error, .open, path: path)
        }
        throw StoreError(
            .inDoubt, .open, "restoring it with other stores from a backup was interrupted; restore them again from \(backup)", path: path)
    }

    /// Writes the file, durably, with the path of the backup.
    func write(_ backup: String) throws {
        try AtomicReplacement.prepare(path: path, fileSystem: files, newFilePermissions: 0o600) { try $0.write(backup) }.commit()
    }

    func remove() throws(FileError) {
        try files.removeIfPresent(path)
        try files.synchronizeDirectory(PathName.parent(of: path))
    }
}
