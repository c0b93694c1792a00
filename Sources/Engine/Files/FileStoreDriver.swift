public import StrataModel
public import StrataStore

/// The driver of stores that are files: it is asked for paths, and for nothing else.
///
/// At `/dev/null` every such driver opens a store in memory, as Core Data does.
public protocol FileStoreDriver: StoreDriver {
    /// Opens the store at a path, or makes a new one, as `StoreDriver.open(_:model:)` says.
    ///
    /// - Throws: As `StoreDriver.open(_:model:)`.
    func openFile(at path: String, _ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore

    /// Reads the metadata of a store, as `StoreDriver.metadata(at:)` says.
    ///
    /// - Throws: As `StoreDriver.metadata(at:)`.
    func metadataOfFile(at path: String) throws -> StoreMetadata

    /// Changes the metadata of a store, as `StoreDriver.setMetadata(_:at:)` says.
    ///
    /// - Throws: As `StoreDriver.setMetadata(_:at:)`.
    func setMetadata(_ metadata: StoreMetadata, ofFileAt path: String) throws

    /// Removes a store, as `StoreDriver.destroy(at:)` says.
    ///
    /// - Throws: As `StoreDriver.destroy(at:)`.
    func destroyFile(at path: String) throws

    /// Copies a store, as `StoreDriver.replace(at:withStoreAt:)` says.
    ///
    /// - Throws: As `StoreDriver.replace(at:withStoreAt:)`.
    func replaceFile(at path: String, withFileAt source: String) throws
}

extension FileStoreDriver {
    public func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
        if description.location == .null { return try InMemoryStore(SharedTables(description, model), description) }
        return try openFile(at: path(description.location, .open), description, model: model)
    }

    public func metadata(at location: StoreLocation) throws -> StoreMetadata { try metadataOfFile(at: path(location, .metadata)) }

    public func setMetadata(_ metadata: StoreMetadata, at location: StoreLocation) throws {
        try setMetadata(metadata, ofFileAt: path(location, .metadata))
    }

    public func destroy(at location: StoreLocation) throws { try destroyFile(at: path(location, .destroy)) }

    public func replace(at location: StoreLocation, withStoreAt source: StoreLocation) throws {
        try replaceFile(at: path(location, .replace), withFileAt: path(source, .replace))
    }

    private func path(_ location: StoreLocation, _ operation: StoreError.Operation) throws(StoreError) -> String {
        switch location {
        case .file(""): throw StoreError(.missing, operation, "the path of the store is empty")
        case .file(let path): return path
        case .memory: throw StoreError(.missing, operation, "a store of type \(type) needs a path")
        case .server: throw StoreError(.unsupported, operation, "a store of type \(type) is a file, and not at \(location)")
        }
    }
}
