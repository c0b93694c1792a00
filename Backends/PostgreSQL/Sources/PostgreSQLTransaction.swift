import Dispatch
import StrataSQL

/// A transaction over a PostgreSQL store, on a connection of its own.
final class PostgreSQLTransaction: PreparingTransaction {
    let store: PostgreSQLStore
    let connection: Connection
    private let origin: TransactionOrigin
    /// The number of the transaction among those of its store.
    private let number: Int
    /// Identifies the transaction in the store's log.
    private var save: String { "\(store.feed.writer)-\(number)" }
    var log = TransactionLog()
    var history = HistoryAdditions()
    let references: TransactionReferences
    private var isOver = false
    private var hasConflict = false
    /// The pass with which the transaction entered the store's gate.
    private let pass: WriterGate.Pass?
    /// Whether its session holds the lock of repeated transactions.
    private let isRepetition: Bool

    var model: ManagedObjectModel { store.model }
    var schema: StoreSchema { store.schema }

    /// A transaction that was begun on a connection, or begins with its first statement.
    init(
        _ store: PostgreSQLStore, _ connection: Connection, _ origin: TransactionOrigin = TransactionOrigin(),
        _ pass: WriterGate.Pass? = nil, isRepetition: Bool = false
    ) {
        self.pass = pass
        self.isRepetition = isRepetition
        self.origin = origin
        self.store = store
        number = store.feed.numberOfNextTransaction()
        self.connection = connection
        references = TransactionReferences(store)
    }

    /// A transaction that is dropped is rolled back.
    deinit { rollback() }

    // MARK: - Changes

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
        try check()
        return try references.reserve(count, table(of: root), connection)
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        try check()
        try LongKeyIndexing(transaction: self).prepare(changes)
        var conflicts: [StoreConflict] = []
        try RowDeleter(transaction: self).delete(changes.deleted, &conflicts)
        try RowUpdater(transaction: self).update(changes.updated, &conflicts)
        try RowInserter(transaction: self).insert(changes.inserted)
        try LinkWriter(transaction: self).apply(changes.links)
        if let metadata = changes.metadata {
            try store.metadataTable.update(metadata, connection, .save)
            log.noteMetadata()
        }
        // Versions are checked first: a constraint that a stale row violates may hold for the row that replaces it.
        if conflicts.isEmpty { conflicts = try DuplicateFinder(transaction: self).conflicts(changes) }
        if !conflicts.isEmpty { hasConflict = true }
        return conflicts
    }

    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? {
        try check()
        return try PlanStatement(plan, self).update(assignments)
    }

    func delete(_ plan: FetchPlan) throws -> StoreAnswer? {
        try check()
        return try PlanStatement(plan, self).delete()
    }

    /// Inserts rows and links of a store that is being created, whose constraints are created afterwards.
    func insertUnchecked(_ changes: ChangeSet) throws {
        try RowInserter(transaction: self).insert(changes.inserted)
        try LinkWriter(transaction: self).apply(changes.links)
    }

    /// Leaves the connection to the transaction that this one is part of.
    func leave() { isOver = true }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try check()
        return try body(PostgreSQLReader(store, connection))
    }

    func metadata() throws -> StoreMetadata {
        try check()
        return try store.metadataTable.read(connection, .metadata).metadata
    }

    func migrate(_ migration: StoreMigration) throws {
        try check()
        log.noteMetadata()
        // If only names, columns and tables change, rows stay where they are.
        if let altering = try TableAltering(store, migration, connection) { return try altering.run() }
        try writeAnew(migration)
    }

    // MARK: - For writers of rows

    func table(of entity: EntityIndex) throws -> EntityTable {
        try schema.requireTable(of: entity, in: model, .save)
    }

    /// Returns the references in the result of a statement that writes to a table.
    func references(answeredBy sql: SQLText, _ table: EntityTable, _ written: [WrittenColumn] = []) throws -> Set<Int64> {
        let result = try explained(table.name, written) { try connection.execute(sql, .save) }
        return Set((0..<result.count).compactMap { result.integer($0, 0) })
    }

    /// Returns the conflict of a change whose row does not have the version expected.
    ///
    /// - Throws: `StoreError` with `denied` where it has: the server did not change it all the same.
    func stale(_ entity: EntityIndex, _ reference: Int64, expected: UInt32) throws -> StoreConflict {
        let row = try PostgreSQLReader(store, connection).row(root: model.entities[entity].root, reference: reference)
        if row?.version == expected { throw StoreError.passedOver(try table(of: entity).name, .save) }
        return StoreConflict(entity: entity, reference: reference, reason: row.map { .changed($0) } ?? .deleted)
    }

    // MARK: - Commit and rollback

    /// Statements that can fail are sent with the commit, or with ``prepare(as:)``, which saves a round trip.
    func prepare() throws {
        try check()
        try finishGivenRecords()
    }

    func prepare(as save: PreparedSave) throws {
        try check()
        try connection.sendPostponed(.save)
        try requireSound()
        // Other processes query the save's outcome by its ID: the log has an entry even if nothing changed.
        if log.entries.isEmpty { log.noteMetadata() }
        try store.prepare(save, connection) { end in
            try postponeEnd(save.id)
            do { try connection.run(end, .save) } catch { throw PostgreSQLTransaction.atEnd(error) }
        }
        references.share()
        finish()
    }

    func decide(_ id: String) throws {
        try check()
        try store.preparedTable.decide(id, by: store.id, connection)
        // A prepared transaction is durable: a decision lost with the power would undo the save in this store alone.
        try connection.postpone(SessionSettings.waitingForDiskOnce, .save)
    }

    private func requireSound() throws {
        if hasConflict { throw StoreError(.conflict, .save, "a transaction with conflicts can only be rolled back") }
        if connection.hasFailed { throw StoreError(.io, .save, "a statement of the transaction failed, it can only be rolled back") }
    }

    func commit() throws {
        try check()
        try requireSound()
        // Listeners are notified in a following transaction: one that notifies blocks concurrent commits.
        let news = hasChanges ? [store.feed.listener.notification] : []
        do {
            try postponeEnd()
            let answers = try connection.execute([SQLText("COMMIT")] + news, .save)
            if answers.isOfPostponed, let failure = answers.failure { throw failure }
            do { _ = try answers.result(0, .save) } catch { throw PostgreSQLTransaction.atEnd(error) }
        } catch {
            let isUnknown = connection.isBroken && hasChanges
            rollback()
            if isUnknown { return try resolve(error) }
            throw error
        }
        if hasChanges { store.feed.shortenLog(connection) }
        references.share()
        finish()
    }

    /// Determines whether the transaction took effect.
    private func resolve(_ cause: any Error) throws {
        switch isCommitted() {
        case true?: store.replica?.noteNews()
        case false?: throw cause
        case nil:
            throw StoreError(
                .inDoubt, .save,
                "the connection was lost during the commit: the save \(save) took effect if the table \(isInHistory ? StoreTables.history : StoreTables.changes) names it",
                underlying: cause, recovery: .reopen)
        }
    }

    /// Whether it took effect; `nil` where the server cannot be reached.
    private func isCommitted() -> Bool? {
        guard let session = connection.session else { return nil }
        let end = DispatchTime.now() + store.pool.timeout
        var pause = Pause()
        while DispatchTime.now() < end {
            do { return try isCommitted(by: session, until: end) } catch let error as StoreError where error.recovery == .retryable {
                pause.wait()
            } catch { return nil }
        }
        return nil
    }

    /// Returns whether a session committed the save.
    ///
    /// It may still exist and commit what is in transit to it: it is terminated before the log is queried.
    private func isCommitted(by session: Session, until end: DispatchTime) throws -> Bool? {
        let table = ChangeTable(schema: schema.name)
        let connection = try store.pool.openApart(.save)
        guard try session.end(from: connection, until: end) else { return nil }
        // A standby that has not replayed the commit yet would deny it.
        if try table.position(connection) == nil { return nil }
        func isThere(_ query: SQLText) throws -> Bool? { try connection.execute(query, .save).integer(0, 0).map { $0 > 0 } }
        // The log has what was deleted from the history.
        if isInHistory, try isThere(HistoryTable(schema: schema.name).isCommitted(number, of: store.feed.writer)) == true { return true }
        return try isThere(table.isCommitted(save))
    }

    /// Postpones the statements before the commit: the check of constraints, and the transaction's log entries, if it changed anything.
    private func postponeEnd(_ id: String? = nil) throws {
        if store.layout.hasConstraints {
            try connection.postpone(SQLText("SET CONSTRAINTS ALL IMMEDIATE"), .save, PostgreSQLTransaction.atEnd)
        }
        if let record = history.own {
            let table = HistoryTable(schema: schema.name)
            let explain = explaining(table.name)
            let insertion = table.insertion(record, writer: store.feed.writer, save: number, links: log.linkTables)
            try connection.postpone(insertion, .save) { HistoryTable.explain(explain($0)) }
            // The record is the log's entry, too; a prepared transaction is found by the ID of its save.
            if id == nil { return }
            log = TransactionLog()
            log.noteMetadata()
        }
        if log.entries.isEmpty { return }
        let table = ChangeTable(schema: schema.name)
        let insertion = table.insertion(log, writer: store.feed.writer, save: id ?? save, origin)
        try connection.postpone(insertion, .save, explaining(table.name))
    }

    /// Maps a failure at the end: the objects that violate a constraint are found by another transaction, as conflicts.
    private static func atEnd(_ error: any Error) -> any Error {
        guard let failure = PostgreSQLFailure(of: error), failure.isConstraint else { return error }
        return StoreError(.serializationFailure, .save, failure.message, underlying: failure)
    }

    func rollback() {
        if isOver { return }
        if connection.hasConflicted {
            connection.hasConflicted = false
            store.repetitions.noteConflict()
        }
        connection.postponed = []
        if !connection.isBroken, connection.isInTransaction {
            let hasFailed = connection.hasFailed
            _ = try? connection.run(SQLText("ROLLBACK"), .save)
            // A failed statement may have left a session-level lock.
            if hasFailed { _ = try? connection.run(SQLText("SELECT pg_catalog.pg_advisory_unlock_all()"), .save) }
        }
        finish()
    }

    private func finish() {
        if isOver { return }
        isOver = true
        if hasChanges { store.replica?.noteNews() }
        if isRepetition { store.repetitions.release(connection) }
        store.pool.give(back: connection)
        if let pass { store.gate.leave(pass) }
    }

    /// Whether the history has the transaction.
    private var isInHistory: Bool { history.own != nil }
    private var hasChanges: Bool { isInHistory || !log.entries.isEmpty }

    func check() throws {
        if isOver { throw StoreError(.closed, .save, "the transaction is over") }
    }
}
