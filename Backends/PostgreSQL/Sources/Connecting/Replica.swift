import Dispatch
import StrataSQL
import Synchronization

/// A server that follows the store's own one, the primary, and answers reads that allow it.
///
/// It has to show whatever the store wrote, or heard of. Where it is not that far, is away, or follows nobody, the primary is asked, and the
/// replica is left alone for a while.
final class Replica: Sendable {
    private struct State {
        /// How far the primary had written when it was asked last, in bytes of its log, and what of the store's own was in that.
        var needed: (position: Int64, news: Int)?
        /// When it may be asked next, in nanoseconds.
        var nextAttempt: UInt64 = 0
    }

    let pool: ConnectionPool
    private let primary: ConnectionPool
    private let state = Mutex(State())
    /// How often there was something that reads have to show.
    private let news = Atomic(0)
    /// How long it is waited for, in seconds: as long as a primary takes to be asked a few times.
    private static let patience = 0.1
    /// How long it is left alone at least, in nanoseconds, and how much longer than it was waited for.
    private static let (leastRest, restAfterFailure): (UInt64, UInt64) = (1_000_000_000, 10)

    /// - Parameter connect: Connects to the replica.
    init(of primary: ConnectionPool, bound: Int, _ connect: @escaping @Sendable (StoreError.Operation) throws -> Connection) {
        self.primary = primary
        pool = ConnectionPool(bound: bound, timeout: Replica.patience, connect)
    }

    /// The store wrote something, or heard of what others wrote: whatever is read from now on shows it.
    func noteNews() { news.add(1, ordering: .sequentiallyConsistent) }

    /// Begins to read.
    ///
    /// - Parameter begin: Takes a snapshot, and asks for something.
    /// - Returns: `nil` where the primary is to be asked.
    func read(
        _ operation: StoreError.Operation, _ begin: (Connection) throws -> Answers
    ) -> (connection: Connection, answers: Answers)? {
        let start = DispatchTime.now().uptimeNanoseconds
        if state.withLock({ start < $0.nextAttempt }) { return nil }
        do {
            let (connection, answers) = try pool.ask(operation, isRepeatable: false) { connection in
                try waitForNews(connection, operation)
                let answers = try begin(connection)
                // What is wrong with values the primary would say, too.
                if let failure = answers.failure, !PostgreSQLFailure.isAboutValues(failure) { throw failure }
                return answers
            }
            return (connection, answers)
        } catch {
            let end = DispatchTime.now().uptimeNanoseconds
            state.withLock { $0.nextAttempt = end + max(Replica.leastRest, Replica.restAfterFailure * (end - start)) }
            // The primary may show more: what is read later is not to be older than that.
            noteNews()
            return nil
        }
    }

    /// The server is too far behind, or follows no other one: the primary is read.
    private struct Unusable: Error {}

    /// Waits until a replica shows what it has to; throws ``Unusable`` besides `StoreError`.
    ///
    /// The snapshot comes afterwards: what a statement says of the log may be newer than its snapshot.
    private func waitForNews(_ connection: Connection, _ operation: StoreError.Operation) throws {
        let needed = try neededPosition(operation)
        let end = DispatchTime.now() + Replica.patience
        var pause = Pause()
        while connection.replayed < needed {
            let replayed = try connection.execute(Replica.replayedPosition, operation).integer(0, 0)
            guard let replayed else { throw Unusable() }
            connection.replayed = replayed
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
