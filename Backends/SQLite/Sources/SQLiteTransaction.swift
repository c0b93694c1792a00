import CStrataSQLite
import StrataEngine
import StrataSQL
import Synchronization

final class SQLiteTransaction: StoreTransaction {
    let store: SQLiteStore
    let connection: Connection
    // Exclusivity is not checked at run time: one thread uses a transaction, and no access spans another.
    @safe @exclusivity(unchecked) var files: ExternalWrites
    @safe @exclusivity(unchecked) var references: ReferenceCounter
    @safe @exclusivity(unchecked) private var indexes: DeferredIndexes
    @safe @exclusivity(unchecked) private var isOver = false
    /// Whether it is part of another transaction on the same connection, which ends both.
    private let isPart: Bool
    /// The transaction that wrote the rows of the new model.
    @safe @exclusivity(unchecked) private var migrated: SQLiteTransaction?
    @safe @exclusivity(unchecked) var progress = TransactionProgress()

    /// The transaction that the caller, who holds the write lock, began on the writer's connection.
    init(_ store: SQLiteStore, _ connection: Connection, _ rest: WriterState.Rest = WriterState.Rest(), isPart: Bool = false) {
        self.isPart = isPart
        self.store = store
        self.connection = connection
        files = ExternalWrites(store.external, threshold: store.options.externalStorageThreshold)
        references = ReferenceCounter(connection, store.schema, rest.reserve)
        progress.lastHistoryNumber = rest.lastHistoryNumber
        indexes = DeferredIndexes(connection)
        // Reports of an earlier transaction that was abandoned.
        _ = connection.database.reports.take()
    }

    deinit { rollback() }

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
        try check()
        progress.isUsed = true
        return try references.reserve(count, root: root)
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        try check()
        progress.note(changes)
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
        if let metadata = changes.metadata {
            try MetadataTable.write(metadata, connection, of: store)
            // The history begins: created by the first save, its table would change the schema under all statements.
            if metadata.keepsHistory { _ = try tablesOfHistory(adding: 0) }
        }
        if !conflicts.isEmpty { progress.hasConflict = true }
        return conflicts
    }

    /// Notes a change of the history, of some bytes.
    func willChangeHistory(_ byteCount: Int) throws {
        try check()
        progress.noteBytes(byteCount)
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        try check()
        progress.isUsed = true
        // A file that was written for a refused row would be written again at its next attempt.
        let rows = Array(rows.prefix { !takesFile($0) })
        for row in rows { progress.noteBytes(row.byteCount) }
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
            if error.code == .full { progress.isDiskFull = true }
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
        connection.database.reports.take().compactMap { report in
            store.schema.entity(ofNumber: report.entity).map {
                OwnChange(ObjectReference(entity: $0, reference: report.reference), report.attribute)
            }
        }
    }

    func metadata() throws -> StoreMetadata {
        try check()
        return store.withHistory(try MetadataTable.read(connection))
    }

    func migrate(_ migration: StoreMigration) throws {
        try check()
        try settle()
        let writer = SchemaWriter(migration.model, configuration: migration.configuration)
        try connection.requireRoom(for: writer.schema, of: migration.model, .migrate)
        progress.noteBytes(CheckpointPolicy.large)
        progress.mayChangeSchema = true
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
        if progress.isShared { try flush() }
    }

    /// Whether the free space is checked in advance; see ``CheckpointPolicy``.
    private var mayFillDisk: Bool { progress.byteCount >= CheckpointPolicy.large || store.writerState.checkpoints.withLock { $0.isTight } }

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
        if progress.hasConflict {
            throw StoreError(.conflict, .save, "a transaction with conflicts can only be rolled back", path: store.path)
        }
        try settle()
        if mayFillDisk { try flush() }
        let history = try progress.historyTables.map { (tables: $0, version: try connection.schemaVersion()) }
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
        let rest = WriterState.Rest(reserve: references.reserve, lastHistoryNumber: progress.lastHistoryNumber)
        store.writerState.keep(rest, connection)
        if let history { store.historyState.note(history.tables, at: history.version) }
        if progress.mayChangeSchema || indexes.haveChanged { store.writerState.schemaVersion.withLock { $0 = nil } }
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
            progress.isDiskFull = true
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
        if progress.isDiskFull { CheckpointPolicy.recover(connection) }
        last()
        store.endWriting()
    }

    /// Creates the deferred indexes.
    private func settle() throws { try noticingFullDisk { try indexes.restore() } }

    func check() throws {
        if isOver { throw StoreError(.closed, .save, "the transaction is over", path: store.path) }
    }

    /// Returns a reader that sees the transaction's changes.
    func reader() -> SQLiteReader { SQLiteReader(store, connection, isReading: true) }

    func table(of entity: EntityIndex) throws -> EntityTable {
        try store.schema.requireTable(of: entity, in: store.model, .save, path: store.path)
    }
}
