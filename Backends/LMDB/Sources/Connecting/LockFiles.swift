import CStrataLMDB
import StrataFiles
import StrataPlatform

/// Strata's lock files beside a store.
enum LockFile: String, CaseIterable {
    /// Shared while the store is open; exclusive to remove or replace it.
    case inUse = "in-use"
    /// Held while the store is created or written.
    case writing = "writing"

    func path(beside path: String) -> String {
        PathName.joining(PathName.parent(of: path), ".\(PathName.last(of: path)).\(rawValue)")
    }
}

/// LMDB's own lock file beside a store: its mutex and its table of readers, which it maps.
enum ReaderTable {
    /// As many as fill 32 KiB.
    static let slotCount: UInt32 = 510
    private static let size = 32 << 10

    static func path(beside path: String) -> String { path + "-lock" }

    /// Allocates the table on disk, which LMDB leaves sparse: a write into a hole of a full disk is a bus error.
    ///
    /// Never run it while this process has the file open: closing the descriptor releases LMDB's locks. Other processes
    /// may use the table meanwhile: its bytes and its length stay. On file systems without allocation it stays sparse.
    ///
    /// - Throws: `FileError`, full or denied among others.
    static func reserve(beside path: String) throws(FileError) {
        let path = ReaderTable.path(beside: path)
        if path.utf8.contains(0) { throw FileError(.open, path: path, code: EINVAL) }
        let descriptor = unsafe StrataPlatform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileError(.open, path: path, code: errno) }
        defer { StrataPlatform.close(descriptor) }
        var file = stat()
        guard unsafe fstat(descriptor, &file) == 0 else { throw FileError(.status, path: path, code: errno) }
        let code = strata_allocate(descriptor, file.st_size > 0 ? Int64(file.st_size) : Int64(size))
        if ![0, EOPNOTSUPP, ENOSYS, EINVAL].contains(code) { throw FileError(.truncate, path: path, code: code) }
    }
}
