import CStrataSQLite
import StrataSQL

/// Keeps a log from taking the room that the database needs to take it in: on a full disk neither could go on.
struct LogRoom {
    /// What stays free for the deletions that make more room, or a part of a disk that is hardly larger.
    private static let reserve = 256 << 10
    /// After how many frames, at most, the disk is looked at.
    private static let stride: UInt32 = 256
    /// The bytes of a change set from which it is asked beforehand whether it fits.
    static let large = 256 << 10

    private var nextLook: UInt32 = 0
    private var interval = LogRoom.stride
    /// Whether the disk was found so full that every save is asked whether it fits.
    private(set) var isTight = false

    /// After a commit: brings the log into the database while there is room for it.
    mutating func tend(_ connection: Connection) {
        guard let state = connection.logState() else { return }
        // The log was begun anew.
        if nextLook > state.frames + interval { nextLook = interval }
        let log = Int(state.frames) * connection.pageSize
        guard state.frames >= nextLook, let (free, _) = LogRoom.room(connection, log: log) else { return }
        interval = min(LogRoom.stride, max(1, UInt32(clamping: free / 8 / connection.pageSize)))
        nextLook = state.frames + interval
        isTight = interval < LogRoom.stride
        if free / 4 < log { connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE) }
    }

    /// Before the commit of a transaction whose pages are in the log: refuses what would not fit from there into the database.
    ///
    /// - Throws: `StoreError` with `full`.
    func check(_ connection: Connection) throws {
        guard let state = connection.logState(), let pages = try connection.integer("PRAGMA page_count", .save),
            pages > Int64(state.pages)
        else { return }
        guard let size = try? PosixFileSystem.shared.status(of: connection.path).size, let (free, total) = LogRoom.room(connection) else {
            return
        }
        let growth = Int(pages) * connection.pageSize - size
        if growth > 0 && free < growth + min(LogRoom.reserve, total / 16) {
            throw StoreError(
                .full, .save, "the disk has \(free) free bytes, and the database would grow by \(growth)", path: connection.path)
        }
    }

    /// How many bytes the database may grow, beside a log of some bytes, and how many there are in all: of the disk, and of what the process's
    /// limit on files leaves.
    private static func room(_ connection: Connection, log: Int = 0) -> (available: Int, total: Int)? {
        let system = PosixFileSystem.shared
        guard let disk = try? system.space(at: connection.path) else { return nil }
        guard let longest = PosixFileSystem.longestFile, let size = try? system.status(of: connection.path).size else { return disk }
        return (min(disk.available, max(0, longest - max(size, log))), min(disk.total, longest))
    }

    /// After a transaction that found the disk full was rolled back: gives back what its part of the log took, and what the rest takes.
    ///
    /// - Returns: Whether nothing of the transaction is left.
    @discardableResult static func recover(_ connection: Connection) -> Bool {
        if !connection.isLogged { return true }
        guard connection.logState() != nil, (try? connection.statement(.beginImmediate).run(.save)) != nil else { return false }
        var isGone = false
        // With the lock for writing nobody adds frames; what lies behind the last commit's is of nobody.
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
    /// The state of the log; `nil` where there is none.
    ///
    /// For the connection that writes, after its first read.
    func logState() -> strata_sqlite_log_state? { unsafe sharedLog.map { unsafe strata_sqlite_read_log_state($0) } }

    /// Brings the log into the database, without waiting for anybody; whether all of it is there.
    @discardableResult
    func checkpoint(_ mode: Int32) -> Bool {
        var (frames, done): (Int32, Int32) = (0, 0)
        return withoutWaiting { unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &done) == SQLITE_OK && frames == done }
    }

    /// Says that closing leaves the log as it is: it belongs to another content than the file has now.
    func leaveLog() { unsafe strata_sqlite_leave_log(handle) }
}
