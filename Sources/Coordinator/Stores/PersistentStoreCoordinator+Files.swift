import StrataStore
import Synchronization

extension PersistentStoreCoordinator {
    /// Removes a store with all its files.
    ///
    /// - Throws: ``StoreError`` with `locked` while this or another coordinator has it open.
    public func destroyStore(at path: String, _ driver: any StoreDriver) throws {
        try requireNotOpen(path, "destroy")
        try driver.destroy(at: path)
    }

    /// Puts a copy of a store where another one is; copies it where none is.
    ///
    /// - Throws: ``StoreError`` with `locked` while this coordinator has the store at `path` open.
    public func replaceStore(at path: String, withStoreAt source: String, _ driver: any StoreDriver) throws {
        try requireNotOpen(path, "replace")
        try driver.replace(at: path, withStoreAt: source)
    }

    func requireNotOpen(_ path: String?, _ operation: String) throws {
        if let path, entries.withLock({ $0.contains { $0.store.path == path } }) {
            throw StoreError(.locked, operation, "the coordinator has the store open", path: path)
        }
    }
}
