/// The contents of an in-memory store, or of several that share a name.
public final class InMemoryTables: Sendable {
    let engine: TableEngine

    /// Creates empty tables for a model.
    ///
    /// - Throws: ``StrataStore/StoreError`` where the metadata of the new store cannot be made.
    public init(_ description: StoreDescription, _ model: ManagedObjectModel) throws(StoreError) {
        let metadata = try StoreMetadata(
            newStoreOf: .inMemory, model: model, configuration: description.configuration, storeID: description.newStoreID)
        engine = try TableEngine(TableContents(metadata: metadata), model: model, timeout: description.options.timeout)
    }

    /// Opens a store over the tables.
    ///
    /// - Throws: ``StrataStore/StoreError`` with `incompatibleModel` where the rows are laid out by another version of the model.
    public func openStore(_ description: StoreDescription, _ model: ManagedObjectModel) throws(StoreError) -> any StoreBackend {
        try engine.metadata.checkCompatibility(with: model, opening: description, path: nil)
        guard engine.isLaidOut(by: model) else {
            throw StoreError(.incompatibleModel, .open, "a store of the name is open with another version of the model")
        }
        return InMemoryStore(self, isReadOnly: description.isReadOnly)
    }
}
