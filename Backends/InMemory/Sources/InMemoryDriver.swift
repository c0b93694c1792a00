import StrataEngine
public import StrataStore
import Synchronization

/// The driver of stores that are in memory only: for tests, caches, and other data that need not outlive the process.
///
/// Without a name every store that it opens is a new, empty one. Stores of one name share their contents as long as one
/// of them is open. Paths are ignored, `/dev/null` included.
public struct InMemoryDriver: OpeningStoreDriver {
    /// The name under which stores share what they hold; `nil` where each has its own.
    public let name: String?

    /// Creates a driver.
    ///
    /// - Parameter name: The name under which stores share what they hold.
    public init(name: String? = nil) { self.name = name }

    public var type: StoreType { .inMemory }

    /// Opens a store; a new one is empty.
    ///
    /// - Throws: `StoreError` with `incompatibleModel` if a store of the name is open with another model,
    ///   `unknownEntity` for an unknown configuration.
    public func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend {
        try description.requireEntities(of: model)
        guard let name else { return try InMemoryTables(description, model).openStore(description, model) }
        return try InMemoryDriver.named.withLock { named in
            named = named.filter { $0.value.tables != nil }
            let tables = try named[name]?.tables ?? InMemoryTables(description, model)
            let store = try tables.openStore(description, model)
            named[name] = WeakTables(tables: tables)
            return store
        }
    }

    /// Always throws: an in-memory store has no metadata while it is not open.
    ///
    /// - Throws: `StoreError` with `missing`.
    public func metadata(at location: StoreLocation) throws -> StoreMetadata { throw InMemoryDriver.missing(.metadata, location) }

    /// Always throws: an in-memory store has no metadata while it is not open.
    ///
    /// - Throws: `StoreError` with `missing`.
    public func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {
        throw InMemoryDriver.missing(.metadata, location)
    }

    /// Does nothing: an in-memory store exists only while it is open.
    ///
    /// - Throws: Nothing.
    public func destroy(at location: StoreLocation) throws {}

    /// Always throws: there is no file to put anywhere.
    ///
    /// - Throws: `StoreError` with `unsupported`.
    public func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {
        throw StoreError(.unsupported, .replace, "a store in memory has no file", path: location.path)
    }

    private static func missing(_ operation: StoreError.Operation, _ location: StoreLocation) -> StoreError {
        StoreError(.missing, operation, "a store in memory has no file", path: location.path)
    }

    private struct WeakTables: Sendable {
        weak let tables: InMemoryTables?
    }

    private static let named = Mutex<[String: WeakTables]>([:])
}

extension StoreDriver where Self == InMemoryDriver {
    /// Stores in memory, each a new one.
    public static var inMemory: InMemoryDriver { InMemoryDriver() }

    /// Stores in memory that share what they hold under a name, as long as one of them is open.
    public static func inMemory(named name: String) -> InMemoryDriver { InMemoryDriver(name: name) }
}
