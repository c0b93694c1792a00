import StrataSQL

protocol StatementRunner {
    /// Runs statements with parameters in one round trip.
    func execute(_ statements: [SQLText], _ operation: StoreError.Operation) throws -> Answers
}

extension StatementRunner {
    /// Runs a statement with parameters, prepared once for each text; the request's cancellation cancels it.
    @discardableResult
    func execute(_ sql: SQLText, _ operation: StoreError.Operation) throws -> ResultTable {
        try execute([sql], operation).result(0, operation)
    }

    /// Runs a statement of a transaction that may fail because of values, which has no effect then.
    ///
    /// - Returns: `nil` where it failed so.
    func attempt(_ sql: SQLText, _ operation: StoreError.Operation) throws -> ResultTable? {
        try attempt([sql], operation)?.result(0, operation)
    }

    /// Runs statements as ``attempt(_:_:)`` runs one.
    func attempt(_ statements: [SQLText], _ operation: StoreError.Operation) throws -> Answers? {
        var answers = try execute([SQLText("SAVEPOINT attempt")] + statements + [SQLText("RELEASE SAVEPOINT attempt")], operation)
        if let failure = answers.failure, PostgreSQLFailure.isAboutValues(failure) {
            try execute(SQLText("ROLLBACK TO SAVEPOINT attempt"), operation)
            return nil
        }
        answers.results = Array(answers.results.dropFirst())
        return answers
    }
}

extension Connection: StatementRunner {}

/// The transaction of a read, which begins together with its first statement, in one round trip.
final class ReadScope: StatementRunner {
    private let store: PostgreSQLStore
    private var connection: Connection?
    private let isBorrowed: Bool
    /// The replica that may answer, or does.
    private var replica: Replica?

    /// A transaction that begins with the first statement.
    init(_ store: PostgreSQLStore) {
        self.store = store
        replica = StoreReading.allowsReplicas ? store.replica : nil
        isBorrowed = false
    }

    /// A transaction that the caller began and ends.
    init(_ store: PostgreSQLStore, in connection: Connection) {
        self.store = store
        self.connection = connection
        isBorrowed = true
    }

    /// Whether a replica answers.
    var isOnReplica: Bool { connection != nil && replica != nil }

    func begin() throws {
        if connection == nil { _ = try run([], .fetch) }
    }

    /// Ends the transaction, if it began.
    ///
    /// - Parameter isWhole: Whether all reads succeeded, so that the end need not be waited for.
    func end(isWhole: Bool) {
        guard !isBorrowed, let connection else { return }
        self.connection = nil
        if isWhole { connection.endReading() }
        (replica?.pool ?? store.pool).give(back: connection)
    }

    func execute(_ statements: [SQLText], _ operation: StoreError.Operation) throws -> Answers {
        guard StoreReading.continuesAfterDamage, !statements.isEmpty else { return try run(statements, operation) }
        // A failed statement aborts the transaction up to the savepoint.
        try begin()
        var answers = try run([SQLText("SAVEPOINT attempt")] + statements + [SQLText("RELEASE SAVEPOINT attempt")], operation)
        answers.results = Array(answers.results.dropFirst().prefix(statements.count))
        if answers.failure != nil { _ = try? run([SQLText("ROLLBACK TO SAVEPOINT attempt")], operation) }
        return answers
    }

    /// Runs statements; the first ones are repeated where the connection is lost, as no result was used yet.
    private func run(_ statements: [SQLText], _ operation: StoreError.Operation) throws -> Answers {
        if let connection {
            var answers = try connection.execute(statements, operation)
            if replica != nil, let failure = answers.failure { answers.failure = ReadScope.failure(onReplica: failure, operation) }
            return answers
        }
        if let replica {
            if let (connection, answers) = replica.read(operation, { try store.starter.beginReading($0, operation, then: statements) }) {
                self.connection = connection
                return answers
            }
            self.replica = nil
        }
        let (connection, answers) = try store.pool.ask(operation, isRepeatable: true) { connection in
            let answers = try store.starter.beginReading(connection, operation, then: statements)
            if connection.isBroken, let failure = answers.failure { throw failure }
            return answers
        }
        self.connection = connection
        return answers
    }

    /// Returns the error of a read on a standby, which cancels reads that conflict with replication: no conflict with another
    /// writer's change.
    private static func failure(onReplica failure: any Error, _ operation: StoreError.Operation) -> any Error {
        guard let error = failure as? StoreError, error.code == .serializationFailure else { return failure }
        return StoreError(.io, operation, "the replica ended the read", underlying: error.underlying, recovery: .retryable)
    }
}
