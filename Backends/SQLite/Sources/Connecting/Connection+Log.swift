import CStrataSQLite

extension Connection {
    /// The state of the log; `nil` where there is none.
    ///
    /// For the connection that writes, after its first read.
    func logState() -> strata_sqlite_log_state? { unsafe sharedLog.map { unsafe strata_sqlite_read_log_state($0) } }

    /// Brings the log into the database, without waiting for anybody; whether all of it is there.
    @discardableResult
    func checkpoint(_ mode: Int32) -> Bool {
        var (frames, done): (Int32, Int32) = (0, 0)
        unsafe sqlite3_busy_timeout(handle, 0)
        defer { unsafe sqlite3_busy_timeout(handle, timeoutInMilliseconds) }
        return unsafe sqlite3_wal_checkpoint_v2(handle, "main", mode, &frames, &done) == SQLITE_OK && frames == done
    }

    /// Says that closing leaves the log as it is: it belongs to another content than the file has now.
    func leaveLog() { unsafe strata_sqlite_leave_log(handle) }
}
