import Dispatch
import StrataSQL

/// The identity of a session of the server, also unlike those that get its process ID later.
struct Session: Sendable, Hashable {
    let process: Int
    /// The start time, in microseconds.
    let start: Int

    /// The query for the session of a connection.
    static let question = SQLText(
        """
        SELECT pid, (pg_catalog.date_part('epoch', backend_start) * 1000000)::bigint \
        FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid())
        """)

    /// The session in the result; `nil` where the server does not report it.
    init?(_ result: ResultTable) {
        guard let process = result.text(0, 0).flatMap({ Int($0) }), let start = result.text(0, 1).flatMap({ Int($0) }) else { return nil }
        (self.process, self.start) = (process, start)
    }

    /// Why a store cannot use a pooler that gives a session to several connections.
    static let isShared = "a pooler shares the server's sessions between connections: PgBouncer needs pool_mode = session"

    /// Terminates the session from another one, so that nothing that is still in transit to it takes effect.
    ///
    /// - Returns: Whether it has ended by the deadline.
    func end(from connection: Connection, until deadline: DispatchTime) throws -> Bool {
        var pause = Pause()
        while try connection.run(ending, .save).count > 0 {
            if DispatchTime.now() > deadline { return false }
            pause.wait()
        }
        return true
    }

    /// The statement that terminates the session, and returns a row while it exists.
    private var ending: SQLText {
        """
        SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_get_activity(\(number: process)) \
        WHERE (pg_catalog.date_part('epoch', backend_start) * 1000000)::bigint = \(number: start)
        """
    }
}
