import StrataModel

extension AtomicStoreDriver {
    public func open(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore {
        throw StoreError(.unsupported, "open", "being written")
    }
}
