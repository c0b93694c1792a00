import Synchronization

/// An open store in memory: the table engine alone.
final class InMemoryStore: StoreBackend {
    let id: StoreID
    let isReadOnly: Bool
    /// The content; `nil` once the store is closed.
    private let tables: Mutex<InMemoryTables?>

    init(_ tables: InMemoryTables, isReadOnly: Bool) {
        id = tables.engine.metadata.storeID
        self.isReadOnly = isReadOnly
        self.tables = Mutex(tables)
    }

    var type: StoreType { .inMemory }
    var location: StoreLocation { .memory }
    var capabilities: StoreCapabilities {
        StoreCapabilities(isPersistent: false, isAtomic: false, allowsSeveralProcesses: false, keepsHistory: true)
    }

    func metadata() throws -> StoreMetadata { try engine(.metadata).metadata }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try engine(.fetch).read(body) }

    func answer(_ plan: FetchPlan) throws -> StoreAnswer { try engine(.fetch).reader.answer(plan) }

    func row(root: EntityIndex, reference: Int64) throws -> Row? { try engine(.fetch).reader.row(root: root, reference: reference) }

    func history(_ query: HistoryQuery) throws -> [HistoryRecord] { try engine(.fetch).current.history.answer(query, path: nil) }

    func holdSnapshot() throws -> (any StoreSnapshot)? {
        TableSnapshot(try engine(.fetch).reader) { [weak self] in
            guard let self else { throw StoreError(.closed, .fetch, "the store was closed") }
            _ = try engine(.fetch)
        }
    }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only") }
        return try engine(.save).beginWrite()
    }

    func close() throws { tables.withLock { $0 = nil } }

    private func engine(_ operation: StoreError.Operation) throws(StoreError) -> TableEngine {
        guard let tables = tables.withLock({ $0 }) else { throw StoreError(.closed, operation, "the store was closed") }
        return tables.engine
    }
}

extension StoreType {
    /// A store in memory, as Core Data spells it.
    public static let inMemory = StoreType(rawValue: "InMemory")
}
