import Dispatch
import StrataStore

/// Finds out whether a transaction took effect whose connection was lost while it was being committed.
struct CommitOutcome {
    let pool: ConnectionPool
    let table: ChangeTable
    /// What names the transaction in the log.
    let save: String
    /// The session that was to commit it.
    let session: Session?

    /// Whether it took effect; `nil` where the server cannot be asked.
    func isCommitted() -> Bool? {
        guard let session else { return nil }
        let end = DispatchTime.now() + pool.timeout
        var pause = Pause()
        while DispatchTime.now() < end {
            do { return try ask(session, until: end) } catch let error as StoreError where error.recovery == .retryable {
                pause.wait()
            } catch { return nil }
        }
        return nil
    }

    /// The session may be there still, and commit later what is under way to it: it is ended before the log is asked.
    private func ask(_ session: Session, until end: DispatchTime) throws -> Bool? {
        let connection = try pool.openApart(.save)
        guard try session.end(from: connection, until: end) else { return nil }
        // A standby that has not heard of the commit yet would deny it.
        if try table.position(connection) == nil { return nil }
        return try connection.execute(table.isCommitted(save), .save).integer(0, 0).map { $0 > 0 }
    }
}
