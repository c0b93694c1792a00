import CStrataLMDB
import StrataPlatform
import StrataStore
import Synchronization

extension FileIdentity {
    init(_ file: stat) {
        self.init(device: UInt64(truncatingIfNeeded: file.st_dev), inode: UInt64(truncatingIfNeeded: file.st_ino))
    }
}

/// The mapped file of an environment, to be compared with the file at its path.
final class OpenedFile: Sendable {
    /// LMDB's descriptor, which lives as long as the environment's handle.
    let descriptor: Int32
    let identity: FileIdentity
    /// The maximum length that the file had: it only shrinks if it is truncated from outside.
    let length: Atomic<Int>
    /// Absolute, and as bytes: the working directory may change, and may not be valid text.
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

    /// The error if the file is not the one at its path: `missing` if there is none, `replaced` for another; `nil` if
    /// it is, and if the status is unknown.
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
    /// Checks that neither the file nor LMDB's lock file is truncated: LMDB's accesses past their ends are bus errors.
    ///
    /// Call it within a transaction or alone. Truncation during a read still ends the process.
    ///
    /// - Throws: `StoreError` with `corrupt`, or `replaced` if the file is empty or the lock file was changed; all later operations fail.
    func checkFiles(_ operation: StoreError.Operation) throws {
        try checkReaderTable(operation, always: operation == .save)
        // The known length first: the file may grow between the two reads, and would seem truncated.
        let known = file.length.load(ordering: .acquiring)
        var now = stat()
        guard unsafe fstat(file.descriptor, &now) == 0 else { throw LMDBStatus(code: errno, call: "fstat") }
        let length = Int(now.st_size)
        if length == known { return }
        guard length > known else {
            throw refuse(
                // An empty file has nothing of the store.
                length == 0 ? .replaced : .corrupt, operation,
                "the file was truncated from \(known) to \(length) bytes while it was open; open the store again")
        }
        file.length.max(length, ordering: .releasing)
    }

    /// - Throws: `StoreError` with `replaced` where others make a table of readers of their own.
    private func checkReaderTable(_ operation: StoreError.Operation, always: Bool) throws {
        guard let readerTable, !readerTable.isWhole(always: always) else { return }
        readerTable.restoreLength()
        throw refuse(
            .replaced, operation, "the lock file was removed, replaced or overwritten since it was opened; open the store again")
    }

    /// Returns what `body` read of a snapshot, unless writers with another table of readers may have reused its pages meanwhile.
    ///
    /// - Throws: As ``checkFiles(_:)``, and what `body` throws.
    func keepingSnapshot<T>(_ operation: StoreError.Operation, _ body: () throws -> T) throws -> T {
        let result = Result { try body() }
        // Pages that were reused may have looked damaged.
        let isFailure = if case .failure = result { true } else { false }
        try checkReaderTable(operation, always: isFailure)
        return try result.get()
    }

    /// Checks that the file at the path is the open one.
    ///
    /// - Parameter isCommitted: Whether a save was committed to the open file: then all later operations fail.
    /// - Throws: `StoreError` with `missing` if it was removed or moved, with `replaced` if another is there.
    func checkInPlace(_ operation: StoreError.Operation, isCommitted: Bool = false) throws {
        guard let absence = absence(operation) else { return }
        throw isCommitted ? refuse(absence.code, operation, absence.message) : absence
    }

    /// Returns the error if the file is not the one at the path.
    func absence(_ operation: StoreError.Operation) -> StoreError? {
        file.absence.map { code in
            let message = code == .missing ? LMDBEnvironment.missingMessage : LMDBEnvironment.replacedMessage
            return StoreError(code, operation, message, path: path, recovery: .reopen)
        }
    }

    /// Checks, in a write transaction, that the file belongs to LMDB's lock file; throws `replaced` if not.
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

    /// Returns whether the newest transaction in the file is a snapshot's or a later one.
    func isCommitted(_ number: Int) -> Bool {
        let newest = headNumber
        return number <= newest && (number > 0 || newest == 0)
    }

    /// Makes all operations fail from now on, since the file is another.
    func replaced(_ operation: StoreError.Operation) -> StoreError { refuse(.replaced, operation, LMDBEnvironment.replacedMessage) }

    private static let missingMessage = "the file was removed or moved since it was opened; open the store again"
    private static let replacedMessage = "the file was replaced by another since it was opened; open the store again"

    /// Extends the file to its last page: LMDB may leave pages unwritten that its head counts and the next check needs.
    func extendFileToLastPage() {
        var info = unsafe MDB_envinfo()
        var statistics = MDB_stat()
        var now = stat()
        guard unsafe mdb_env_info(handle, &info) == 0, unsafe mdb_env_stat(handle, &statistics) == 0,
            unsafe fstat(file.descriptor, &now) == 0
        else { return }
        let (needed, overflow) = unsafe (Int(info.me_last_pgno) + 1).multipliedReportingOverflow(by: Int(statistics.ms_psize))
        var length = Int(now.st_size)
        // Allocates before truncating: another process may have made the file longer meanwhile.
        if !overflow, length < needed,
            strata_allocate(file.descriptor, Int64(needed)) == 0 || ftruncate(file.descriptor, off_t(needed)) == 0
        {
            length = needed
        }
        file.length.max(length, ordering: .releasing)
        unsafe writers.needsGrowth.store(needed > Int(info.me_mapsize) / 2, ordering: .relaxed)
    }

    /// Whether the file cannot grow: the disk is full, or the process's file size limit is reached.
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
