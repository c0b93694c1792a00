import CStrataSQLite
import StrataFiles

/// SQLite's handle of an open database, with what has to exist as long as it.
// Safe: the object owns the handle.
@safe final class OpenedDatabase {
    let handle: OpaquePointer
    /// Keeps other code of the process from closing a descriptor of the file, and SQLite's locks with it.
    ///
    /// Released after the handle.
    let hold: OpenDatabases.Hold
    /// The changes by triggers.
    let reports = TriggerReports()
    /// The shared memory of the log's index, looked up once, after the first read; `nil` without a log.
    private(set) lazy var sharedLog: UnsafeRawPointer? = unsafe strata_sqlite_shared_log(handle)
    private var trace: StatementTrace?

    init(_ handle: OpaquePointer, _ hold: OpenDatabases.Hold) {
        unsafe self.handle = handle
        self.hold = hold
        unsafe reports.register(on: handle)
    }

    /// Installs a trace that is called for each statement.
    func trace(to trace: StatementTrace) {
        self.trace = trace
        unsafe trace.listen(on: handle)
    }

    deinit { unsafe sqlite3_close_v2(handle) }
}
