package import StrataModel

/// A store that goes on with another version of its model, once it was migrated to that.
package protocol ReopeningStore: PersistentStore {
    /// Ends the store, as `close()` does, and opens it again with what it has open.
    func reopened(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore
}
