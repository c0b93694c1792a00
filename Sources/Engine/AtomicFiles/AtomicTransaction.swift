/// A transaction over an atomic store: the tables' transaction, and a whole new file.
final class AtomicTransaction: StoreTransaction {
    /// A new file beside the store's, and its handle for after the replacement.
    private struct Prepared {
        let replacement: AtomicReplacement
        let loaded: AtomicStore.LoadedFile
        let lineage: SaveLineage
    }

    private let store: AtomicStore
    private let tables: TableTransaction
    private let lock: FileLock
    private var prepared: Prepared?
    private var migrated: MigratedFile?
    private var hasChanges = false
    private var isFinished = false

    init(_ store: AtomicStore, _ tables: TableTransaction, _ lock: FileLock) {
        self.store = store
        self.tables = tables
        self.lock = lock
    }

    deinit { rollback() }

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
        try change(count > 0)
        return try tables.reserveReferences(count, root: root)
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        try change(!changes.isEmpty)
        for update in changes.updated {
            let row = update.row
            guard store.externalSlots.typedIndices().contains(row.entityIndex),
                let old = tables.row(entity: row.entityIndex, reference: row.reference)
            else { continue }
            for (slot, kind) in store.externalSlots[row.entityIndex] where !row.slot(slot, kind, equals: old) {
                store.external.change(.init(root: store.model.entities[row.entityIndex].root, reference: row.reference, slot: slot))
            }
        }
        return try tables.apply(changes)
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        try change(!rows.isEmpty)
        return try tables.insertUncontested(rows)
    }

    func append(_ record: HistoryRecord) throws -> Int64 {
        try change(true)
        return try tables.append(record)
    }

    func deleteHistory(through mark: HistoryRecord) throws {
        try change(true)
        try tables.deleteHistory(through: mark)
    }

    func migrate(_ migration: StoreMigration) throws {
        try change(true)
        migrated = try tables.read { try MigratedFile(migration, store, $0) }
    }

    /// Discards the new file before a change; throws once the transaction is over, as the external values belong to
    /// the next one.
    private func change(_ hasChanges: Bool) throws(StoreError) {
        try tables.checkOpen()
        self.hasChanges = self.hasChanges || hasChanges
        discardPrepared()
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try tables.read(body) }

    func metadata() throws -> StoreMetadata { try tables.metadata() }

    func prepare() throws {
        try tables.prepare()
        guard hasChanges, prepared == nil else { return }
        try store.checkUnreplaced()
        let file = store.file
        var contents = migrated?.contents ?? tables.contents
        let (model, external) = migrated.map { ($0.model, $0.external) } ?? (store.model, store.external)
        let lineage = store.lineage.adding()
        contents.metadata.userInfo[StoreMetadata.savesKey] = lineage.value
        external.restart()
        var replacement: AtomicReplacement?
        do {
            let written = try AtomicReplacement.prepare(
                path: file.path, fileSystem: file.fileSystem, forcing: store.options.durability.forcing
            ) { sink in
                try store.codec.write(contents, model: model, external: external, to: &sink)
            }
            replacement = written
            // Opened now, as it must not fail after the replacement.
            prepared = Prepared(
                replacement: written, loaded: try .init(written.temporaryPath, .read, file.fileSystem, isNew: true),
                lineage: lineage)
        } catch {
            replacement?.discard()
            external.restart()
            if let error = error as? FileError { throw StoreError(error, .save, path: file.path) }
            throw error
        }
    }

    func commit() throws {
        try prepare()
        guard let prepared else {
            try tables.commit()
            return finish()
        }
        // Writing takes time, in which another program may change the file.
        do { try store.checkUnreplaced() } catch {
            rollback()
            throw error
        }
        do { try prepared.replacement.commit() } catch {
            let failure = StoreError(error, .save, path: store.file.path)
            if error.stateIsUnknown {
                store.poison(failure)
                (migrated?.external ?? store.external).abandon()
                self.prepared = nil
            }
            rollback()
            throw failure
        }
        self.prepared = nil
        store.adopt(prepared.loaded, prepared.lineage)
        if let migrated {
            migrated.external.commit()
            store.external.restart()
            store.external.commit()
            store.endWithMigration()
            tables.rollback()
        } else {
            try tables.commit()
            store.external.commit()
        }
        finish()
    }

    func rollback() {
        if isFinished { return }
        discardPrepared()
        migrated?.external.rollback()
        store.external.rollback()
        tables.rollback()
        finish()
    }

    private func discardPrepared() {
        guard let prepared else { return }
        self.prepared = nil
        prepared.replacement.discard()
        try? prepared.loaded.handle.close()
        (migrated?.external ?? store.external).restart()
    }

    private func finish() {
        isFinished = true
        lock.unlock()
        store.releaseIfClosed()
    }
}
