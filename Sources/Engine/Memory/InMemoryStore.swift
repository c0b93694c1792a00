package import StrataModel
import StrataQuery
public import StrataStore
import Synchronization

/// An open store in memory: the table engine alone.
package final class InMemoryStore: PersistentStore {
    package let id: StoreID
    package let isReadOnly: Bool
    /// The content; `nil` once the store is closed.
    private let tables: Mutex<SharedTables?>

    package init(_ tables: SharedTables, _ description: StoreDescription) {
        id = tables.engine.metadata.storeID
        isReadOnly = description.isReadOnly
        self.tables = Mutex(tables)
    }

    package var type: StoreType { .inMemory }
    package var location: StoreLocation { .memory }
    package var capabilities: StoreCapabilities { StoreCapabilities(isPersistent: false, isAtomic: false, allowsSeveralProcesses: false) }

    package func metadata() throws -> StoreMetadata { try engine(.metadata).metadata }

    package func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try engine(.fetch).read(body) }

    package func answer(_ plan: FetchPlan) throws -> StoreAnswer { try engine(.fetch).reader.answer(plan) }

    package func row(root: EntityIndex, reference: Int64) throws -> Row? { try engine(.fetch).reader.row(root: root, reference: reference) }

    package func holdSnapshot() throws -> (any StoreSnapshot)? {
        TableSnapshot(try engine(.fetch).reader) { [weak self] in
            guard let self else { throw StoreError(.closed, .fetch, "the store was closed") }
            _ = try engine(.fetch)
        }
    }

    package func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only") }
        return try engine(.save).beginWrite()
    }

    package func close() throws { tables.withLock { $0 = nil } }

    private func engine(_ operation: StoreError.Operation) throws(StoreError) -> TableEngine {
        guard let tables = tables.withLock({ $0 }) else { throw StoreError(.closed, operation, "the store was closed") }
        return tables.engine
    }
}

/// The content of one store, or of several that share a name.
package final class SharedTables: Sendable {
    let engine: TableEngine

    package init(_ description: StoreDescription, _ model: ManagedObjectModel) throws(StoreError) {
        let metadata = try StoreMetadata(
            newStoreOf: .inMemory, model: model, configuration: description.configuration, storeID: description.newStoreID)
        engine = try TableEngine(TableContents(metadata: metadata), model: model, timeout: description.options.timeout)
    }

    /// Checks that another store can share the tables: rows are laid out by the model.
    package func check(_ description: StoreDescription, _ model: ManagedObjectModel) throws(StoreError) {
        try engine.metadata.checkCompatibility(with: model, opening: description, path: nil)
        guard engine.isLaidOut(by: model) else {
            throw StoreError(.incompatibleModel, .open, "a store of the name is open with another version of the model")
        }
    }
}

extension StoreType {
    /// A store in memory, as Core Data spells it.
    public static let inMemory = StoreType(rawValue: "InMemory")
}
