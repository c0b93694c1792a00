import CStrataLMDB
import StrataFiles
import StrataPlatform
import StrataStore
import Synchronization

/// A file, whatever paths lead to it.
struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    init(_ file: stat) {
        self.init(device: UInt64(truncatingIfNeeded: file.st_dev), inode: UInt64(truncatingIfNeeded: file.st_ino))
    }
}

/// The file that an environment has mapped, to be compared with what is at its path now.
final class OpenedFile: Sendable {
    /// LMDB's descriptor, which lives as long as the environment's handle.
    let descriptor: Int32
    let identity: FileIdentity
    /// The longest that the file has been: it never gets shorter, unless somebody cuts it.
    let length: Atomic<Int>
    /// Absolute, and as bytes: the working directory may change, and is no text for certain.
    private let path: [CChar]

    init(_ handle: OpaquePointer, _ path: String) throws {
        var descriptor: mdb_filehandle_t = 0
        try unsafe LMDBStatus.check(mdb_env_get_fd(handle, &descriptor), "mdb_env_get_fd")
        var file = stat()
        guard unsafe fstat(descriptor, &file) == 0 else { throw LMDBStatus(code: errno, call: "fstat") }
        self.descriptor = descriptor
        identity = FileIdentity(file)
        length = Atomic(Int(file.st_size))
        self.path = OpenedFile.absolute(path)
    }

    private static func absolute(_ path: String) -> [CChar] {
        let bytes = Array(path.utf8CString)
        guard path.utf8.first != UInt8(ascii: "/"), let directory = unsafe getcwd(nil, 0) else { return bytes }
        defer { unsafe free(directory) }
        return unsafe Array(UnsafeBufferPointer(start: directory, count: strlen(directory))) + [CChar(UInt8(ascii: "/"))] + bytes
    }

    /// What keeps the file from being the one at its path: `missing` where there is none, `replaced` where it is another; `nil` where it is,
    /// and where the system does not tell.
    var absence: StoreError.Code? {
        var now = stat()
        if unsafe stat(path, &now) == 0 { return FileIdentity(now) == identity ? nil : .replaced }
        switch errno {
        case ENOENT, ENOTDIR: return .missing
        case ELOOP: return .replaced
        default: return nil
        }
    }
}

extension LMDBEnvironment {
    /// Checks that the file is as long as it was: what LMDB reads past its end is a bus error.
    ///
    /// Call it within a transaction or alone. A file that is cut while it is read still ends the process.
    ///
    /// - Throws: `StoreError` with `corrupt`, or `replaced` where the file is empty; everything is refused from then on.
    func checkLength(_ operation: StoreError.Operation) throws {
        // What is known comes first: the file may grow between the two, by which it would seem to have been cut.
        let known = file.length.load(ordering: .acquiring)
        var now = stat()
        guard unsafe fstat(file.descriptor, &now) == 0 else { throw LMDBStatus(code: errno, call: "fstat") }
        let length = Int(now.st_size)
        if length == known { return }
        guard length > known else {
            throw refuse(
                // Nothing is left of the store in an empty file.
                length == 0 ? .replaced : .corrupt, operation,
                "the file was truncated from \(known) to \(length) bytes while it was open; open the store again")
        }
        file.length.max(length, ordering: .releasing)
    }

    /// Checks that the file at the path is the one that is open.
    ///
    /// - Parameter isCommitted: Whether a save went into the file that is open already: then everything is refused from here on.
    /// - Throws: `StoreError` with `missing` where it was removed or moved, with `replaced` where another is there.
    func checkInPlace(_ operation: StoreError.Operation, isCommitted: Bool = false) throws {
        guard let absence = absence(operation) else { return }
        throw isCommitted ? refuse(absence.code, operation, absence.message) : absence
    }

    /// The error for a file that is not the one at the path; `nil` where it is.
    func absence(_ operation: StoreError.Operation) -> StoreError? {
        file.absence.map { code in
            let message = code == .missing ? LMDBEnvironment.missingMessage : LMDBEnvironment.replacedMessage
            return StoreError(code, operation, message, path: path, recovery: .reopen)
        }
    }

    /// Checks, in a write transaction, that the file is the one that LMDB's lock file is about.
    ///
    /// - Throws: `StoreError` with `replaced` where another file's content was written over it.
    func checkHead(of transaction: OpaquePointer, _ operation: StoreError.Operation) throws {
        // LMDB takes the number from the lock file, where the last commit left it.
        if unsafe headNumber + 1 != mdb_txn_id(transaction) { throw replaced(operation) }
    }

    /// The number of the newest transaction in the file.
    var headNumber: Int {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(handle, &info)
        return unsafe info.me_last_txnid
    }

    /// Refuses everything from now on, for the file is another.
    func replaced(_ operation: StoreError.Operation) -> StoreError { refuse(.replaced, operation, LMDBEnvironment.replacedMessage) }

    private static let missingMessage = "the file was removed or moved since it was opened; open the store again"
    private static let replacedMessage = "the file was replaced by another since it was opened; open the store again"

    /// LMDB may leave pages at the end unwritten that its head counts; the check at the next opening goes by the head.
    func extendFileToLastPage() {
        var info = unsafe MDB_envinfo()
        var statistics = MDB_stat()
        var now = stat()
        guard unsafe mdb_env_info(handle, &info) == 0, unsafe mdb_env_stat(handle, &statistics) == 0,
            unsafe fstat(file.descriptor, &now) == 0
        else { return }
        let (needed, overflow) = unsafe (Int(info.me_last_pgno) + 1).multipliedReportingOverflow(by: Int(statistics.ms_psize))
        var length = Int(now.st_size)
        // Room is asked for first: another library may have made the file longer meanwhile, and what sets the length would cut that off.
        if !overflow, length < needed,
            strata_allocate(file.descriptor, Int64(needed)) == 0 || ftruncate(file.descriptor, off_t(needed)) == 0
        {
            length = needed
        }
        file.length.max(length, ordering: .releasing)
        unsafe wantsRoom.store(needed > Int(info.me_mapsize) / 2, ordering: .relaxed)
    }

    /// Whether the file can grow no more: the file system has no room worth mentioning, or the process may write no longer files.
    var isDiskFull: Bool {
        var now = stat()
        if let longest = PosixFileSystem.longestFile, unsafe fstat(file.descriptor, &now) == 0, Int(now.st_size) > longest - (64 << 10) {
            return true
        }
        var system = statvfs()
        guard unsafe fstatvfs(file.descriptor, &system) == 0 else { return false }
        return UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize)).partialValue < 64 << 10
    }
}
