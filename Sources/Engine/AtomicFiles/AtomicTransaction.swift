/// A transaction over an atomic store: the tables' transaction, and a segment to be appended to the file, or a whole new file.
final class AtomicTransaction: StoreTransaction {
    /// What a commit writes.
    private enum Prepared {
        /// A new file beside the store's, its handle for after the replacement, and its end.
        case file(AtomicReplacement, AtomicStore.LoadedFile, AppendPosition?)
        case segment(AppendedSegment)
    }

    private let store: AtomicStore
    private let tables: TableTransaction
    private let lock: FileLock
    private var prepared: (write: Prepared, lineage: SaveLineage)?
    /// What was applied so far; `nil` where only a whole file can hold it.
    private var steps: [TableSave.Step]? = []
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
        let known = steps
        // Whatever conflicts or fails may be applied in part.
        steps = nil
        let conflicts = try tables.apply(changes)
        if conflicts.isEmpty { steps = known.map { $0 + [.changes(changes)] } }
        return conflicts
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        try change(!rows.isEmpty)
        let count = try tables.insertUncontested(rows)
        if count > 0 { steps?.append(.changes(ChangeSet(inserted: rows))) }
        return count
    }

    func append(_ record: HistoryRecord) throws -> Int64 {
        try change(true)
        var record = record
        record.number = try tables.append(record)
        steps?.append(.record(record))
        return record.number
    }

    func deleteHistory(through mark: HistoryRecord) throws {
        try change(true)
        try tables.deleteHistory(through: mark)
        steps?.append(.deleteHistory(mark))
    }

    func replaceHistory(by mark: HistoryRecord) throws {
        try change(true)
        try tables.replaceHistory(by: mark)
        // The damaged records are in the file: it is written whole.
        steps = nil
    }

    func migrate(_ migration: StoreMigration) throws {
        try change(true)
        migrated = try tables.read { try MigratedFile(migration, store, $0) }
    }

    /// Discards what was prepared before a change; throws once the transaction is over, as the external values belong to
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
        let lineage = store.lineage.adding()
        let external = migrated?.external ?? store.external
        external.restart()
        do {
            if let segment = try appended(lineage) {
                prepared = (.segment(segment), lineage)
            } else {
                external.restart()
                prepared = (try newFile(lineage, external), lineage)
            }
        } catch {
            external.restart()
            if let error = error as? FileError { throw StoreError(error, .save, path: store.file.path) }
            throw error
        }
    }

    /// Appends the changes to the file; `nil` where it must be written as a whole, or had better be.
    private func appended(_ lineage: SaveLineage) throws -> AppendedSegment? {
        guard let segment = try segment(lineage) else { return nil }
        do { try store.prepare(segment) } catch {
            // On a full disk a file without segments may fit.
            if error.isFull { return nil }
            throw error
        }
        return segment
    }

    /// Packs the changes, to be appended to the file.
    private func segment(_ lineage: SaveLineage) throws -> AppendedSegment? {
        guard migrated == nil, let steps, let end = store.end else { return nil }
        var save = TableSave(steps, lineage: lineage.value)
        let changes = save.changes
        let size = changes.reduce(0) { sum, set in
            set.updated.reduce(set.inserted.reduce(sum) { $0 + $1.byteCount }) { $0 + $1.row.byteCount }
        }
        guard size < end.room, !hasSeveralValues(changes) else { return nil }
        save.lastReference = tables.changedReferences
        if changes.contains(where: { $0.metadata != nil }) { save.metadata = try tables.metadata() }
        let segment = try store.codec.segment(save, at: end, model: store.model, external: store.external)
        guard let segment, segment.header.count + segment.body.count <= end.room else { return nil }
        store.external.keep(except: changes, store.model)
        return segment
    }

    /// Returns whether a value in a file of its own may be changed twice: only the last one gets a file.
    private func hasSeveralValues(_ changes: [ChangeSet]) -> Bool {
        let slots = store.externalSlots
        if changes.count < 2 || slots.allSatisfy(\.isEmpty) { return false }
        return changes.count { set in
            set.updated.contains { !slots[$0.row.entityIndex].isEmpty } || set.inserted.contains { !slots[$0.entityIndex].isEmpty }
        } > 1
    }

    private func newFile(_ lineage: SaveLineage, _ external: ExternalValues) throws -> Prepared {
        var contents = try migrated?.contents ?? tables.contents
        contents.metadata.userInfo[StoreMetadata.savesKey] = lineage.value
        let written = try store.write(contents, model: migrated?.model ?? store.model, external: external)
        do {
            // Opened now, as it must not fail after the replacement.
            let loaded = try AtomicStore.LoadedFile(written.temporaryPath, .readWrite, store.file.fileSystem, isNew: true)
            return .file(written, loaded, try store.codec.end(ofFile: written.temporaryPath))
        } catch {
            written.discard()
            throw error
        }
    }

    func commit() throws {
        try prepare()
        guard let (write, lineage) = prepared else {
            try tables.commit()
            return finish()
        }
        // Packing and writing take time, in which another program may change the file.
        do { try store.checkUnreplaced() } catch {
            rollback()
            throw error
        }
        do {
            switch write {
            case .file(let replacement, _, _): try replacement.commit()
            case .segment(let segment): try store.commit(segment)
            }
        } catch {
            let failure = StoreError(error, .save, path: store.file.path)
            if error.stateIsUnknown {
                store.poison(failure)
                (migrated?.external ?? store.external).abandon()
                prepared = nil
            }
            rollback()
            throw failure
        }
        prepared = nil
        switch write {
        case .file(_, let loaded, let end): store.adopt(loaded, lineage, end: end)
        case .segment(let segment):
            do { try store.adopt(segment, lineage) } catch {
                store.external.abandon()
                rollback()
                throw error
            }
        }
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
        switch prepared.write {
        case .file(let replacement, let loaded, _):
            replacement.discard()
            try? loaded.handle.close()
        case .segment(let segment): store.discard(segment)
        }
        (migrated?.external ?? store.external).restart()
    }

    private func finish() {
        isFinished = true
        lock.unlock()
        store.releaseIfClosed()
    }
}
