import StrataSQL

/// Begins the transactions of a store, and checks that it is still the store that was opened.
struct TransactionStarter {
    let metadataTable: MetadataTable
    let identity: StoreIdentity
    /// The first statements of transactions that read, and of those that write.
    private let (reading, writing): ([SQLText], [SQLText])

    init(_ metadataTable: MetadataTable, _ identity: StoreIdentity) {
        self.metadataTable = metadataTable
        self.identity = identity
        reading = metadataTable.beginning("REPEATABLE READ, READ ONLY", after: [metadataTable.reading])
        // A sequential scan of a table would make concurrent saves conflict under serializable isolation.
        let first = [SQLText("SET LOCAL enable_seqscan = off"), metadataTable.writing]
        writing = metadataTable.beginning("SERIALIZABLE, READ WRITE", after: first, requiring: identity)
    }

    /// Begins a transaction, whose snapshot shows what is committed now, and runs the first statements in it, in one round trip.
    ///
    /// - Returns: The results of the statements.
    /// - Throws: `StoreError` with `incompatibleModel` where the store was migrated to another version of its model since it was opened.
    private func begin(
        _ beginning: [SQLText], _ connection: Connection, _ operation: StoreError.Operation, then statements: [SQLText] = []
    ) throws -> Answers {
        var answers = try connection.execute(beginning + statements, operation)
        let identity = try answers.result(beginning.count - 1, operation)
        try self.identity.check(identity.integer(0, 0), identity.text(0, 1), operation)
        answers.results.removeFirst(beginning.count)
        return answers
    }

    func beginReading(
        _ connection: Connection, _ operation: StoreError.Operation, then statements: [SQLText] = []
    ) throws -> Answers {
        try begin(reading, connection, operation, then: statements)
    }

    /// Begins a migration, which waits for all writers, other programs included, and blocks new ones.
    func beginMigration(of schema: StoreSchema, _ connection: Connection) throws {
        let tables = schema.tables.values.map(\.name) + schema.joins.compactMap { $0?.name }
        let locks = [metadataTable.migrating(tables.sorted { $0.name < $1.name })]
        _ = try begin(metadataTable.beginning("REPEATABLE READ, READ WRITE", after: locks), connection, .migrate)
    }

    /// Postpones the first statements of a transaction that writes to the round trip of the next ones, on a connection that was used just now.
    ///
    /// On others they are sent at once: if the server is lost, another connection is taken.
    func postponeWriting(_ connection: Connection) throws {
        let isFresh = connection.isFresh
        for statement in writing {
            try connection.postpone(statement, .save) { [weak connection, identity] failure in
                if isFresh, connection?.isBroken == true {
                    return StoreError(
                        .serializationFailure, .save, "the connection was lost before the transaction began", underlying: failure)
                }
                return identity.failure(failure, .save)
            }
        }
        if !isFresh { try connection.sendPostponed(.save) }
    }
}
