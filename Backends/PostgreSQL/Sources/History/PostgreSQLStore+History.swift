import FoundationEssentials
import StrataSQL

extension PostgreSQLStore {
    var historyTable: HistoryTable { HistoryTable(schema: schema.name) }

    func history(_ query: HistoryQuery) throws -> [HistoryRecord] {
        try checkOpen(.fetch)
        let table = historyTable
        do {
            return try pool.withAnyConnection(.fetch) { connection in
                let statements = table.reading(query, isReadOnly: isReadOnly)
                let answers = try connection.execute(statements, .fetch)
                let records = try table.records(answers.result(2, .fetch), query)
                let isComplete = try isReadOnly || answers.result(3, .fetch).number(0, 0, as: UInt8.self) != 1
                if isComplete || !addExternalChanges(connection) { return records }
                return try table.records(connection.execute(statements, .fetch).result(2, .fetch), query)
            }
        } catch {
            if HistoryTable.isMissing(error) { return [] }
            throw HistoryTable.explain(error)
        }
    }

    /// Adds the changes that other programs made since the last call to the history, as one transaction; returns whether there were any.
    ///
    /// It does not wait for a migration, which may be that of the caller. What fails is tried again by the next reader.
    private func addExternalChanges(_ connection: Connection) -> Bool {
        let external = ExternalTrigger(schema: schema.name)
        do {
            let first = [SQLText("SET LOCAL lock_timeout = 1000"), "\(metadataTable.writing) NOWAIT"]
            let beginning = metadataTable.beginning("READ COMMITTED, READ WRITE", after: first, requiring: starter.identity)
            let taken = try connection.execute(beginning + [external.taking], .save).result(beginning.count, .save)
            var ending = [SQLText("COMMIT")]
            if let body = ExternalChanges(taken, schema, model).body {
                let record = HistoryRecord(
                    time: Date().timeIntervalSinceReferenceDate, origin: HistoryOrigin(.external).encoded, body: body)
                ending.insert(historyTable.insertion(record, writer: nil, save: 0, links: []), at: 0)
            }
            _ = try connection.execute(ending, .save).result(ending.count - 1, .save)
            return true
        } catch {
            _ = try? connection.run(SQLText("ROLLBACK"), .save)
            return false
        }
    }
}

extension ConnectionPool {
    /// Runs `body` on a connection that is free, or else on one that is opened for it: the caller may have the last
    /// one.
    fileprivate func withAnyConnection<T>(_ operation: StoreError.Operation, _ body: (Connection) throws -> T) throws -> T {
        guard hasFree else { return try body(openApart(operation)) }
        let (connection, result) = try ask(operation, isRepeatable: true, body)
        give(back: connection)
        return result
    }
}

/// The records that a transaction adds to the history.
struct HistoryAdditions {
    /// The transaction's own record, which is sent with the commit.
    var own: HistoryRecord?
    /// Those of another history that were not written yet, with their numbers.
    fileprivate var given: [HistoryRecord] = []
    fileprivate var givenBytes = 0
    /// The number of the last record before the next given one; `nil` without given ones.
    fileprivate var last: Int64?

    fileprivate static let mostGivenBytes = 1 << 20
}

extension PostgreSQLTransaction {
    /// - Returns: The number of a given record; 0 for the transaction's own, which the server numbers with the commit.
    func append(_ record: HistoryRecord) throws -> Int64 {
        try check()
        if record.number == 0 {
            history.own = record
            return 0
        }
        let last = try history.last ?? connection.execute("SELECT max(number) FROM \(historyTable.name)", .save).integer(0, 0) ?? 0
        history.last = try record.number(after: last, path: nil)
        history.given.append(record)
        history.givenBytes += record.byteCount + 64
        if history.givenBytes > HistoryAdditions.mostGivenBytes { try writeGivenRecords() }
        return record.number
    }

    /// Writes the records of another history, after which the store's own numbers continue.
    func finishGivenRecords() throws {
        guard let last = history.last else { return }
        try writeGivenRecords()
        try historyTable.continueNumbers(after: last, connection, .save)
        history.last = nil
    }

    private func writeGivenRecords() throws {
        if history.given.isEmpty { return }
        let table = historyTable
        do { try connection.insert(history.given.count, by: table.insertion(of: history.given), into: table.name, .save) } catch {
            throw HistoryTable.explain(error)
        }
        (history.given, history.givenBytes) = ([], 0)
    }

    func deleteHistory(through mark: HistoryRecord) throws {
        try check()
        do {
            let answers = try connection.execute(historyTable.deletion(through: mark), .save)
            if try answers.result(1, .save).affected != 1 { throw StoreError.passedOver(historyTable.name, .save) }
        } catch { throw HistoryTable.explain(error) }
    }

    func replaceHistory(by mark: HistoryRecord) throws {
        try check()
        for statement in historyTable.replacement { try connection.run(statement, .save) }
        (history.given, history.givenBytes, history.last) = ([mark], 0, mark.number)
        try finishGivenRecords()
    }

    private var historyTable: HistoryTable { HistoryTable(schema: schema.name) }
}
