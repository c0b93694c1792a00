import CStrataLMDB
import StrataEngine
import Synchronization

final class LMDBStore: StoreBackend {
    let type: StoreType
    let id: StoreID
    let environment: LMDBEnvironment
    let schema: StoreSchema
    private let description: StoreDescription
    let externalData: ExternalDataDirectory
    /// Files that no row references any more, by the number of the transaction that dropped them.
    let garbage: ExternalGarbage<Int>
    let snapshots = SnapshotHolds<ReadTransaction>()
    /// Detects the commits of other processes and openings.
    let others = CommitsOfOthers()
    /// The references reserved for the next transactions, and the number of the last committed one.
    private let reserved = Mutex<(reserve: ReferenceReserve, number: Int)?>(nil)
    private let isClosed = Atomic(false)
    private let checkedTransaction = Atomic<Int>(-1)

    private var storePath: String { environment.path }
    var location: StoreLocation { .file(storePath) }
    var isReadOnly: Bool { description.isReadOnly }
    var options: StoreOptions { description.options }
    var capabilities: StoreCapabilities { LMDBDriver.capabilities }

    /// Creates the store of an open file; `nil` for an identifier that is read from the file.
    init(
        _ environment: LMDBEnvironment, _ schema: StoreSchema, id storeID: StoreID?, _ description: StoreDescription, type: StoreType
    ) throws {
        self.environment = environment
        self.schema = schema
        self.type = type
        self.description = description
        id = try storeID ?? LMDBStore.metadata(environment, schema.store).storeID
        // Durable even if the store is not: a row that references a value may reach the disk first.
        externalData = ExternalDataDirectory(storePath: environment.path, storeID: id.rawValue)
        garbage = ExternalGarbage(externalData)
    }

    deinit { try? close() }

    func metadata() throws -> StoreMetadata {
        try checkOpen(.metadata)
        return try LMDBStore.metadata(environment, schema.store)
    }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T {
        try checkOpen(.fetch)
        var failure: (any Error)?
        do {
            return try environment.read(.fetch) { reader in
                do {
                    try unsafe checkGeneration(reader.handle, .fetch)
                    return try body(self.reader(of: reader))
                } catch {
                    failure = error
                    throw error
                }
            }
        } catch {
            // Errors of the body are not the store's, unless that was replaced meanwhile.
            if let failure, (error as? StoreError)?.code != .replaced {
                throw failure is LMDBStatus ? StoreError(failure, .fetch, path: storePath) : failure
            }
            throw StoreError(error, .fetch, path: storePath)
        }
    }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try checkOpen(.save)
        if isReadOnly || environment.isReadOnly {
            throw StoreError(.readOnly, .save, "the store was opened for reading only", path: storePath)
        }
        return try LMDBTransaction(self)
    }

    func close() throws {
        if isClosed.exchange(true, ordering: .acquiringAndReleasing) { return }
        snapshots.end()
        collect([], since: .max)
        guard !EnvironmentRegistry.release(environment), environment.isOfThisProcess else { return }
        // Current reads and saves finish first; the last one closes the file, however long it takes.
        _ = environment.gate.waitForEnd(until: Deadline(after: min(max(options.timeout, 0), 1)))
    }

    // MARK: -

    func mappedRows(_ window: RowChunk) -> MappedRows {
        MappedRows(schema: schema, window: window, external: externalData, path: storePath)
    }

    /// Returns the reserved references; `nil` where another writer may have committed since this store's last transaction.
    func reserve(for number: Int) -> ReferenceReserve? { reserved.withLock { $0?.number == number - 1 ? $0?.reserve : nil } }

    /// Keeps the reserved references after a commit, or after a transaction that used some without changing the file.
    ///
    /// - Parameter reserve: `nil` where another writer's commit may get the same number.
    func keep(_ reserve: ReferenceReserve?, after number: Int) { reserved.withLock { $0 = reserve.map { ($0, number) } } }

    func reader(of transaction: ReadTransaction) -> LMDBReader { LMDBReader(snapshot: snapshot(transaction), storeID: id) }

    private func snapshot(_ reader: ReadTransaction) -> Snapshot {
        if let rows = reader.rows, rows.schema === schema { return unsafe Snapshot(transaction: reader.handle, rows: rows) }
        let rows = mappedRows(MappedRows.window())
        reader.rows = rows
        return unsafe Snapshot(transaction: reader.handle, rows: rows)
    }

    /// Throws if another opening of the file, with another model, changed the set of indexes.
    ///
    /// - Parameter isWriting: Whether the transaction's number may be reused by another one.
    func checkGeneration(_ transaction: OpaquePointer, _ operation: StoreError.Operation, isWriting: Bool = false) throws {
        let number = unsafe Int(mdb_txn_id(transaction))
        if !isWriting && checkedTransaction.load(ordering: .relaxed) == number { return }
        let generation: Int64?
        do { generation = try unsafe Records.number(transaction, schema.store, Names.generation) } catch is MalformedBytes {
            throw StoreError.damaged("the store's description of itself is damaged", path: storePath)
        }
        guard generation == schema.generation else {
            throw StoreError(
                .incompatibleModel, operation, "the store was opened elsewhere with a model of other indexes; open it again",
                path: storePath, recovery: .reopen)
        }
        if !isWriting { checkedTransaction.store(number, ordering: .relaxed) }
    }

    func checkOpen(_ operation: StoreError.Operation) throws {
        if isClosed.load(ordering: .acquiring) { throw StoreError.closed(operation, path: storePath) }
    }

    var condition: StoreCondition {
        StoreCondition(failure: isClosed.load(ordering: .acquiring) ? StoreError.closed(.fetch, path: storePath) : nil)
    }

    static func metadata(_ environment: LMDBEnvironment, _ store: MDB_dbi) throws -> StoreMetadata {
        try storeErrors(.metadata, path: environment.path) {
            try environment.read(.metadata) { try unsafe metadata(in: $0.handle, store, environment.path) }
        }
    }

    static func metadata(in transaction: OpaquePointer, _ store: MDB_dbi, _ path: String) throws -> StoreMetadata {
        guard let head = try unsafe SchemaOpener.head(in: transaction, store, path) else {
            throw StoreError(.foreign, .metadata, "the file holds no store", path: path)
        }
        return head.metadata
    }
}
