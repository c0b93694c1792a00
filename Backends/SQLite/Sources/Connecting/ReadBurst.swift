import CStrataSQLite
import Dispatch

/// Keeps a connection's read transaction open from one statement to the next while they follow each other closely, and no commit happens.
///
/// Taking a snapshot of the log and releasing it are two system calls, a considerable part of a lookup's cost. Each commit of any process
/// changes the header of the log's index, in shared memory: while the header is unchanged since the snapshot was taken,
/// no newer one exists.
///
/// A held snapshot keeps the log from being restarted, so none is held for longer than ``longest``, none while the own process writes, and
/// there is a pause before the next.
// Safe: SQLite keeps the shared memory as long as the connection, which owns the burst.
@safe struct ReadBurst {
    /// The maximum duration of a transaction, in nanoseconds.
    static let longest: UInt64 = 50_000_000
    /// The maximum interval between statements.
    private static let gap: UInt64 = 1_000_000
    /// The time without a kept transaction after a commit, or a transaction of the maximum duration.
    private static let pause: UInt64 = 5_000_000

    /// Whether the connection's transaction is a kept one.
    private(set) var isOpen = false
    /// Whether one may be kept; set by the pool.
    var isAllowed = false
    /// The memory that the processes share, once a transaction was kept.
    private var shared: UnsafeRawPointer?
    private var header = strata_sqlite_log_header()
    private var start: UInt64 = 0
    private var last: UInt64 = 0
    private var end: UInt64 = 0

    /// The action before a statement runs.
    enum Step {
        /// None: its snapshot is its own, or the kept one.
        case run
        /// Begin a transaction, and keep it.
        case begin
        /// End the kept transaction; the statement's snapshot is its own.
        case end
    }

    /// Returns the action before the next statement of a connection.
    mutating func next(on connection: Connection) -> Step {
        let now = DispatchTime.now().uptimeNanoseconds
        defer { last = now }
        if isOpen {
            if isNewest && now &- start < ReadBurst.longest { return .run }
            isOpen = false
            end = now
            return .end
        }
        guard isAllowed, now &- last < ReadBurst.gap, now &- end > ReadBurst.pause, let shared = unsafe connection.sharedLog else {
            return .run
        }
        // Read before the snapshot is taken: a snapshot newer than the header is only renewed too early.
        unsafe self.shared = shared
        header = unsafe strata_sqlite_read_log_header(shared)
        start = now
        isOpen = true
        return .begin
    }

    /// Records that the transaction has ended, or was taken over.
    mutating func close() { isOpen = false }

    /// Whether the kept snapshot shows the latest commit.
    var isNewest: Bool {
        guard let shared = unsafe shared else { return false }
        return unsafe withUnsafePointer(to: header) { unsafe strata_sqlite_is_log_header(shared, $0) != 0 }
    }
}
