import CStrataSQLite
import StrataSQL

/// Checkpoints the log before it takes the disk space that its content needs in the database: on a full disk, neither could go on.
struct CheckpointPolicy {
    /// The space that stays free for deletions, which free more of it; a fraction on a disk that is hardly larger.
    private static let reserve = 256 << 10
    /// The maximum number of frames between two checks of the disk.
    private static let stride: UInt32 = 256
    /// The size in bytes from which a change set is checked against the free space in advance.
    static let large = 256 << 10

    private var nextLook: UInt32 = 0
    private var interval = CheckpointPolicy.stride
    /// Whether the free space is so small that every save is checked in advance.
    private(set) var isTight = false

    /// After a commit, checkpoints the log while the database can grow by it.
    mutating func tend(_ connection: Connection) {
        guard let state = connection.logState() else { return }
        // The log was restarted.
        if nextLook > state.frames + interval { nextLook = interval }
        let log = Int(state.frames) * connection.pageSize
        guard state.frames >= nextLook, let (free, _) = CheckpointPolicy.freeSpace(connection, log: log) else { return }
        interval = min(CheckpointPolicy.stride, max(1, UInt32(clamping: free / 8 / connection.pageSize)))
        nextLook = state.frames + interval
        isTight = interval < CheckpointPolicy.stride
        if free / 4 < log { connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE) }
    }

    /// Before the commit of a transaction whose pages are in the log, refuses it if they would not fit into the database.
    ///
    /// - Throws: `StoreError` with `full`.
    func check(_ connection: Connection) throws {
        guard let state = connection.logState(), let pages = try connection.integer("PRAGMA page_count", .save),
            pages > Int64(state.pages)
        else { return }
        guard let size = try? PosixFileSystem.shared.status(of: connection.path).size,
            let (free, total) = CheckpointPolicy.freeSpace(connection)
        else {
            return
        }
        let growth = Int(pages) * connection.pageSize - size
        if growth > 0 && free < growth + min(CheckpointPolicy.reserve, total / 16) {
            throw StoreError(
                .full, .save, "the disk has \(free) free bytes, and the database would grow by \(growth)", path: connection.path)
        }
    }

    /// Returns the number of bytes by which the database may grow beside a log of a size, and the total: limited by the disk,
    /// and by the process's limit on file sizes.
    private static func freeSpace(_ connection: Connection, log: Int = 0) -> (available: Int, total: Int)? {
        let system = PosixFileSystem.shared
        guard let disk = try? system.space(at: connection.path) else { return nil }
        guard let longest = PosixFileSystem.longestFile, let size = try? system.status(of: connection.path).size else { return disk }
        return (min(disk.available, max(0, longest - max(size, log))), min(disk.total, longest))
    }

    /// After a transaction was rolled back because of a full disk, removes its frames from the log, and checkpoints the others.
    ///
    /// - Returns: Whether no page of the transaction is left.
    @discardableResult static func recover(_ connection: Connection) -> Bool {
        if !connection.isLogged { return true }
        guard connection.logState() != nil, (try? connection.statement(.beginImmediate).run(.save)) != nil else { return false }
        var isGone = false
        // Holding the write lock, no connection appends frames; those after the last commit belong to no transaction.
        if let state = connection.logState() {
            let end = state.frames == 0 ? 0 : 32 + Int64(state.frames) * Int64(connection.pageSize + 24)
            isGone = unsafe strata_sqlite_truncate_log(connection.handle, end) == SQLITE_OK
        }
        try? connection.statement(.rollback).run(.save)
        connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
        return isGone
    }
}

extension Connection {
    /// Returns the state of the log; `nil` where there is none.
    ///
    /// For the writer, after its first read.
    func logState() -> strata_sqlite_log_state? { unsafe sharedLog.map { unsafe strata_sqlite_read_log_state($0) } }

    /// Checkpoints the log without waiting for other connections; returns whether it is complete.
    @discardableResult
    func checkpoint(_ mode: Int32) -> Bool {
        var (frames, done): (Int32, Int32) = (0, 0)
        return withoutWaiting { unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &done) == SQLITE_OK && frames == done }
    }

    /// Makes closing leave the log in place: it belongs to another content than that of the file now.
    func leaveLog() { unsafe strata_sqlite_leave_log(handle) }
}
