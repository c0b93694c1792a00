import Dispatch
import StrataEngine
import StrataSQL
import Synchronization

extension PostgreSQLStore: PreparingStore {
    var preparedTable: PreparedTable {
        let address: ServerAddress? = if case .server(let address) = location { address } else { nil }
        return PreparedTable(schema: schema.name, address: address)
    }

    /// Returns the name of a save's transaction on the server, where other stores may take part in the same save.
    private func transactionName(_ id: String) -> String { "strata \(id.prefix(60)) \(self.id.rawValue.prefix(40))" }

    func preparedSaves() throws -> [PreparedSave] {
        let (connection, saves) = try pool.ask(.resolve, isRepeatable: true) { connection in
            try preparedTable.saves(connection).filter { save in
                // The process that works on it holds the lock in a session.
                guard try lock("pg_try_advisory_lock", save.id, connection) else { return false }
                return try lock("pg_advisory_unlock", save.id, connection)
            }
        }
        pool.give(back: connection)
        return saves
    }

    /// - Throws: `StoreError` with `inDoubt` where the server has neither the prepared transaction nor the save in its log.
    func commitPrepared(_ id: String) throws { try end("COMMIT PREPARED ", id) { announce($0) } }
    func rollbackPrepared(_ id: String) throws { try end("ROLLBACK PREPARED ", id) { _ in } }

    func forgetDecision(_ id: String) {
        guard let connection = try? pool.take(.save, { _ in }) else { return }
        connection.post(preparedTable.removal(of: id))
        pool.give(back: connection)
    }

    /// Returns whether nothing is prepared for a save, nor will be.
    ///
    /// The save's row is committed before PREPARE TRANSACTION is sent, and removed after its result: without the row the coordinator has not
    /// sent it. With the row it may still be executed, as long as the transaction holds the lock of the table of changes, to which it has
    /// added its entries by then.
    func isNeverPrepared(_ id: String) throws -> Bool {
        let connection = try pool.take(.resolve) { _ in }
        defer { pool.give(back: connection) }
        if try !preparedTable.contains(id, connection) { return true }
        let lock: SQLText = "BEGIN; LOCK TABLE \(ChangeTable(schema: schema.name).name) IN SHARE MODE NOWAIT"
        do { try connection.run(lock, .resolve) } catch let error as StoreError where error.code == .locked { return false }
        if try preparedTable.saves(connection).contains(where: { $0.id == id }) { return false }
        try connection.run("\(preparedTable.removal(of: id)); COMMIT", .resolve)
        return true
    }

    private func end(_ keywords: StaticString, _ id: String, _ afterwards: (Connection) -> Void) throws {
        defer { leave(id) }
        let deadline = Deadline(after: pool.timeout)
        var pause = Pause()
        while true {
            do {
                let connection = try pool.take(.save) { _ in }
                defer { pool.give(back: connection) }
                try end(keywords, id, on: connection)
                return afterwards(connection)
            } catch let error as StoreError
                where (error.code == .io || error.code == .locked) && error.recovery == .retryable && deadline.remaining > 0
            {
                // A save that has ended already is no failure then.
                pause.wait()
            }
        }
    }

    private func end(_ keywords: StaticString, _ id: String, on connection: Connection) throws {
        do { try connection.run(SQLText("\(keywords)\(literal: transactionName(id))"), .save) } catch let error as StoreError {
            let state = (error.underlying as? PostgreSQLFailure)?.state
            if state == "55000" {
                throw StoreError(
                    .locked, .save, "another session is ending the prepared transaction of save \(id)", underlying: error,
                    recovery: .retryable)
            }
            // No such transaction: another process may have ended it, and the log has the outcome.
            guard state == "42704" else { throw error }
            let isCommit = keywords.description.hasPrefix("COMMIT")
            let table = ChangeTable(schema: schema.name)
            guard try !isCommit || (connection.execute(table.isCommitted(id), .save).integer(0, 0) ?? 0) > 0 else {
                throw StoreError(
                    .inDoubt, .save, "the server has no prepared transaction of save \(id), and its log does not name that save",
                    underlying: error, recovery: .reopen)
            }
        }
        // A leftover row does no harm: it names no transaction.
        _ = try? connection.run(preparedTable.removal(of: id), .save)
    }

    /// Cleans up after a save whose connection was lost during prepare.
    ///
    /// If the server cannot be reached, its row stays for a later recovery.
    private func withdraw(_ id: String, _ session: Session?) throws {
        let connection = try pool.reconnect(.save)
        if let session { _ = try session.end(from: connection, until: .now() + pool.timeout) }
        try end("ROLLBACK PREPARED ", id, on: connection)
    }

    /// Lets another process recover a save.
    private func leave(_ id: String) {
        // The server notices a closed connection with a delay, so the lock is released explicitly.
        if let session = working.withLock({ $0.removeValue(forKey: id) }) { _ = try? lock("pg_advisory_unlock", id, session) }
    }

    /// Ends the first phase of a transaction.
    func prepare(_ save: PreparedSave, _ connection: Connection, _ run: (SQLText) throws -> Void) throws {
        let session = try pool.openApart(.save)
        guard try lock("pg_try_advisory_lock", save.id, session) else {
            throw StoreError(.locked, .save, "another session recovers the save")
        }
        try preparedTable.insert(save, transaction: transactionName(save.id), session)
        do { try run(SQLText("PREPARE TRANSACTION \(literal: transactionName(save.id))")) } catch {
            if connection.isBroken {
                // The server may have prepared it before the connection failed.
                try? withdraw(save.id, connection.session)
                throw error
            }
            _ = try? session.run(preparedTable.removal(of: save.id), .save)
            guard let refusal = error as? StoreError, (refusal.underlying as? PostgreSQLFailure)?.state == "55000" else { throw error }
            throw StoreError(
                .unsupported, .save, "the server keeps no prepared transactions: set max_prepared_transactions",
                underlying: refusal.underlying)
        }
        // The session holds the lock until the second phase is over, or the process ends.
        working.withLock { $0[save.id] = session }
    }

    private func lock(_ function: StaticString, _ id: String, _ connection: Connection) throws -> Bool {
        let lock = AdvisoryLock(.preparedSave, name: id + schema.name)
        return try connection.execute(lock.statement(function), .save).number(0, 0, as: UInt8.self) == 1
    }
}
