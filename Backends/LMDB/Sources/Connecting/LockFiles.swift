import CStrataLMDB
import StrataFiles
import StrataPlatform
import Synchronization

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
///
/// It is open until LMDB has closed it: closing any descriptor of the file releases LMDB's locks.
final class ReaderTable: Sendable {
    /// As many as fill 32 KiB.
    static let slotCount: UInt32 = 510
    private static let size = 32 << 10

    let identity: FileIdentity
    private let descriptor: Int32
    private let length: Int
    /// The tick of the clock of the last check.
    private let lastCheck = Atomic(0)

    static func path(beside path: String) -> String { path + "-lock" }

    /// Opens the table and allocates it on disk, which LMDB leaves sparse: a write into a hole of a full disk is a bus error.
    ///
    /// Never run it while this process has the file open: closing the descriptor releases LMDB's locks. Other processes
    /// may use the table meanwhile: its bytes and its length stay. On file systems without allocation it stays sparse.
    ///
    /// - Returns: The descriptor, which stays open until LMDB has closed the file.
    /// - Throws: `FileError`, full or denied among others.
    static func reserve(beside path: String) throws(FileError) -> Int32 {
        let path = ReaderTable.path(beside: path)
        if path.utf8.contains(0) { throw FileError(.open, path: path, code: EINVAL) }
        let descriptor = unsafe StrataPlatform.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw FileError(.open, path: path, code: errno) }
        var file = stat()
        var error: FileError?
        if unsafe fstat(descriptor, &file) != 0 {
            error = FileError(.status, path: path, code: errno)
        } else {
            let code = strata_allocate(descriptor, file.st_size > 0 ? Int64(file.st_size) : Int64(size))
            if ![0, EOPNOTSUPP, ENOSYS, EINVAL].contains(code) { error = FileError(.truncate, path: path, code: code) }
        }
        guard let error else { return descriptor }
        StrataPlatform.close(descriptor)
        throw error
    }

    /// The table that LMDB has mapped, of a descriptor that ``reserve(beside:)`` returned.
    init(_ descriptor: Int32) throws {
        var file = stat()
        guard unsafe fstat(descriptor, &file) == 0 else { throw LMDBStatus(code: errno, call: "fstat") }
        self.descriptor = descriptor
        identity = FileIdentity(file)
        length = Int(file.st_size)
    }

    /// Returns whether the file has its length, and a name: another process would make a table of its own, and not see this one's readers.
    ///
    /// - Parameter always: Whether to look even if the last look was within the same tick of the clock, of some milliseconds: the call takes
    ///   a noticeable part of the time of a small read.
    func isWhole(always: Bool) -> Bool {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        let tick = now.tv_sec &* 1_000_000_000 &+ now.tv_nsec
        if !always && lastCheck.load(ordering: .relaxed) == tick { return true }
        lastCheck.store(tick, ordering: .relaxed)
        var file = stat()
        return unsafe fstat(descriptor, &file) != 0 || Int(file.st_size) == length && file.st_nlink > 0
    }

    /// Makes a truncated file as long as LMDB has mapped it, so that it can be closed; what the table held is lost.
    func restoreLength() {
        var file = stat()
        guard unsafe fstat(descriptor, &file) == 0, Int(file.st_size) < length else { return }
        if strata_allocate(descriptor, Int64(length)) != 0 { ftruncate(descriptor, off_t(length)) }
    }

    /// Closes the file, after LMDB.
    func close() { StrataPlatform.close(descriptor) }
}
