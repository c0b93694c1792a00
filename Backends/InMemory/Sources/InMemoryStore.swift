import StrataModel
import StrataStore
import Synchronization

/// An open store in memory: the table engine, and nothing else.
final class InMemoryStore: PersistentStore {
    let uuid: String
    let isReadOnly: Bool
    /// What the store holds, `nil` once it was closed.
    private let tables: Mutex<SharedTables?>

    init(_ tables: SharedTables, _ description: StoreDescription) {
        uuid = tables.engine.metadata.uuid
        isReadOnly = description.isReadOnly
        self.tables = Mutex(tables)
    }

    var type: StoreType { .inMemory }
    var path: String? { nil }
    var capabilities: StoreCapabilities { StoreCapabilities(isPersistent: false, isAtomic: false, allowsSeveralProcesses: false) }

    func metadata() throws -> StoreMetadata { try engine("metadata").metadata }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try engine("fetch").read(body) }

    func beginWrite() throws -> any StoreTransaction {
        if isReadOnly { throw StoreError(.readOnly, "save", "the store was opened for reading only") }
        return try engine("save").beginWrite()
    }

    func close() throws { tables.withLock { $0 = nil } }

    private func engine(_ operation: String) throws(StoreError) -> TableEngine {
        guard let tables = tables.withLock({ $0 }) else { throw StoreError(.closed, operation, "the store was closed") }
        return tables.engine
    }
}

/// What one store holds, or several that share a name.
final class SharedTables: Sendable {
    let engine: TableEngine

    init(_ description: StoreDescription, _ model: ManagedObjectModel) throws(StoreError) {
        var metadata = StoreMetadata(type: .inMemory, model: model, configuration: description.configuration)
        metadata.userInfo[StoreMetadata.writerKey] = .string("1")
        engine = try TableEngine(TableContents(metadata: metadata), model: model, timeout: description.options.timeout)
    }

    /// Checks that another store can share the tables: rows are laid out by the model.
    func check(_ description: StoreDescription, _ model: ManagedObjectModel) throws(StoreError) {
        try engine.metadata.checkCompatibility(with: model, configuration: description.configuration, path: nil)
        guard engine.isLaidOut(by: model) else {
            throw StoreError(.incompatibleModel, "open", "a store of the name is open with another version of the model")
        }
    }
}
