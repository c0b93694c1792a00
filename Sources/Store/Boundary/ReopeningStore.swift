package import StrataModel

/// A store that can be reopened with another version of its model, after its migration.
package protocol ReopeningStore: PersistentStore {
    /// Closes the store, and opens it again with its resources.
    func reopened(_ description: StoreDescription, model: ManagedObjectModel) throws -> any PersistentStore
}
