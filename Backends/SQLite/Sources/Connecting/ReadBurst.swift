import CStrataSQLite
import Dispatch

/// Keeps a connection's read transaction open from one statement to the next while they follow each other closely, and nobody commits.
///
/// To take a snapshot of the log and to leave it are two system calls, a good part of what a look-up costs. Each commit, of whichever
/// process, changes the header of the log's index, which all of them share in memory: as long as it is as it was when the snapshot was
/// taken, there is none newer.
///
/// While a snapshot is held, nobody can start the log over, so none is held for longer than ``longest``, none while the own process
/// writes, and there is a pause before the next.
// Safe: SQLite keeps what it points to as long as the connection, whose the burst is.
@safe struct ReadBurst {
    /// How long a transaction may stay open, in nanoseconds.
    static let longest: UInt64 = 50_000_000
    /// Within what time statements have to follow each other.
    private static let gap: UInt64 = 1_000_000
    /// How long no transaction is kept after a commit was seen, or one was open for long.
    private static let pause: UInt64 = 5_000_000

    /// Whether the connection's transaction is one that is kept.
    private(set) var isOpen = false
    /// Whether one may be kept; set by whoever lends the connection.
    var isAllowed = false
    /// The memory that the processes share, once a transaction was kept.
    private var shared: UnsafeRawPointer?
    private var header = strata_sqlite_log_header()
    private var start: UInt64 = 0
    private var last: UInt64 = 0
    private var end: UInt64 = 0

    /// What a statement has to do before it runs.
    enum Step {
        /// Nothing: its snapshot is its own, or the one that is kept.
        case run
        /// To begin a transaction, which is kept.
        case begin
        /// To end the transaction that was kept; the statement's snapshot is its own.
        case end
    }

    /// Decides about the next statement of a connection.
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
        // Before the snapshot is taken: one that is newer than the header is only taken anew too early.
        unsafe self.shared = shared
        header = unsafe strata_sqlite_read_log_header(shared)
        start = now
        isOpen = true
        return .begin
    }

    /// Takes note that the transaction was ended, or is somebody else's now.
    mutating func close() { isOpen = false }

    /// Whether the snapshot that is kept shows the latest commit.
    var isNewest: Bool {
        guard let shared = unsafe shared else { return false }
        return unsafe withUnsafePointer(to: header) { unsafe strata_sqlite_is_log_header(shared, $0) != 0 }
    }
}
