import CStrataSQLite
import StrataEngine
import StrataSQL
import Synchronization

final class SQLiteTransaction: StoreTransaction {
    let store: SQLiteStore
    let connection: Connection
    // Exclusivity is not checked at run time: one thread uses a transaction, and no access spans another.
    @safe @exclusivity(unchecked) var files: ExternalWrites
    @safe @exclusivity(unchecked) private var references: ReferenceCounter
    @safe @exclusivity(unchecked) private var indexes: DeferredIndexes
    @safe @exclusivity(unchecked) private var isOver = false
    /// Whether it is part of another transaction on the same connection, which ends both.
    private let isPart: Bool
    /// The transaction that wrote the rows of the new model.
    @safe @exclusivity(unchecked) private var migrated: SQLiteTransaction?
    @safe @exclusivity(unchecked) private var hasConflict = false
    /// Whether anything was changed.
    @safe @exclusivity(unchecked) private var isUsed = false
    /// The size in bytes of the written rows; a statement over a plan counts as a large change set.
    @safe @exclusivity(unchecked) private var written = 0
    @safe @exclusivity(unchecked) private var isDiskFull = false
    /// Whether it created the table of the history.
    @safe @exclusivity(unchecked) private var hasCreatedHistory = false
    /// Whether it is part of a save over several stores, which is recorded in the metadata.
    @safe @exclusivity(unchecked) private var isShared = false

    /// The transaction that the caller, who holds the write lock, began on the writer's connection.
    init(_ store: SQLiteStore, _ connection: Connection, isPart: Bool = false) {
        self.isPart = isPart
        self.store = store
        self.connection = connection
        files = ExternalWrites(store.external, threshold: store.options.externalStorageThreshold)
        references = ReferenceCounter(connection, store.schema, store.writerState.reserve(connection))
        indexes = DeferredIndexes(connection)
        // Reports of an earlier transaction that was abandoned.
        _ = connection.reports.take()
    }

    deinit { rollback() }

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
        try check()
        isUsed = true
        return try references.reserve(count, root: root)
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        try check()
        isUsed = true
        if changes.metadata != nil { isShared = true }
        for row in changes.inserted { written += row.byteCount }
        for update in changes.updated { written += update.row.byteCount }
        return try noticingFullDisk { try write(changes) }
    }

    private func write(_ changes: ChangeSet) throws -> [StoreConflict] {
        // The links of deleted rows are found by the rows.
        if !changes.deleted.isEmpty { try indexes.restore() }
        connection.keepStatements(of: store)
        var conflicts: [StoreConflict] = []
        if !changes.deleted.isEmpty { try RowDeleter(transaction: self).delete(changes.deleted, &conflicts) }
        try RowUpdater(transaction: self).update(changes.updated, &conflicts)
        try indexes.drop(before: changes, store)
        try RowInserter(transaction: self).insert(changes.inserted, &conflicts)
        if !changes.links.isEmpty { try LinkWriter(transaction: self).apply(changes.links) }
        if let metadata = changes.metadata { try MetadataTable.write(metadata, connection, of: store) }
        if !conflicts.isEmpty { hasConflict = true }
        return conflicts
    }

    /// Creates the table of the history, where it is missing.
    func willChangeHistory(_ byteCount: Int) throws {
        try check()
        isUsed = true
        written += byteCount
        if hasCreatedHistory || store.writerState.hasHistoryTable.load(ordering: .relaxed) { return }
        try noticingFullDisk { try HistoryTable.create(connection) }
        hasCreatedHistory = true
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        try check()
        isUsed = true
        // A file that was written for a refused row would be written again at its next attempt.
        let rows = Array(rows.prefix { !takesFile($0) })
        for row in rows { written += row.byteCount }
        connection.keepStatements(of: store)
        return try noticingFullDisk {
            if let first = rows.first { try indexes.drop(of: table(of: first.entityIndex).name, before: rows.count) }
            return try RowInserter(transaction: self).insertUncontested(rows)
        }
    }

    /// Whether a value of a row is stored in an external file.
    private func takesFile(_ row: Row) -> Bool {
        store.model.entities[row.entityIndex].attributes.contains { attribute in
            guard attribute.declaration.allowsExternalStorage, let count = attribute.slot.flatMap({ unsafe row.bytes($0)?.count }) else {
                return false
            }
            return ExternalStorage.takesFile(byteCount: count, threshold: store.options.externalStorageThreshold)
        }
    }

    func noticingFullDisk<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let error as StoreError {
            if error.code == .full { isDiskFull = true }
            throw error
        }
    }

    /// Records a reference in use, so that it is not assigned again after its row is deleted.
    func note(_ reference: Int64, root: EntityIndex) throws { try references.note(reference, root: root) }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try check()
        try settle()
        return try body(reader())
    }

    func takeOwnChanges() -> [OwnChange] {
        connection.reports.take().compactMap { report in
            store.schema.entity(ofNumber: report.entity).map {
                OwnChange(ObjectReference(entity: $0, reference: report.reference), report.attribute)
            }
        }
    }

    // MARK: - Rows that a plan selects

    func update(_ plan: FetchPlan, _ assignments: RowAssignments) throws -> StoreAnswer? {
        try byStatement(plan) { try $0.update(assignments) }
    }

    func delete(_ plan: FetchPlan) throws -> StoreAnswer? {
        try byStatement(plan) { statement in
            let greatest = try statement.greatestReference()
            guard let answer = try statement.delete() else { return nil }
            try references.note(greatest, root: statement.table.root)
            return answer
        }
    }

    private func byStatement(_ plan: FetchPlan, _ body: (PlanStatement) throws -> StoreAnswer?) throws -> StoreAnswer? {
        try check()
        if isUsed { return nil }
        do {
            let table = try table(of: plan.entity.index)
            try store.orphans.look(in: table, connection)
            let answer = try noticingFullDisk { try body(PlanStatement(plan: plan, table: table, transaction: self)) }
            written += CheckpointPolicy.large
            isUsed = answer != nil
            return answer
        } catch let error as StoreError where (error.underlying as? SQLiteFailure)?.isLeftToCore == true {
            // The changes of the statement before it failed are rolled back.
            if connection.isInTransaction { try connection.statement(.rollback).run(.save) }
            try connection.statement(.beginImmediate).run(.save)
            references = ReferenceCounter(connection, store.schema, store.writerState.reserve(connection))
            return nil
        }
    }

    func metadata() throws -> StoreMetadata {
        try check()
        return try MetadataTable.read(connection)
    }

    func migrate(_ migration: StoreMigration) throws {
        try check()
        try settle()
        let writer = SchemaWriter(migration.model, configuration: migration.configuration)
        try connection.requireRoom(for: writer.schema, of: migration.model, .migrate)
        isUsed = true
        written += CheckpointPolicy.large
        references = ReferenceCounter(connection, store.schema)
        let history = try HistoryMigration(connection, migration, from: store.schema, to: writer.schema)
        try noticingFullDisk {
            if try !alter(migration, writer) {
                migrated = try TableRebuilding(transaction: self, migration: migration, writer: writer).run()
            }
            try history?.run()
        }
    }

    /// - Returns: Whether only names and columns change.
    private func alter(_ migration: StoreMigration, _ writer: SchemaWriter) throws -> Bool {
        guard let altering = TableAltering(self, migration, writer) else { return false }
        try connection.execute("SAVEPOINT ZSTRATA_MIGRATION", .migrate)
        do {
            try altering.run()
            try connection.execute("RELEASE ZSTRATA_MIGRATION", .migrate)
            return true
        } catch let error as StoreError where error.isAboutLimits {
            // Triggers and views of other programs may prevent it; rebuilding drops them with the tables.
            try connection.execute("ROLLBACK TO ZSTRATA_MIGRATION", .migrate)
            try connection.execute("RELEASE ZSTRATA_MIGRATION", .migrate)
            return false
        }
    }

    // MARK: - Commit and rollback

    /// Writes the pages of a save over several stores, so that its commit does not fail because of a full disk.
    ///
    /// A save in this store alone may fail then without effect, which saves the page that SQLite writes again for a commit without changes.
    func prepare() throws {
        try check()
        try settle()
        if isShared { try flush() }
    }

    /// Whether the free space is checked in advance; see ``CheckpointPolicy``.
    private var mayFillDisk: Bool { written >= CheckpointPolicy.large || store.writerState.checkpoints.withLock { $0.isTight } }

    /// Writes all pages but the last to the log, and checks that they would fit into the database.
    private func flush() throws {
        try noticingFullDisk {
            let code = unsafe sqlite3_db_cacheflush(connection.handle)
            // Pages that a statement still uses are written at the commit.
            if code != SQLITE_OK && code & 0xFF != SQLITE_BUSY { throw connection.error(code, .save) }
            if mayFillDisk { try store.writerState.checkpoints.withLock { try $0.check(connection) } }
        }
    }

    func commit() throws {
        try check()
        if hasConflict {
            throw StoreError(.conflict, .save, "a transaction with conflicts can only be rolled back", path: store.path)
        }
        try settle()
        if mayFillDisk { try flush() }
        let statement = try connection.statement(.commit)
        let code = statement.attempt()
        guard code == SQLITE_DONE else {
            let error = connection.error(code, .save)
            statement.reset()
            throw fail(error)
        }
        statement.reset()
        do { try store.checkFile(connection, hasCommitted: true) } catch {
            // The files stay: the database that was moved away references them.
            finish {}
            throw error
        }
        store.writerState.keep(references.reserve, connection)
        if hasCreatedHistory { store.writerState.hasHistoryTable.store(true, ordering: .relaxed) }
        store.writerState.checkpoints.withLock { $0.tend(connection) }
        finish {
            // Files that no row references are removed once no reader has an older state.
            store.collector.collect(files.dropped, after: connection)
            if let migrated { store.collector.collect(migrated.files.dropped, after: connection) }
        }
    }

    /// Handles a failed commit, and returns the error to throw.
    private func fail(_ error: StoreError) -> StoreError {
        var isKnown = error.code != .io
        if error.code == .full {
            isDiskFull = true
            // If the failure came after the write of the commit, the log contains it, and a connection that is opened later recovers it.
            if (error.underlying as? SQLiteFailure)?.isAboutWriting == false { isKnown = CheckpointPolicy.recover(connection) }
        }
        guard !isKnown else {
            // The transaction is unchanged, and can be committed again or rolled back; SQLite itself rolls back where it must.
            if !connection.isInTransaction { rollback() }
            return error
        }
        let unknown = StoreError(
            error.code, error.operation, error.message, path: error.path, underlying: error.underlying, recovery: .reopen)
        store.fail(
            with: StoreError(
                .closed, .save, "the store has to be opened again after a failed commit", path: store.path, underlying: unknown,
                recovery: .reopen))
        // The files stay: the commit that references them may have taken effect.
        finish {}
        return unknown
    }

    func rollback() {
        if isOver { return }
        finish {
            files.discard()
            migrated?.files.discard()
        }
    }

    private func finish(_ last: () -> Void) {
        isOver = true
        migrated?.isOver = true
        if isPart { return last() }
        if connection.isInTransaction { try? connection.statement(.rollback).run(.save) }
        if isDiskFull { CheckpointPolicy.recover(connection) }
        last()
        store.endWriting()
    }

    /// Creates the deferred indexes.
    private func settle() throws { try noticingFullDisk { try indexes.restore() } }

    private func check() throws {
        if isOver { throw StoreError(.closed, .save, "the transaction is over", path: store.path) }
    }

    /// A reader that sees the transaction's changes.
    func reader() -> SQLiteReader { SQLiteReader(store, connection, isReading: true) }

    func table(of entity: EntityIndex) throws -> EntityTable {
        try store.schema.requireTable(of: entity, in: store.model, .save, path: store.path)
    }
}
