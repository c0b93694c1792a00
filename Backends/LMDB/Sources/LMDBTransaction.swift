import CStrataLMDB
import StrataEngine
import StrataPlatform

/// A write transaction of an LMDB store.
///
/// LMDB binds it to the thread that began it: every call must come from that thread, and so must the last release.
/// Applied changes are kept until the end: a transaction that fills the map is replayed transparently in a larger one.
// Safe: it owns the handle, which is nil once the transaction is over.
@safe final class LMDBTransaction: StoreTransaction {
    private let store: LMDBStore
    private let environment: LMDBEnvironment
    private let deadline: Deadline
    private let thread = pthread_self()
    private var writeLock: FileWriteLock?
    private var transaction: OpaquePointer?
    private var applied: [AppliedChange] = []
    private var migration: StoreMigration?
    // Exclusivity is not checked at run time: one thread uses a transaction, and no access spans another.
    @safe @exclusivity(unchecked) private var references: ReferenceCounter
    private var files: ExternalChanges
    private lazy var rows = store.mappedRows(MappedRows.window())
    private var progress = Progress()

    private var path: String { environment.path }
    private var schema: StoreSchema { store.schema }

    private struct Progress {
        /// The error with which all further calls fail.
        var failure: (any Error)?
        var isPrepared = false
        var isCommitted = false
    }

    init(_ store: LMDBStore) throws {
        self.store = store
        environment = store.environment
        deadline = Deadline(after: store.options.timeout)
        files = ExternalChanges(store.externalData, threshold: store.options.externalStorageThreshold)
        references = ReferenceCounter(store.schema, path: environment.path)
        writeLock = try FileWriteLock(environment, .save, until: deadline)
        // The rows and the record of the history.
        applied.reserveCapacity(2)
        try storeErrors(.save, path: path) {
            environment.growEarly()
            try begin()
            // Where no other writer has committed since the store's last transaction, the generation is that one's, too.
            if let reserve = try unsafe store.reserve(for: Int(mdb_txn_id(current()))) {
                references.reserve = reserve
                return
            }
            do { try unsafe store.checkGeneration(try current(), .save, isWriting: true) } catch {
                end(removingFiles: false)
                throw error
            }
        }
    }

    deinit { rollback() }

    // MARK: - The boundary

    func reserveReferences(_ count: Int, root: EntityIndex) throws -> Int64 {
        try perform { try unsafe references.reserve(count, root: root, try current()) }
    }

    func apply(_ changes: ChangeSet) throws -> [StoreConflict] {
        try perform {
            let packed = try unsafe files.pack(changes, snapshot(try current()))
            let conflicts = try growing { try unsafe ChangeApplier(snapshot: snapshot(try current()), packed: packed).apply() }
            try note(packed, conflicts)
            return conflicts
        }
    }

    func insertUncontested(_ rows: [Row]) throws -> Int {
        try perform {
            // A file written for a row that is not inserted would be written again at its next attempt.
            guard let entity = rows.first?.entityIndex, schema.externalSlots.typedIndices().contains(entity),
                schema.externalSlots[entity].isEmpty
            else { return 0 }
            var changes = ChangeSet()
            changes.inserted = rows
            let packed = try unsafe files.pack(changes, snapshot(try current()))
            let outcome = try growing { try unsafe ChangeApplier(snapshot: snapshot(try current()), packed: packed).applyUncontested() }
            guard let conflicts = outcome else { return 0 }
            try note(packed, conflicts)
            return conflicts.isEmpty ? rows.count : 0
        }
    }

    /// Records changes that were applied.
    private func note(_ packed: PackedChanges, _ conflicts: [StoreConflict]) throws {
        applied.append(.rows(packed))
        try unsafe references.note(packed.changes.inserted, try current())
        if !conflicts.isEmpty { progress.failure = conflict(conflicts) }
    }

    private func conflict(_ conflicts: [StoreConflict]) -> StoreError {
        StoreError(
            .conflict, .save, "row version conflict or duplicate key: the changes do not fit what is in the store", path: path,
            conflicts: conflicts)
    }

    func append(_ record: HistoryRecord) throws -> Int64 {
        try perform {
            var record = record
            try growing { record.number = try history().append(record) }
            applied.append(.record(record))
            return record.number
        }
    }

    func deleteHistory(through mark: HistoryRecord) throws {
        try perform {
            try growing { try history().delete(through: mark) }
            applied.append(.deletion(mark))
        }
    }

    func replaceHistory(by mark: HistoryRecord) throws {
        try perform {
            try growing { try history().replace(by: mark) }
            applied.append(.replacement(mark))
        }
    }

    private func history() throws -> HistoryDatabase { try unsafe HistoryDatabase(try current(), environment) }

    /// Keeps the migration until the commit, which runs it while this process has no other LMDB transaction.
    func migrate(_ migration: StoreMigration) throws { try perform { self.migration = migration } }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        // Errors of `body` are not the store's, and do not break the transaction.
        let reader = try perform { unsafe LMDBReader(snapshot: snapshot(try current()), storeID: store.id) }
        return try body(reader)
    }

    func metadata() throws -> StoreMetadata { try perform { try unsafe LMDBStore.metadata(in: try current(), schema.store, path) } }

    func prepare() throws {
        try perform {
            if migration == nil { try growing { try unsafe references.write(try current()) } }
            try environment.checkInPlace(.save)
            progress.isPrepared = true
        }
    }

    func commit() throws {
        try perform {
            if let migration { return try commit(migration) }
            if applied.isEmpty && references.areWritten {
                // Reserved references that were used are taken, whether the file records them or not.
                store.keep(references.reserve, after: unsafe Int(mdb_txn_id(try current())) - 1)
                return end(removingFiles: true)
            }
            var number = 0
            try growing {
                let ending = try unsafe current()
                try unsafe references.write(ending)
                if !progress.isPrepared { try environment.checkInPlace(.save) }
                number = unsafe Int(mdb_txn_id(ending))
                store.others.begin(number)
                // The transaction is over, whatever the status.
                unsafe transaction = nil
                defer {
                    store.others.end(number, hasCommitted: progress.isCommitted && changesFile)
                    environment.leave()
                }
                try unsafe environment.commit(ending)
                progress.isCommitted = true
                environment.countSave()
            }
            // A save into a file that is no longer at its path is lost.
            try environment.checkInPlace(.save, isCommitted: true)
            store.keep(changesFile ? references.reserve : nil, after: number)
            writeLock = nil
            store.collect(files.dropped, since: number)
        }
    }

    /// Whether the commit certainly changes the file, so that LMDB consumes its number.
    private var changesFile: Bool { !references.areWritten || applied.contains(where: \.changesFile) }

    private func commit(_ migration: StoreMigration) throws {
        abort()
        try StoreRewriting(store: store, migration: migration).run(until: Deadline(after: max(1, store.options.timeout)))
        progress.isCommitted = true
        environment.countSave()
        try environment.checkInPlace(.migrate, isCommitted: true)
        writeLock = nil
    }

    func rollback() {
        // After the end nothing is discarded: a committed transaction may reference its files.
        guard writeLock != nil else { return }
        guard isOnItsThread else {
            // LMDB's lock can be released by its thread only; better to reject the file than to wait forever.
            let error = StoreError(.unsupported, .save, "a transaction was released on another thread than began it", path: path)
            return environment.poison(error)
        }
        end(removingFiles: true)
    }

    // MARK: - State

    private var isOnItsThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

    /// Runs `body` unless the transaction is over or broken; an error breaks it.
    private func perform<T>(_ body: () throws -> T) throws -> T {
        guard isOnItsThread else {
            throw StoreError(.unsupported, .save, "a transaction was used on another thread than began it", path: path)
        }
        if let failure = progress.failure { throw StoreError(failure, .save, path: path) }
        guard writeLock != nil else { throw StoreError(.closed, .save, "the transaction is over", path: path) }
        do { return try body() } catch {
            // The file of a large value cannot be written beside a missing store.
            let failed = (error is FileError ? environment.absence(.save) : nil) ?? StoreError(error, .save, path: path)
            progress.failure = failed
            let isUnclear = (error as? LMDBStatus).map { $0.call == "mdb_txn_commit" && failed.code == .io } ?? false
            if isUnclear { environment.poison(error) }
            end(removingFiles: !isUnclear && !progress.isCommitted)
            throw failed
        }
    }

    private func current() throws -> OpaquePointer {
        guard let transaction = unsafe transaction else { throw StoreError(.closed, .save, "the transaction is over", path: path) }
        return unsafe transaction
    }

    private func snapshot(_ transaction: OpaquePointer) -> Snapshot {
        unsafe Snapshot(transaction: transaction, rows: rows)
    }

    private func begin() throws {
        while true {
            try environment.enter(.save)
            do {
                unsafe transaction = try beginTransaction(environment.handle)
                return try unsafe environment.checkHead(of: try current(), .save)
            } catch {
                if unsafe transaction != nil { abort() } else { environment.leave() }
                guard let status = error as? LMDBStatus, status.code == MDB_MAP_RESIZED else { throw error }
                try environment.followGrowth(until: deadline)
            }
        }
    }

    private func abort() {
        guard let ending = unsafe transaction else { return }
        unsafe transaction = nil
        unsafe mdb_txn_abort(ending)
        environment.leave()
    }

    private func end(removingFiles: Bool) {
        abort()
        writeLock = nil
        if removingFiles { files.removeWritten() }
    }

    // MARK: - Map size

    /// Runs `body`; if the map is full, replays the transaction and `body` in a larger one.
    private func growing<T>(_ body: () throws -> T) throws -> T {
        var isFirst = true
        while true {
            do {
                if !isFirst { try replay() }
                isFirst = false
                return try body()
            } catch let error as LMDBStatus where error.isMapFull {
                isFirst = false
                abort()
                try environment.grow(until: Deadline(after: max(1, store.options.timeout)))
                try begin()
            }
        }
    }

    /// Applies the changes again; conflicts are those with programs that write without the store's write lock.
    private func replay() throws {
        for change in applied {
            switch change {
            case .rows(let packed):
                let conflicts = try unsafe ChangeApplier(snapshot: snapshot(try current()), packed: packed).apply()
                guard conflicts.isEmpty else { throw conflict(conflicts) }
            case .record(let record): _ = try history().append(record)
            case .deletion(let mark): try history().delete(through: mark)
            case .replacement(let mark): try history().replace(by: mark)
            }
        }
    }
}
