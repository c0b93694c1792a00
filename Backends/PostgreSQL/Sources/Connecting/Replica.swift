import Dispatch
import StrataSQL
import Synchronization

/// A standby server that replicates the store's own server, the primary, and answers the reads that permit it.
///
/// It has to show all that the store wrote or was notified of. If it lags behind, cannot be reached or replicates no server, the primary
/// answers, and the replica is not asked again for some time.
final class Replica: Sendable {
    private struct State {
        /// The primary's WAL position when it was last asked, in bytes, and the count of the store's news that this covers.
        var needed: (position: Int64, news: Int)?
        /// The time before which the replica is not asked again, in nanoseconds.
        var nextAttempt: UInt64 = 0
        /// The bytes that the replica had not replayed when it was last asked.
        var lag: Int64?
    }

    let pool: ConnectionPool
    private let primary: ConnectionPool
    private let state = Mutex(State())
    /// The number of changes that reads have to show.
    private let news = Atomic(0)
    /// The revision of other writers' commits that reads have to show.
    private let revision = Atomic<Int64>(0)
    /// The maximum wait for the replica, in seconds: some round trips to a primary.
    private static let patience = 0.1
    /// The minimum pause after a failure, in nanoseconds, and its multiple of the time waited.
    private static let (leastRest, restAfterFailure): (UInt64, UInt64) = (1_000_000_000, 10)

    /// - Parameter connect: Connects to the replica.
    init(of primary: ConnectionPool, bound: Int, _ connect: @escaping @Sendable (StoreError.Operation) throws -> Connection) {
        self.primary = primary
        pool = ConnectionPool("replica", bound: bound, timeout: Replica.patience, connect)
    }

    /// The state of the replica as of the last read that asked it.
    var condition: StoreCondition.Replica {
        let now = DispatchTime.now().uptimeNanoseconds
        return state.withLock { StoreCondition.Replica(isAnswering: now >= $0.nextAttempt, lagBytes: $0.lag) }
    }

    /// Records that the store wrote, or was notified of other writers' commits: all later reads show it.
    func noteNews() { news.add(1, ordering: .sequentiallyConsistent) }

    /// Records the revision of other writers' commits that the store was notified of.
    func noteRevision(_ revision: Int64) { if self.revision.exchange(revision, ordering: .relaxed) != revision { noteNews() } }

    /// Begins to read.
    ///
    /// - Parameter begin: Takes a snapshot, and runs the first statements.
    /// - Returns: `nil` where the primary has to answer.
    func read(
        _ operation: StoreError.Operation, _ begin: (Connection) throws -> Answers
    ) -> (connection: Connection, answers: Answers)? {
        let start = DispatchTime.now().uptimeNanoseconds
        if state.withLock({ start < $0.nextAttempt }) { return nil }
        do {
            let (connection, answers) = try pool.ask(operation, isRepeatable: false) { connection in
                try waitForNews(connection, operation)
                let answers = try begin(connection)
                // A failure because of values would be the same on the primary.
                if let failure = answers.failure, !PostgreSQLFailure.isAboutValues(failure) { throw failure }
                return answers
            }
            return (connection, answers)
        } catch {
            let end = DispatchTime.now().uptimeNanoseconds
            state.withLock { $0.nextAttempt = end + max(Replica.leastRest, Replica.restAfterFailure * (end - start)) }
            // The primary may show more by now: a later read must not be older than this one.
            noteNews()
            return nil
        }
    }

    /// The replica lags behind, or replicates no server.
    private struct Unusable: Error {}

    /// Waits until the replica has replayed the required position; throws ``Unusable`` besides `StoreError`.
    ///
    /// The snapshot is taken afterwards: the reported position may be newer than the snapshot of its statement.
    private func waitForNews(_ connection: Connection, _ operation: StoreError.Operation) throws {
        let needed = try neededPosition(operation)
        let end = DispatchTime.now() + Replica.patience
        var pause = Pause()
        while connection.replayed < needed {
            let replayed = try connection.execute(Replica.replayedPosition, operation).integer(0, 0)
            guard let replayed else { throw Unusable() }
            connection.replayed = replayed
            state.withLock { $0.lag = max(0, needed - replayed) }
            if replayed >= needed { return }
            if DispatchTime.now() > end { throw Unusable() }
            pause.wait()
        }
    }

    private func neededPosition(_ operation: StoreError.Operation) throws -> Int64 {
        let news = news.load(ordering: .sequentiallyConsistent)
        if let needed = state.withLock({ $0.needed }), needed.news == news { return needed.position }
        let (connection, position) = try primary.ask(operation, isRepeatable: true) { connection in
            try connection.execute(Replica.writtenPosition, operation).integer(0, 0)
        }
        primary.give(back: connection)
        let needed = position ?? .max
        state.withLock { $0.needed = (needed, news) }
        return needed
    }

    private static let writtenPosition = SQLText(
        "SELECT pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0')::bigint")
    private static let replayedPosition = SQLText(
        """
        SELECT CASE WHEN pg_catalog.pg_is_in_recovery() \
        THEN pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_last_wal_replay_lsn(), '0/0')::bigint END
        """)
}
