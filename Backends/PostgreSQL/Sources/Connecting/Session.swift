import Dispatch
import StrataSQL

/// What tells a session of the server's from all others, also from one that gets its number later.
struct Session: Sendable {
    let process: Int
    /// When it began, in microseconds.
    let start: Int

    /// What answers the session of a connection.
    static let question = SQLText(
        """
        SELECT pid, (pg_catalog.date_part('epoch', backend_start) * 1000000)::bigint \
        FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid())
        """)

    /// The session that was answered; `nil` where there was none, as of a server that tells no such things.
    init?(_ result: ResultTable) {
        guard let process = result.text(0, 0).flatMap({ Int($0) }), let start = result.text(0, 1).flatMap({ Int($0) }) else { return nil }
        (self.process, self.start) = (process, start)
    }

    /// Has another session end this one, so that nothing takes effect any more that is under way to it.
    ///
    /// - Returns: Whether it is gone; else it was there still at the deadline.
    func end(from connection: Connection, until deadline: DispatchTime) throws -> Bool {
        var pause = Pause()
        while try connection.run(ending, .save).count > 0 {
            if DispatchTime.now() > deadline { return false }
            pause.wait()
        }
        return true
    }

    /// What ends the session, and answers a row while it is there.
    private var ending: SQLText {
        """
        SELECT pg_catalog.pg_terminate_backend(pid) FROM pg_catalog.pg_stat_get_activity(\(number: process)) \
        WHERE (pg_catalog.date_part('epoch', backend_start) * 1000000)::bigint = \(number: start)
        """
    }
}
