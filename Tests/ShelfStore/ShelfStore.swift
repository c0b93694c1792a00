import StrataEngine
import StrataFiles
import StrataModel
import StrataStore
import Synchronization

/// A store that keeps its rows in sorted arrays, in memory.
final class ShelfStore: StoreBackend {
    let type = StoreType.shelf
    let id: StoreID
    let location: StoreLocation
    let isReadOnly: Bool
    let capabilities = StoreCapabilities(isPersistent: false, isAtomic: false, allowsSeveralProcesses: false, keepsHistory: true)
    let writeLock = WriteLock()
    private let timeout: Double
    /// `nil` once the store is closed.
    private let state: Mutex<ShelfState?>

    init(_ description: StoreDescription, _ model: ManagedObjectModel) throws {
        let metadata = try StoreMetadata(
            newStoreOf: .shelf, model: model, configuration: description.configuration, storeID: description.newStoreID)
        id = metadata.storeID
        location = description.location
        isReadOnly = description.isReadOnly
        timeout = description.options.timeout
        state = Mutex(ShelfState(schema: ShelfSchema(model), metadata: metadata))
    }

    func metadata() throws -> StoreMetadata { try current(.metadata).metadata }

    func read<T>(_ body: (any StoreReader) throws -> T) throws -> T { try body(ShelfReader(current(.read))) }

    func beginWrite(_ origin: TransactionOrigin) throws -> any StoreTransaction {
        try checkOpen(.save)
        if isReadOnly { throw StoreError(.readOnly, .save, "the store was opened for reading only") }
        guard writeLock.acquire(until: Deadline(after: timeout)) else { throw StoreError(.locked, .save, "another save takes too long") }
        // Other saves during the wait for the write lock are in the state now.
        do { return ShelfTransaction(self, try current(.save)) } catch {
            writeLock.release()
            throw error
        }
    }

    func close() throws { state.withLock { $0 = nil } }

    // MARK: - The state

    func checkOpen(_ operation: StoreError.Operation) throws { _ = try current(operation) }

    private func current(_ operation: StoreError.Operation) throws -> ShelfState {
        guard let state = state.withLock({ $0 }) else { throw StoreError(.closed, operation, "the store was closed") }
        return state
    }

    func replace(with next: ShelfState) throws {
        try state.withLock { state in
            if state == nil { throw StoreError(.closed, .save, "the store was closed") }
            state = next
        }
    }
}

extension StoreType {
    static let shelf = StoreType(rawValue: "Shelf")
}

/// Opens shelves; each is a new one.
struct ShelfDriver: OpeningStoreDriver {
    var type: StoreType { .shelf }

    func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        try ShelfStore(description, model)
    }

    func metadata(at location: StoreLocation) throws -> StoreMetadata { throw refusal(.metadata) }
    func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws { throw refusal(.setUserInfo) }
    func destroy(at location: StoreLocation) throws { throw refusal(.destroy) }
    func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws { throw refusal(.replace) }

    private func refusal(_ operation: StoreError.Operation) -> StoreError {
        StoreError(.unsupported, operation, "a shelf ends with its last user")
    }
}

extension StoreDriver where Self == ShelfDriver {
    /// Stores that are sorted arrays.
    static var shelf: Self { ShelfDriver() }
}
