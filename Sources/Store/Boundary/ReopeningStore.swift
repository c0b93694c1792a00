/// A store that can be opened with another version of its model, after a migration, without closing its connections.
public protocol ReopeningStore: StoreBackend {
    /// Closes the store, as `close()` does, and opens it again with its open connections.
    ///
    /// - Throws: As `OpeningStoreDriver.open(_:model:)`; the store is closed then.
    func reopened(_ description: StoreDescription, model: ManagedObjectModel) throws -> any StoreBackend
}
